import { KINDS, type StoredRow, toComposition } from '../../../src/sources/cl-ownership/composition.ts';
import { readCompositions } from '../../../src/sources/cl-ownership/read.ts';
import type { CompositionRow } from '../../../src/sources/cl-ownership/row.ts';
import { below, pickOf, type Random, seeded } from '../../support/damage.ts';
import { listFileOf } from '../../support/files.ts';
import { madeUpRows, type PlainOwners, plainOwners, ROW_DAMAGES } from './made-up.ts';
import { fileOf } from './support.ts';

/** Kinds of damage to the whole file, by name. */
const FILE_DAMAGES: Readonly<Record<string, (text: string, random: Random) => string>> = {
  // Not between two rows: a text that ends with a whole row does not show that it was cut. The published zip has a checksum.
  'an end that is cut': (text, random) => {
    const lines = text.trimEnd().split('\r\n');
    const last = lines.length - 1 - below(random, 3);
    const row = lines[last] ?? '';
    return [...lines.slice(0, last), row.slice(0, 1 + below(random, row.length - 1)).trimEnd()].join('\r\n');
  },
  'two rows in one line': (text, random) => {
    const lines = text.split('\r\n');
    const at = 1 + below(random, lines.length - 3);
    return lines.toSpliced(at, 2, `${lines[at]}${lines[at + 1]}`).join('\r\n');
  },
  'another header': (text) => text.replace('RUT Socio', 'RUT'),
  'LF alone': (text) => text.replaceAll('\r\n', '\n'),
  'CR alone': (text) => text.replaceAll('\r\n', '\r'),
};

interface Damaged {
  readonly names: readonly string[];
  readonly text: string;
}

function damaged(rows: readonly string[], random: Random): Damaged {
  const names: string[] = [];
  const changed = [...rows];
  for (let i = below(random, 4); i >= 0; i -= 1) {
    const at = below(random, changed.length);
    const name = pickOf(random, Object.keys(ROW_DAMAGES));
    names.push(name);
    changed[at] = ROW_DAMAGES[name]?.(changed[at] ?? '', random) ?? '';
  }
  const text = fileOf(changed);
  if (below(random, 4) > 0) return { names, text };
  const name = pickOf(random, Object.keys(FILE_DAMAGES));
  return { names: [...names, name], text: FILE_DAMAGES[name]?.(text, random) ?? text };
}

/** Reads a file; null if it is refused. */
async function read(text: string) {
  try {
    const reading = readCompositions(await listFileOf({ 'composicion_sociedades.csv': text }));
    const rows: CompositionRow[] = [];
    for (;;) {
      const step = await reading.next();
      if (step.done) return step.value.implausible ? null : { rows, hasLost: (step.value.rowsUnmatched ?? 0) > 0 };
      rows.push(...step.value);
    }
  } catch {
    return null;
  }
}

const stored = (row: Exclude<CompositionRow, { kind: 'lost' }>): StoredRow => ({
  kind: KINDS[row.kind],
  partner: row.kind === 'company' ? row.partner : null,
  share: row.share.percent,
  problem: row.share.problem,
});

/**
 * Says what is wrong with an answer after a damage; null if nothing is. Every owner and share that it has must be true. If an owner is
 * missing or its share is not known, the answer must not be complete; a missing owner makes it `unread`; the share of one with several rows may then be too low.
 */
function wrongness(rut: string, truth: PlainOwners | undefined, rows: readonly StoredRow[], hasLost: boolean): string | null {
  const { status, companies, people, isComplete } = toComposition(rows, hasLost);
  const found = [...companies.map((one) => `${one.rut} ${one.share ?? '?'}`), ...(people ? [`people ${people.share ?? '?'}`] : [])];
  const isPart = (text: string) =>
    [...(truth?.owners ?? [])].some((one) => ownerIn(one) === ownerIn(text) && shareIn(text) <= shareIn(one));
  const invented = found.find(
    (one) => !truth?.owners.has(one) && !(one.endsWith(' ?') && hasOwner(truth, one)) && !(status === 'unread' && isPart(one)),
  );
  if (invented !== undefined) return `${rut}: ${invented} is not in the file`;
  const missing = [...(truth?.owners ?? [])].find((one) => !found.some((other) => ownerIn(other) === ownerIn(one)));
  if (missing !== undefined && status !== 'unread') return `${rut}: ${status} without ${missing}`;
  return isComplete && !truth?.isWhole ? `${rut}: complete` : null;
}

const shareIn = (text: string): number => Number(text.split(' ')[1]?.replace('?', '100'));
const ownerIn = (text: string): string => text.split(' ')[0] ?? '';
const hasOwner = (truth: PlainOwners | undefined, text: string): boolean =>
  [...(truth?.owners ?? [])].some((one) => ownerIn(one) === ownerIn(text));

export interface Damages {
  readonly files: number;
  readonly refused: number;
  readonly kinds: ReadonlySet<string>;
  /** Descriptions of the wrong answers. */
  readonly wrong: readonly string[];
}

/** Reads damaged files of 60 made-up companies, and compares the answers about all of them with the undamaged rows. */
export async function damageFiles(files: number, seed: number): Promise<Damages> {
  const random = seeded(seed);
  const kinds = new Set<string>();
  const wrong: string[] = [];
  let refused = 0;
  for (let i = 0; i < files; i += 1) {
    const rows = madeUpRows(random, 60);
    const truth = plainOwners(rows);
    const { names, text } = damaged(rows, random);
    for (const name of names) kinds.add(name);
    const result = await read(text);
    if (result === null) {
      refused += 1;
      continue;
    }
    const known = result.rows.flatMap((row) => (row.kind === 'lost' ? [] : [{ society: row.society, row: stored(row) }]));
    const found = Map.groupBy(known, ({ society }) => society);
    for (const [rut, owners] of truth) {
      const own = (found.get(Number(rut.slice(0, -1))) ?? []).map(({ row }) => row);
      const fault = wrongness(rut, owners, own, result.hasLost);
      if (fault) wrong.push(`file ${i}, ${names.join(' + ')}: ${fault}`);
    }
  }
  return { files, refused, kinds, wrong };
}

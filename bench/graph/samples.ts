import pg from 'pg';
import { randomOf } from '../../test/support/random.ts';

/** A person as the registry prints one, with a company of which the person is a partner. */
export interface SampledPerson {
  readonly cnpj: string;
  readonly document: string;
  readonly name: string;
}

/** Keys of the questions, drawn from a version. */
export interface Samples {
  readonly cnpjs: readonly string[];
  /** Lists of 500 companies. */
  readonly lists: readonly (readonly string[])[];
  /** Head offices of companies that own others; those that own the largest number come first. */
  readonly owners: readonly string[];
  /** People with several companies first. */
  readonly people: readonly SampledPerson[];
  /** Two companies: every second pair has a common owner, the others are drawn at random. */
  readonly pairs: readonly (readonly [from: string, to: string])[];
  /** Legal names of companies that are no sole traders, with their state. */
  readonly names: readonly { readonly name: string; readonly state: string }[];
  /** Companies of which something changed. */
  readonly changed: readonly string[];
}

const QUESTIONS = 200;
const LISTS = 10;
const LIST_SIZE = 500;
/** Number of the keys with most rows in a sample. The others are drawn at random. */
const LARGEST = 20;

/** Draws keys from a version. The same version gives the same keys. @param url database @param id of the version */
export async function drawSamples(url: string, id: string): Promise<Samples> {
  const client = new pg.Client(url);
  await client.connect();
  const select = async <T extends object>(sql: string): Promise<readonly T[]> => (await client.query<T>(sql)).rows;
  const table = (name: string): string => `receita_${name}_v${id}`;
  const cnpj = (of: string): string => `${of}.root || ${of}.branch || ${of}.digits AS cnpj`;
  try {
    const all = (
      await select<{ cnpj: string }>(`SELECT ${cnpj('e')} FROM ${table('establishments')} e ORDER BY md5(root || branch)
      LIMIT ${QUESTIONS * 2 + LISTS * LIST_SIZE}`)
    ).map((row) => row.cnpj);
    const owners = await select<{ cnpj: string }>(`SELECT ${cnpj('e')} FROM (
        SELECT left(document, 8) AS root, count(*) AS n FROM ${table('partners')} WHERE kind = 1 GROUP BY 1) o
      JOIN ${table('establishments')} e ON e.root = o.root AND e.is_head ORDER BY n DESC, e.root`);
    const people = await select<SampledPerson>(`SELECT DISTINCT ON (n, document, p.name) ${cnpj('e')}, document, p.name FROM (
        SELECT document, name, count(*) AS n, min(root) AS root FROM ${table('partners')} WHERE kind = 2 AND document IS NOT NULL GROUP BY 1, 2
        ORDER BY n DESC, md5(document || name) LIMIT ${QUESTIONS * 5}) p
      JOIN ${table('establishments')} e ON e.root = p.root AND e.is_head ORDER BY n DESC, document, p.name`);
    const siblings = await select<{ one: string; other: string }>(`SELECT min(root) AS one, max(root) AS other FROM ${table('partners')}
      WHERE document IS NOT NULL GROUP BY left(document, 8), name HAVING count(DISTINCT root) > 1 ORDER BY md5(min(root)) LIMIT ${QUESTIONS / 2}`);
    const heads = new Map(
      (
        await select<{ root: string; cnpj: string }>(`SELECT e.root, ${cnpj('e')} FROM ${table('establishments')} e
      WHERE is_head AND root = ANY (ARRAY[${siblings.flatMap(({ one, other }) => [`'${one}'`, `'${other}'`]).join(', ')}]::text[])`)
      ).map((row) => [row.root, row.cnpj]),
    );
    const names = await select<{ name: string; state: string }>(`SELECT c.name, e.state FROM ${table('companies')} c
      JOIN ${table('establishments')} e ON e.root = c.root AND e.is_head WHERE c.nature <> 2135 ORDER BY md5(c.root) LIMIT ${QUESTIONS}`);
    const changed = await select<{ cnpj: string }>(`SELECT ${cnpj('e')} FROM (
        SELECT DISTINCT root FROM receita_changes ORDER BY root LIMIT ${QUESTIONS}) r
      JOIN ${table('establishments')} e ON e.root = r.root AND e.is_head`);
    const random = randomOf(20_261_128);
    return {
      cnpjs: all.slice(0, QUESTIONS),
      lists: Array.from({ length: LISTS }, (_, i) => all.slice(QUESTIONS * 2 + i * LIST_SIZE, QUESTIONS * 2 + (i + 1) * LIST_SIZE)),
      owners: mixed(
        owners.map((row) => row.cnpj),
        random,
      ),
      people: mixed(people, random),
      pairs: [
        ...siblings.map(({ one, other }) => [heads.get(one) ?? '', heads.get(other) ?? ''] as const),
        ...Array.from({ length: QUESTIONS / 2 }, (_, i) => [all[i] ?? '', all[QUESTIONS + i] ?? ''] as const),
      ],
      names,
      changed: [...changed.map((row) => row.cnpj), ...all.slice(0, QUESTIONS / 2)],
    };
  } finally {
    await client.end();
  }
}

/** Returns the first elements and a sample of the others. */
function mixed<T>(sorted: readonly T[], random: () => number): readonly T[] {
  const others = sorted.slice(LARGEST);
  const drawn = Array.from(
    { length: Math.min(QUESTIONS - LARGEST, others.length) },
    () => others[Math.floor(random() * others.length)] as T,
  );
  return [...sorted.slice(0, LARGEST), ...drawn];
}

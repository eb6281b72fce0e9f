import { largeMonth } from '../../../sandbox/upstreams/receita-federal/large-month.ts';
import { largeRegistry } from '../../../sandbox/world/brazil/large/registry.ts';
import type { ReceitaCompany } from '../../../src/sources/receita-federal/company.ts';
import { readHoldings } from '../../../src/sources/receita-federal/copy/holdings.ts';
import { readPaths } from '../../../src/sources/receita-federal/copy/paths.ts';
import type { ReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import { randomOf } from '../../support/random.ts';
import { type CsvMonth, companyNode, personNode, readCsvMonth } from './csv-script.ts';
import { type copyDb, type Files, folderOf } from './support.ts';

/** Numbers of questions that are compared. */
export interface Compared {
  readonly establishments: number;
  readonly records: number;
  readonly lookups: number;
  readonly pairs: number;
}

/** Answers of the copy beside those of the script, in the same order. */
interface Both {
  readonly ours: readonly unknown[];
  readonly script: readonly unknown[];
}

const MAX_EDGES = 6;
/** Paths of one call, which share their limits. */
const PATHS_AT_ONCE = 25;
const NO_LIMIT = { maxNodes: 10_000_000, maxMs: 600_000 };
const KINDS = { company: '1', person: '2', foreign: '3' } as const;

/** Imports a made-up month, asks the copy and the script the same questions, and returns their answers. */
export async function independentAnswers(own: ReturnType<ReturnType<typeof copyDb>['copy']>, { establishments, ...numbers }: Compared) {
  const files = new Map([...largeMonth(largeRegistry(establishments, false))].map(([name, read]) => [name, [...read()].join('')]));
  await own.load(await folderOf(Object.fromEntries(files) as Files));
  const csv = readCsvMonth(files);
  const random = randomOf(5);
  const draw = <T>(all: readonly T[], count: number): readonly T[] =>
    Array.from({ length: count }, () => all[Math.floor(random() * all.length)] as T);
  const reader = own.reader();
  return {
    records: await records(reader, csv, draw(csv.roots, numbers.records)),
    lookups: await lookups(reader, csv, draw(csv.owners, numbers.lookups / 2), draw(csv.people, numbers.lookups / 2)),
    paths: await paths(reader, csv, pairsOf(csv, draw, numbers.pairs)),
  };
}

async function records(reader: ReceitaCopy, csv: CsvMonth, roots: readonly string[]): Promise<Both> {
  const cnpjs = roots.map((root) => csv.cnpjOf(root));
  const found = await reader.find(cnpjs);
  const ours = cnpjs.map((cnpj) => {
    const answer = found.get(cnpj);
    return answer && 'value' in answer && answer.value ? partOf(answer.value) : answer;
  });
  return { ours, script: roots.map((root) => csv.recordOf(root)) };
}

function partOf({ cnpj, legalName, nature, capital, registration, registrationSince, openedOn, ...more }: ReceitaCompany): object {
  const { isBranch, activityCode, state, partners } = more;
  return {
    ...{ cnpj, legalName, nature, capital, registration, registrationSince, openedOn, isBranch, activityCode, state },
    partners: (partners ?? [])
      .map(({ kind, name, document, roleCode, entryDate }) =>
        JSON.stringify({ kind: KINDS[kind], name, document, role: String(roleCode), since: entryDate }),
      )
      .sort(),
  };
}

async function lookups(reader: ReceitaCopy, csv: CsvMonth, owners: readonly string[], people: CsvMonth['people']): Promise<Both> {
  const partners = [...owners.map((root) => ({ root })), ...people];
  const { value } = await readHoldings(
    reader,
    partners.map((partner) => ({ partner, except: null, first: 100_000, after: null })),
  );
  return {
    ours: value.map(({ items }) => [...new Set(items.map(({ cnpj }) => cnpj))].sort()),
    script: partners.map((one) => csv.ownedBy('root' in one ? companyNode(one.root) : personNode(one.document, one.name))),
  };
}

type Pair = readonly [from: string, to: string];

/** Pairs of companies: every second one has a common owner, the others are drawn at random. */
function pairsOf(csv: CsvMonth, draw: <T>(all: readonly T[], count: number) => readonly T[], count: number): readonly Pair[] {
  const rootOf = (cnpj: string): string => cnpj.slice(0, 8);
  const groups = csv.owners.map((root) => csv.ownedBy(companyNode(root))).filter(({ length }) => length > 1);
  const siblings = draw(groups, Math.ceil(count / 2)).map((group) => draw(group, 2).map(rootOf) as unknown as Pair);
  const [from, to] = [draw(csv.roots, Math.floor(count / 2)), draw(csv.roots, Math.floor(count / 2))];
  return [...siblings, ...from.map((root, i) => [root, to[i] ?? ''] as const)];
}

async function paths(reader: ReceitaCopy, csv: CsvMonth, pairs: readonly Pair[]): Promise<Both> {
  const ours: unknown[] = [];
  for (let at = 0; at < pairs.length; at += PATHS_AT_ONCE) {
    const queries = pairs.slice(at, at + PATHS_AT_ONCE).map(([from, to]) => ({ from, to, maxDepth: MAX_EDGES, people: true }));
    const { value } = await readPaths(reader, queries, NO_LIMIT);
    ours.push(...value.map(({ status, edges }) => (status === 'found' ? edges.length : status === 'none_within_limits' ? null : status)));
  }
  return { ours, script: pairs.map(([from, to]) => csv.distance(from, to, MAX_EDGES)) };
}

import type { Load } from '../../src/loaders/loader.ts';
import { BenchFailure } from '../harness/bench.ts';
import { built } from '../harness/built.ts';
import { type NamedTarget, TARGETS } from '../targets.ts';
import type { DocumentStore, StoredDocument } from './document-store.ts';
import type { Samples } from './samples.ts';

/** Answers to a key. */
type Ask = () => Promise<unknown>;

/** Answers of the store of documents, and the comparison with those of the service. */
interface Documents {
  readonly asks: readonly (() => Promise<readonly StoredDocument[]>)[];
  /** True if both have the same facts. @param index of the key */
  readonly isSame: (ours: unknown, theirs: readonly StoredDocument[], index: number) => boolean;
}

/** A question about the graph, of which each key is asked once a round. */
export interface Question {
  readonly name: string;
  /** Answers of the service, in the process of the benchmark, without HTTP. @param load loads without answers in memory */
  readonly asks: (load: Load) => readonly Ask[];
  /** Answers of the store of documents to the same keys; a reason if it has no way to answer. */
  readonly documents: Documents | string;
  readonly targets: readonly { readonly quantile: number; readonly target: NamedTarget }[];
}

const FIRST = 100;
const DEPTH = 3;
const MAX_EDGES = 6;
const PAGE = 20;

const owed = <T>(answer: { readonly value: T | null }, what: string): T => {
  if (answer.value === null) throw new BenchFailure(`${what} has no answer`);
  return answer.value;
};

/** Returns the questions of the table of targets, with the keys of a sample. @param asOf ISO date before the last extract */
export async function questionsOf(samples: Samples, store: DocumentStore, asOf: string): Promise<readonly Question[]> {
  const { receitaTaxpayerLoader } = await built<typeof import('../../src/loaders/taxpayer.ts')>('src/loaders/taxpayer');
  const { taxpayerAsOfLoader } = await built<typeof import('../../src/loaders/registry-as-of.ts')>('src/loaders/registry-as-of');
  const { kybLoader } = await built<typeof import('../../src/modules/kyb/loader.ts')>('src/modules/kyb/loader');
  const { ownersLoader } = await built<typeof import('../../src/modules/owners/loader.ts')>('src/modules/owners/loader');
  const { groupLoader } = await built<typeof import('../../src/modules/owners/loaders/group.ts')>('src/modules/owners/loaders/group');
  const { holdingsLoader, otherCompaniesLoader } = await built<typeof import('../../src/modules/owners/loaders/holdings.ts')>(
    'src/modules/owners/loaders/holdings',
  );
  const { pathLoader } = await built<typeof import('../../src/modules/owners/loaders/path.ts')>('src/modules/owners/loaders/path');
  const { historyLoader } = await built<typeof import('../../src/modules/kyb/loaders/history.ts')>('src/modules/kyb/loaders/history');
  const { REGISTRY_FIELDS } = await built<typeof import('../../src/sources/receita-federal/copy/change-field.ts')>(
    'src/sources/receita-federal/copy/change-field',
  );
  const company = (taxId: string) => ({ country: 'BR' as const, taxId });
  const { searches, common } = await searchQuestions(samples);
  return [
    {
      name: 'company with partners and head office',
      asks: (load) => samples.cnpjs.map((cnpj) => async () => owed(await load(receitaTaxpayerLoader, company(cnpj)), cnpj)),
      documents: { asks: samples.cnpjs.map((cnpj) => () => store.company(cnpj)), isSame: hasSamePartners },
      targets: [
        { quantile: 0.5, target: TARGETS.graphCompanyP50 },
        { quantile: 0.99, target: TARGETS.graphCompanyP99 },
      ],
    },
    {
      name: '500 companies, kyb and owners',
      asks: (load) =>
        samples.lists.map(
          (list) => () => Promise.all(list.flatMap((cnpj) => [load(kybLoader, company(cnpj)), load(ownersLoader, company(cnpj))])),
        ),
      documents: { asks: samples.lists.map((list) => () => store.companies(list)), isSame: hasSameOwners },
      targets: [{ quantile: 0.5, target: TARGETS.graphList }],
    },
    {
      name: 'companies of a company, first 100',
      asks: (load) => samples.owners.map((cnpj) => async () => load(holdingsLoader, { company: company(cnpj), first: FIRST, after: null })),
      documents: {
        asks: samples.owners.map((cnpj) => () => store.ofPartner([cnpj.slice(0, 8), cnpj], null)),
        isSame: (ours, theirs) => hasSameRoots(ours, theirs, null),
      },
      targets: [{ quantile: 0.95, target: TARGETS.graphReverse }],
    },
    {
      name: 'other companies of a probable person, first 100',
      asks: (load) =>
        samples.people.map(
          ({ cnpj, ...owner }) =>
            async () =>
              load(otherCompaniesLoader, { company: company(cnpj), owner, first: FIRST, after: null }),
        ),
      documents: {
        asks: samples.people.map(
          ({ document, name }) =>
            () =>
              store.ofPartner([document], name),
        ),
        isSame: (ours, theirs, i) => hasSameRoots(ours, theirs, samples.people[i]?.cnpj ?? null),
      },
      targets: [{ quantile: 0.95, target: TARGETS.graphReverse }],
    },
    {
      name: 'group up and down, 3 levels',
      asks: (load) =>
        samples.owners.map(
          (cnpj) => async () => owed(await load(groupLoader, { company: company(cnpj), depth: DEPTH, direction: 'both' }), cnpj),
        ),
      documents: 'cannot: the caller would read the documents of each level',
      targets: [{ quantile: 0.95, target: TARGETS.graphGroup }],
    },
    {
      name: 'path of at most 6 edges',
      asks: (load) =>
        samples.pairs.map(
          ([from, to]) =>
            async () =>
              load(pathLoader, { from: company(from), to: company(to), maxDepth: MAX_EDGES, people: true }),
        ),
      documents: 'cannot: the caller would read the documents of each level',
      targets: [{ quantile: 0.95, target: TARGETS.graphPath }],
    },
    {
      name: 'search by name with filters',
      asks: searches,
      documents: NO_NAMES,
      targets: [{ quantile: 0.95, target: TARGETS.graphSearch }],
    },
    { name: 'search by the commonest words', asks: common, documents: NO_NAMES, targets: [] },
    {
      name: 'history of a company',
      asks: (load) =>
        samples.changed.map(
          (cnpj) => async () => load(historyLoader, { company: company(cnpj), fields: REGISTRY_FIELDS, first: PAGE, after: null }),
        ),
      documents: NO_PAST,
      targets: [{ quantile: 0.95, target: TARGETS.graphHistory }],
    },
    {
      name: 'company as of the month before',
      asks: (load) => samples.changed.map((cnpj) => async () => owed(await load(taxpayerAsOfLoader, { ...company(cnpj), asOf }), cnpj)),
      documents: NO_PAST,
      targets: [{ quantile: 0.95, target: TARGETS.graphHistory }],
    },
  ];
}

interface Answered<T> {
  readonly value: T;
}

function hasSamePartners(ours: unknown, theirs: readonly StoredDocument[]): boolean {
  const { record } = ours as { readonly record: { readonly partners: readonly { readonly name: string }[] } };
  const names = theirs.flatMap(({ json }) => json.qsa.map((partner) => partner.nome_socio));
  return JSON.stringify(record.partners.map(({ name }) => name).toSorted()) === JSON.stringify(names.toSorted());
}

function hasSameOwners(ours: unknown, theirs: readonly StoredDocument[]): boolean {
  const owners = (ours as readonly Answered<{ readonly owners?: readonly unknown[] }>[]).flatMap(({ value }) => value.owners ?? []);
  return owners.length === theirs.reduce((sum, { json }) => sum + json.qsa.length, 0);
}

/** Compares the roots of companies, unless a page ends before the last one. @param except CNPJ of a company that only the store returns */
function hasSameRoots(ours: unknown, theirs: readonly StoredDocument[], except: string | null): boolean {
  const { items } = (ours as Answered<{ readonly items: readonly { readonly taxId: string }[] }>).value;
  if (items.length >= FIRST || theirs.length >= FIRST) return true;
  const rootsOf = (ids: readonly string[]) => [...new Set(ids.map((id) => id.slice(0, 8)))].filter((root) => root !== except?.slice(0, 8));
  return (
    JSON.stringify(rootsOf(items.map(({ taxId }) => taxId)).toSorted()) === JSON.stringify(rootsOf(theirs.map(({ id }) => id)).toSorted())
  );
}

const NO_NAMES = 'cannot: it has no index of names';
const NO_PAST = 'cannot: it keeps one month';

/** Words that are in the greatest number of the made-up names. */
const COMMON = ['COMERCIO', 'SERVICOS', 'COMERCIO SERVICOS', 'TRANSPORTES', 'COMERCIO ALIMENTOS', 'SILVA', 'CONSTRUTORA', 'SANTOS'];

/** Returns searches for a part of each name in its state: its first words, its last ones, or all, some for active head offices only. */
async function searchQuestions({ names }: Samples) {
  const { brazilSearchLoader, parseBrazilSearch } = await built<typeof import('../../src/modules/kyb/loaders/brazil-search.ts')>(
    'src/modules/kyb/loaders/brazil-search',
  );
  const asked = (searched: readonly ReturnType<typeof parseBrazilSearch>[]) => (load: Load) =>
    searched.map((search) => async () => load(brazilSearchLoader, { ...search, first: PAGE, after: null }));
  const searches = names.map(({ name, state }, i) => {
    const words = name.split(' ').filter((word) => !/^(?:LTDA|EIRELI|ME|EPP|S\/A|-|E|DE)$/.test(word));
    const text = [words.slice(0, 2), words.slice(-2), words][i % 3]?.join(' ') ?? name;
    return parseBrazilSearch(text, { state, ...(i % 2 === 0 && { status: 'active', isHeadOffice: true }) });
  });
  const common = COMMON.flatMap((text) => [parseBrazilSearch(text, {}), parseBrazilSearch(text, { state: 'SP', status: 'active' })]);
  return { searches: asked(searches), common: asked(common) };
}

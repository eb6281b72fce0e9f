import { createHash } from 'node:crypto';
import { type CompanyKey, companyKeyText, legalPersonText } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import { debarmentSources } from '../../debarment/source.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { sanctionsSources } from '../../sanctions/sources/lists.ts';
import { diffListing, type Finding, sameEntries, type WatchedList } from '../domain/change.ts';
import { judgedEditions, type Listed, listedAfter, lockListed, saveJudged } from '../store/list-entries.ts';
import { adopt, countWatched } from '../store/watched-companies.ts';
import { publish } from './publish.ts';
import { guardService } from './quarantine.ts';

/** The job that compares the watched companies with an edition. */
export const JUDGE_LIST = 'monitor.list';

/** News of the published lists: which watched companies an edition names otherwise than the one before. */
export interface ListNews {
  /** Lists of which an edition answers that was not judged yet. */
  waiting(): Promise<readonly SourceName[]>;
  /** Compares every watched company with the edition that answers, unless that is done. */
  judge(list: SourceName): Promise<void>;
  /** What those lists that can be read say of companies: legal person → list → fingerprints of its entries. */
  baseline(companies: readonly CompanyKey[]): Promise<ReadonlyMap<string, Listings>>;
}

export type Listings = Readonly<Record<string, readonly string[]>>;

/** Companies that are looked up together. */
const PAGE = 1_000;
/** Changes that one transaction publishes. */
const AT_ONCE = 500;

export const listNewsService = defineService<ListNews>({
  name: 'list_news',
  module: 'monitor',
  create: (deps) => ({
    async waiting() {
      const judged = await judgedEditions(deps.db);
      return LISTS.flatMap(({ list, source }) => {
        const edition = deps.use(source).version();
        return edition === null || edition === judged.get(list)?.edition ? [] : [list];
      });
    },

    async judge(name) {
      const list = LISTS.find((one) => one.list === name);
      if (list) await judgeEdition(list, deps);
    },

    async baseline(companies) {
      const persons = [...new Set(companies.map(legalPersonText))];
      if (persons.length === 0) return new Map();
      const looks = await Promise.allSettled(LISTS.map(({ source }) => deps.use(source).lookup(persons)));
      const seen = LISTS.flatMap(({ list }, i) => {
        const look = looks[i];
        return look?.status === 'fulfilled' ? [{ list, entries: look.value.entries }] : [];
      });
      const saidOf = (person: string) => seen.map(({ list, entries }) => [list, fingerprints(entries.get(person) ?? [])] as const);
      return new Map(persons.map((person) => [person, Object.fromEntries(saidOf(person))]));
    },
  }),
});

/** A watched company, and what an edition says of it. */
interface Look extends Listed {
  readonly observed: readonly string[];
}

interface News extends Finding {
  readonly before: readonly string[];
}

async function judgeEdition(list: ListSource, deps: ServiceDeps): Promise<void> {
  const { db, use, log } = deps;
  const copy = use(list.source);
  const { schemaVersion: shape } = copy.spec;
  const judged = (await judgedEditions(db)).get(list.list);
  const hits = await copy.lookup([]).catch(() => null); // overdue, as its status says: another edition will come
  if (!hits || hits.version.id === judged?.edition) return;
  const edition = hits.version.id;
  const isComparable = judged === undefined || judged.shape === shape;
  const checked: CompanyKey[] = [];
  const news: News[] = [];
  for await (const looks of looksAt(list, edition, deps)) {
    checked.push(...looks.map(({ company }) => company));
    if (isComparable) news.push(...looks.flatMap((look) => toNews(list, look)));
    const silent = looks.filter((look) => !isComparable || isSilent(look));
    await adoptSilently(db, list.list, silent);
  }
  await tell(list, { checked, news }, deps);
  await saveJudged(db, list.list, { edition, shape });
  log.info({ list: list.list, companies: news.length }, 'an edition was compared with the watched companies');
}

/** Every watched company, by pages. @throws Error when another edition answers meanwhile: the comparison begins anew */
async function* looksAt({ list, source }: ListSource, edition: string, { db, use }: ServiceDeps): AsyncGenerator<readonly Look[]> {
  for (let after: CompanyKey | null = null; ; ) {
    const page: readonly Listed[] = await listedAfter(db, list, { after, limit: PAGE });
    const { version, entries } = await use(source).lookup([...new Set(page.map(({ legalPerson }) => legalPerson))]);
    if (version.id !== edition) throw new Error(`another edition of ${list} answers now`);
    yield page.map((listed) => ({ ...listed, observed: fingerprints(entries.get(listed.legalPerson) ?? []) }));
    if (page.length < PAGE) return;
    after = page.at(-1)?.company ?? null;
  }
}

/** True for a first look, and for a list that takes back what an operator had discarded. */
const isSilent = ({ entries, ignored, observed }: Look): boolean =>
  entries === null || (ignored !== null && sameEntries(entries, observed));

function toNews(list: WatchedList, { company, entries, ignored, observed }: Look): readonly News[] {
  if (entries === null || (ignored && sameEntries(ignored, observed))) return [];
  const fields = diffListing(list, entries, observed);
  return fields.length === 0 ? [] : [{ company, source: list.list, fields, observed, before: entries }];
}

/** Takes what an edition says for what was reported, and tells nobody. */
const adoptSilently = (db: ServiceDeps['db'], source: SourceName, looks: readonly Look[]): Promise<void> =>
  db.transaction(async (trx) => {
    await lockListed(
      trx,
      source,
      looks.map(({ company }) => company),
    );
    await adopt(
      trx,
      looks.map(({ company, observed }) => ({ company, source, fields: [], observed })),
    );
  });

/** Publishes what the guard lets through, once: whoever was told already has the new entries, and is passed over. */
async function tell(
  { list }: ListSource,
  { checked, news }: { readonly checked: readonly CompanyKey[]; readonly news: readonly News[] },
  { db, open, now }: ServiceDeps,
): Promise<void> {
  const published = await db.transaction(async (trx) => {
    const standing = await stillStanding(trx, list, news);
    return open(guardService).sift(trx, { source: list, checked, watched: () => countWatched(trx), findings: standing, now: now() });
  });
  const passed = new Set(published.map(({ company }) => companyKeyText(company)));
  const telling = news.filter(({ company }) => passed.has(companyKeyText(company)));
  for (let start = 0; start < telling.length; start += AT_ONCE) {
    await db.transaction(async (trx) => {
      const at = now();
      const standing = await stillStanding(trx, list, telling.slice(start, start + AT_ONCE));
      await adopt(trx, standing);
      await publish(
        trx,
        standing.map(({ company, source, fields }) => ({ company, source, fields, detectedAt: at })),
        at,
      );
    });
  }
}

/** Locks the companies of `news`, and leaves out those that are gone or were told meanwhile. */
async function stillStanding(trx: ServiceDeps['db'], list: SourceName, news: readonly News[]): Promise<readonly News[]> {
  const listed = await lockListed(
    trx,
    list,
    news.map(({ company }) => company),
  );
  const entries = new Map(listed.map((one) => [companyKeyText(one.company), one.entries]));
  return news.filter(({ company, before }) => sameEntries(entries.get(companyKeyText(company)) ?? [''], before));
}

/** Where a watched list is read. */
export interface ListSource extends WatchedList {
  readonly source: RegistrySource<unknown>;
}

const feed = (field: ListSource['field'], sources: readonly RegistrySource<unknown>[]): readonly ListSource[] =>
  sources.map((source) => ({ list: source.name, field, source }));

/** Every watched list. A list added to one of these modules is watched without a change here. */
export const LISTS: readonly ListSource[] = [
  ...feed('debarment', debarmentSources),
  ...feed('sanctions', sanctionsSources),
  ...feed('labor', [trabalhoEscravo]),
];

/**
 * Entries → a short text each for what it says, sorted. Ids are left out: some lists number their rows anew in each edition, and the
 * others have their ids in the record, too.
 */
export const fingerprints = (entries: readonly ListEntry<unknown>[]): readonly string[] =>
  entries.map(({ record }) => createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)).toSorted();

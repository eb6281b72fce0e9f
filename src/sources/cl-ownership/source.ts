import { pathToFileURL } from 'node:url';
import { sourceUnavailable } from '../../domain/errors.ts';
import { numberOfRut, rutOfNumber } from '../../domain/tax-id.ts';
import { DAY_MS } from '../../domain/time.ts';
import { type CopyOptions, fingerprint, originOf, readUsable, statusOfCopy, syncCopy } from '../registry/copy-sync.ts';
import { type SyncSpec, syncFromPublisher } from '../registry/sync.ts';
import { type Address, defineSource, type ListVersion, type SourceDeps, type SyncResult } from '../source.ts';
import type { ClOwnership, OwnedPage, OwnershipLink } from './cl-ownership.ts';
import { textOf, toComposition } from './composition.ts';
import { guarded, STATE_BEFORE } from './earlier.ts';
import { findPath } from './find-path.ts';
import { compositionAsOf, toHistory } from './history.ts';
import { readCompositions, readEarlier, readLocal } from './read.ts';
import type { CompositionRow } from './row.ts';
import type { CompositionSummary } from './row-counts.ts';
import { createClOwnershipStore, type StoredOwned } from './store.ts';

const NAME = 'cl_ownership';
const SETTING = 'QUIPU_CL_OWNERSHIP_URL';
const EARLIER_SETTING = 'QUIPU_CL_OWNERSHIP_EARLIER_URL';
const EVERY_MS = 7 * DAY_MS;
const STALE_AFTER_MS = 45 * DAY_MS;
/** Maximum age of the publisher's file by its date. A new one comes each November; an address that has no new one may be abandoned. */
const MAX_AGE_MS = 400 * DAY_MS;
/** Time after a sync of the publisher's file in which a sync tries only the missing earlier file. */
const EARLIER_ALONE_MS = DAY_MS;
const MB = 1024 ** 2;

/** The file has some 10 MB, and 100 MB unpacked. It is published once a year and requested every week. */
const SPEC: SyncSpec<readonly CompositionRow[], CompositionSummary> = {
  schemaVersion: 3,
  guard: { minRows: 1_600_000, maxRows: 3_000_000, minNamed: 180_000, maxNamed: 400_000, maxShrink: 0.1, maxGrowth: 0.5 },
  members: ['composicion_sociedades.csv'],
  isConditional: true,
  downloadLimits: { wireBytes: 100 * MB, fileBytes: 500 * MB },
  read: readCompositions,
};

/** A file that an operator names in a command. */
const LOCAL_SPEC: typeof SPEC = { ...SPEC, read: readLocal };

/** The file of an earlier year, on a server of the operator. */
const EARLIER_SPEC: typeof SPEC = { ...SPEC, read: readEarlier };

/**
 * The composition of companies that the Chilean tax registry (SII) publishes once a year: company edges with shares, and one joint row for
 * all natural persons of a company.
 */
export const clOwnership = defineSource({
  name: NAME,
  attribution: 'Servicio de Impuestos Internos de Chile, composición de sociedades (public data).',
  addresses: {
    [SETTING]: {
      live: 'https://www.sii.cl/sobre_el_sii/composicion_sociedades.zip',
      sandbox: '/cl_ownership/composicion_sociedades.zip',
      description: 'Chile, owners of companies with their shares (composicion_sociedades, csv or zip).',
    },
    [EARLIER_SETTING]: {
      live: '',
      sandbox: '/cl_ownership/anterior/composicion_sociedades.zip',
      description:
        'Chile, the file of owners of an earlier year, which the publisher does not keep (csv or zip), with its date in its name (composicion_sociedades_2025-06-30.zip). It is put before the first file of the publisher, so that the history begins with it, and tried again until it is. Empty for none.',
      optional: true,
    },
  },
  create: (deps): ClOwnership => createClOwnership(deps),
});

const NEVER = new AbortController().signal;

function createClOwnership({ address, db, copyReads, now, log, tempDir }: SourceDeps): ClOwnership {
  const main = address(SETTING);
  const origin = originOf(main);
  const label = `${NAME}-${fingerprint(origin)}`;
  const store = createClOwnershipStore(db, NAME, origin, log, copyReads);
  const { schemaVersion } = SPEC;
  const copy: CopyOptions = {
    name: NAME,
    origin: main.origin,
    schemaVersion,
    staleAfterMs: STALE_AFTER_MS,
    maxAgeMs: main.origin === 'live' ? MAX_AGE_MS : undefined,
    store,
    now,
    log,
  };
  const earlier = address(EARLIER_SETTING);
  let known: string | null = null;
  /** True while the file of an earlier year, if there is one, is not before the version that answers. */
  let isEarlierMissing = false;
  /** The last sync of the publisher's file that succeeded, and its epoch ms. */
  let published: { readonly at: number; readonly version: ListVersion } | null = null;

  async function syncFrom(spec: typeof SPEC, from: Address, force: boolean, signal: AbortSignal): Promise<SyncResult> {
    const run = { spec, address: from, headers: {}, now, tempDir, label, force, signal, log };
    const work = () => store.exclusively((load, own) => syncFromPublisher({ ...run, store: own }, load), signal);
    const result = await syncCopy(copy, work, signal);
    if ('version' in result) known = result.version.id;
    return result;
  }

  /** Syncs the publisher's file, unless this sync only repeats a failed one of the earlier file. */
  async function syncPublished(force: boolean, signal: AbortSignal): Promise<SyncResult> {
    if (isEarlierMissing && published && now() - published.at < EARLIER_ALONE_MS && !force)
      return { outcome: 'unchanged', version: published.version };
    const result = await syncFrom(SPEC, main, force, signal);
    if ('version' in result) published = { at: now(), version: result.version };
    return result;
  }

  /** Puts the earlier file before the version that answers, if none is there. Returns false if it is still missing. */
  async function syncEarlier(force: boolean, signal: AbortSignal): Promise<boolean> {
    const run = { spec: EARLIER_SPEC, address: earlier, headers: {}, now, tempDir, label, force, signal, log, store: STATE_BEFORE };
    let isNeeded = true;
    const work = () =>
      store.exclusively(async (_, own) => {
        const { version } = await own.state();
        isNeeded = version !== null && (await own.earlier.isMissing());
        return version && isNeeded ? syncFromPublisher(run, guarded(own.earlier.load, version, SPEC.guard, force)) : null;
      }, signal);
    const result = await syncCopy(copy, work, signal);
    const isThere = !isNeeded || 'version' in result;
    isEarlierMissing = !isThere;
    return isThere;
  }

  async function rolledBack(): Promise<SyncResult> {
    const isDone = await store.rollBack();
    if (isDone === null) return { outcome: 'busy' };
    const { version } = await store.state();
    if (!isDone || !version) return { outcome: 'refused', reason: 'no_previous_version' };
    known = version.id;
    log.info({ list: NAME, version }, 'the version before answers again');
    return { outcome: 'loaded', version };
  }

  return {
    name: NAME,
    everyMs: EVERY_MS,

    async compositions(ruts) {
      const { version, rows, ...facts } = await readUsable(copy, store.compositions(ruts.map(numberOfRut), known));
      return { ...facts, version, of: (rut) => toComposition(rows.get(numberOfRut(rut)) ?? [], version.rowsUnmatched > 0) };
    },

    async compositionsAsOf(queries) {
      const keys = queries.map(({ rut, asOf }) => ({ society: numberOfRut(rut), asOf }));
      const { version, rows, goodUntil } = await readUsable(copy, store.compositions([...new Set(keys.map((one) => one.society))], known));
      const since = await readUsable(copy, store.changesSince(keys, version.id));
      if (since.version.id !== version.id) throw sourceUnavailable(NAME, 'another version became current between two reads');
      return {
        version,
        goodUntil,
        found: keys.map((key, i) => compositionAsOf(key, rows.get(key.society) ?? [], version, since.found[i], isEarlierMissing)),
      };
    },

    async history(queries) {
      const pages = queries.map(({ rut, ...page }) => ({ ...page, society: numberOfRut(rut) }));
      const { found, version, ...facts } = await readUsable(copy, store.changes(pages, known));
      return { ...facts, version, pages: queries.map((query, i) => toHistory(query, found[i], version, isEarlierMissing)) };
    },

    async owned(requests) {
      const queries = requests.map(({ owner, first, after }) => {
        return { partner: numberOfRut(owner), after: after === null ? 0 : numberOfRut(after), limit: first + 1 };
      });
      const { rows, unread, ...facts } = await readUsable(copy, store.owned(queries, known));
      return { ...facts, pages: requests.map(({ first }, i) => toPage(rows[i] ?? [], first, unread)) };
    },

    async path(query) {
      const { version, goodUntil: until } = await readUsable(copy, store.links([], 1, known));
      const path = await findPath(query, async (ruts, limit) => {
        const { rows, unread, ...answer } = await readUsable(copy, store.links(ruts.map(numberOfRut), limit, version.id));
        if (answer.version.id !== version.id) throw sourceUnavailable(NAME, 'another version became current during the search');
        return { links: rows.map(toLink), unread };
      });
      return { version, goodUntil: until, path };
    },

    version: () => known,
    historyVersion: () => known && `${known}${isEarlierMissing ? ' without the earlier file' : ''}`,

    async refresh() {
      const { version } = await store.state();
      known = version?.schemaVersion === schemaVersion ? version.id : null;
      isEarlierMissing = earlier.url !== '' && known !== null && (await store.isFirst());
    },

    async sync({ force = false, rollBack = false, files, signal = NEVER } = {}) {
      if (rollBack) return rolledBack();
      const [file] = files ?? [];
      if (file !== undefined) {
        published = null;
        return syncFrom(LOCAL_SPEC, { url: pathToFileURL(file).href, origin: 'given' }, force, signal);
      }
      const result = await syncPublished(force, signal);
      if (earlier.url === '' || !('version' in result)) return result;
      return (await syncEarlier(force, signal)) ? result : { ...result, isIncomplete: true };
    },

    status: async () => statusOfCopy(copy, await store.state()),
  };
}

const toLink = ({ partner, society, share, text }: StoredOwned): OwnershipLink => ({
  owner: rutOfNumber(partner),
  owned: rutOfNumber(society),
  share,
  ...textOf(text),
});

const toPage = (rows: readonly StoredOwned[], first: number, unread: number): OwnedPage => ({
  items: rows.slice(0, first).map(({ society, share, text }) => ({ rut: rutOfNumber(society), share, ...textOf(text) })),
  hasMore: rows.length > first,
  unread,
});

import { pathToFileURL } from 'node:url';
import { sourceUnavailable } from '../../domain/errors.ts';
import { numberOfRut, rutOfNumber } from '../../domain/tax-id.ts';
import { DAY_MS } from '../../domain/time.ts';
import { type CopyOptions, fingerprint, originOf, readUsable, statusOfCopy, syncCopy } from '../registry/copy-sync.ts';
import { type SyncSpec, syncFromPublisher } from '../registry/sync.ts';
import { type Address, defineSource, type SourceDeps, type SyncResult } from '../source.ts';
import type { ClOwnership, OwnedPage, OwnershipLink } from './cl-ownership.ts';
import { toComposition } from './composition.ts';
import { findPath } from './find-path.ts';
import { compositionAsOf, toHistory } from './history.ts';
import { readCompositions, readEarlier } from './read.ts';
import type { CompositionRow } from './row.ts';
import type { CompositionSummary } from './row-counts.ts';
import { createClOwnershipStore, type StoredOwned } from './store.ts';

const NAME = 'cl_ownership';
const SETTING = 'QUIPU_CL_OWNERSHIP_URL';
const EARLIER_SETTING = 'QUIPU_CL_OWNERSHIP_EARLIER_URL';
const EVERY_MS = 7 * DAY_MS;
const STALE_AFTER_MS = 45 * DAY_MS;
const MB = 1024 ** 2;

/** The file has some 10 MB, and 100 MB unpacked. It is published once a year and requested every week. */
const SPEC: SyncSpec<readonly CompositionRow[], CompositionSummary> = {
  schemaVersion: 1,
  guard: { minRows: 1_600_000, maxRows: 3_000_000, minNamed: 180_000, maxNamed: 400_000, maxShrink: 0.1, maxGrowth: 0.5 },
  members: ['composicion_sociedades.csv'],
  isConditional: true,
  downloadLimits: { wireBytes: 100 * MB, fileBytes: 500 * MB },
  read: readCompositions,
};

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
        'Chile, the file of owners of an earlier year, which the publisher does not keep (csv or zip), with its date in its name (composicion_sociedades_2025-06-30.zip). It is loaded once, before the first file, so that the history begins with it. Empty for none.',
      optional: true,
    },
  },
  create: (deps): ClOwnership => createClOwnership(deps),
});

const NEVER = new AbortController().signal;

function createClOwnership({ address, db, copyReads, now, log, tempDir }: SourceDeps): ClOwnership {
  const published = address(SETTING);
  const origin = originOf(published);
  const label = `${NAME}-${fingerprint(origin)}`;
  const store = createClOwnershipStore(db, NAME, origin, log, copyReads);
  const { schemaVersion } = SPEC;
  const copy: CopyOptions = { name: NAME, origin: published.origin, schemaVersion, staleAfterMs: STALE_AFTER_MS, store, now, log };
  let known: string | null = null;

  async function syncFrom(from: Address, force: boolean, signal: AbortSignal, spec = SPEC): Promise<SyncResult> {
    const run = { spec, address: from, headers: {}, now, tempDir, label, force, signal, log };
    const work = () => store.exclusively((load, own) => syncFromPublisher({ ...run, store: own }, load), signal);
    const result = await syncCopy(copy, work, signal);
    if ('version' in result) known = result.version.id;
    return result;
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
        found: keys.map((key, i) => compositionAsOf(key, rows.get(key.society) ?? [], version, since.found[i])),
      };
    },

    async history(queries) {
      const pages = queries.map(({ rut, ...page }) => ({ ...page, society: numberOfRut(rut) }));
      const { found, version, ...facts } = await readUsable(copy, store.changes(pages, known));
      return { ...facts, version, pages: queries.map((query, i) => toHistory(query, found[i], version)) };
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

    async refresh() {
      const { version } = await store.state();
      known = version?.schemaVersion === schemaVersion ? version.id : null;
    },

    async sync({ force = false, rollBack = false, files, signal = NEVER } = {}) {
      if (rollBack) return rolledBack();
      const [file] = files ?? [];
      if (file !== undefined) return syncFrom({ url: pathToFileURL(file).href, origin: 'given' }, force, signal);
      const earlier = address(EARLIER_SETTING);
      if (earlier.url !== '' && (await store.state()).version === null) await syncFrom(earlier, force, signal, EARLIER_SPEC);
      return syncFrom(published, force, signal);
    },

    status: async () => statusOfCopy(copy, await store.state()),
  };
}

const toLink = ({ partner, society, share }: StoredOwned): OwnershipLink => ({
  owner: rutOfNumber(partner),
  owned: rutOfNumber(society),
  share,
});

const toPage = (rows: readonly StoredOwned[], first: number, unread: number): OwnedPage => ({
  items: rows.slice(0, first).map(({ society, share }) => ({ rut: rutOfNumber(society), share })),
  hasMore: rows.length > first,
  unread,
});

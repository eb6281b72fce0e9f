import { DAY_MS } from '../../domain/time.ts';
import { type CopyOptions, fingerprint, originOf, readUsable, statusOfCopy, syncCopy } from '../registry/copy-sync.ts';
import { type Address, type AddressSpec, defineSource, type SourceDeps } from '../source.ts';
import type { Sii } from './sii.ts';
import { createSiiStore, type SiiStore } from './store.ts';
import { syncFromPublisher } from './sync.ts';

const NAME = 'sii';
/** Increment it when the stored columns or the way they are read change: the next sync then reads the files again. */
const SCHEMA_VERSION = 3;
const EVERY_MS = 7 * DAY_MS;
const STALE_AFTER_MS = 45 * DAY_MS;
const NOMINAS = 'https://www.sii.cl/estadisticas/nominas';

const ADDRESSES = {
  QUIPU_SII_EMPRESAS_URL: {
    live: `${NOMINAS}/PUB_EMPRESAS_PJ_2020_A_2024.zip`,
    sandbox: '/sii/PUB_EMPRESAS_PJ_2020_A_2025.zip',
    description:
      'Chile, tax registry: companies per commercial year (PUB_EMPRESAS_PJ, txt or zip). If only this address is set, only this file is read.',
  },
  QUIPU_SII_NOMBRES_URL: {
    live: `${NOMINAS}/PUB_NOMBRES_PJ.zip`,
    sandbox: '/sii/PUB_NOMBRES_PJ.zip',
    description: 'Chile, tax registry: names and dates of all legal persons (PUB_NOMBRES_PJ, txt or zip). Empty for none.',
    optional: true,
  },
  QUIPU_SII_ACTIVIDADES_URL: {
    live: `${NOMINAS}/PUB_NOM_ACTECOS.zip`,
    sandbox: '/sii/PUB_NOM_ACTECOS.zip',
    description: 'Chile, tax registry: activities (PUB_NOM_ACTECOS, txt or zip). Empty for none.',
    optional: true,
  },
  QUIPU_SII_DOMICILIOS_URL: {
    live: `${NOMINAS}/PUB_NOM_DIRECCIONES.zip`,
    sandbox: '/sii/PUB_NOM_DIRECCIONES.zip',
    description: 'Chile, tax registry: addresses (PUB_NOM_DOMICILIO, txt or zip). Empty for none.',
    optional: true,
  },
} as const satisfies Record<string, AddressSpec>;

/** The Chilean tax registry's public files, fetched weekly and merged into one row per company. */
export const sii = defineSource({
  name: NAME,
  attribution: 'Servicio de Impuestos Internos de Chile, nóminas de personas jurídicas (public data).',
  addresses: ADDRESSES,
  create: (deps): Sii => createSii(deps),
});

const NEVER = new AbortController().signal;

function createSii({ address, db, copyReads, now, random, log, tempDir }: SourceDeps): Sii {
  const main = address('QUIPU_SII_EMPRESAS_URL');
  const addresses = filesOf(main, (Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[]).map(address));
  const origin = originOf(main);
  const label = `${NAME}-${fingerprint(origin)}`;
  const store = createSiiStore(db, NAME, origin, log, copyReads);
  const copy: CopyOptions = {
    name: NAME,
    origin: main.origin,
    schemaVersion: SCHEMA_VERSION,
    staleAfterMs: STALE_AFTER_MS,
    store,
    now,
    log,
  };
  let currentVersionId: string | null = null;

  return {
    name: NAME,
    everyMs: EVERY_MS,

    companies: (ruts) => readUsable(copy, store.find(ruts, currentVersionId)),
    search: (search) => readUsable(copy, store.searchNames(search)),

    version: () => currentVersionId,

    async refresh() {
      const { version } = await store.state();
      currentVersionId = version?.schemaVersion === SCHEMA_VERSION ? version.id : null;
    },

    async sync({ force = false, files, signal = NEVER, onProgress = () => undefined } = {}) {
      const isDefaultAddress = main.origin === 'live' && !files;
      const run = {
        addresses,
        files: files ?? null,
        isDefaultAddress,
        isSandbox: main.origin === 'sandbox',
        schemaVersion: SCHEMA_VERSION,
        now,
        random,
        tempDir,
        label,
        force,
        signal,
        onProgress,
        log,
      };
      const work = () => store.exclusively((load, own) => syncFromPublisher({ ...run, store: own }, load), signal);
      const result = await syncCopy(copy, work, signal);
      if (!('version' in result)) return result;
      currentVersionId = result.version.id;
      onProgress({ step: 'names', rows: 0, share: null });
      await indexNames(store, log, signal);
      return result;
    },

    status: async () => statusOfCopy(copy, await store.state()),
  };
}

/** Indexes the names of the current version. A failure is only logged, because the previous index answers searches. */
async function indexNames(store: SiiStore, log: SourceDeps['log'], signal: AbortSignal): Promise<void> {
  await store.indexNames(signal).catch((error: Error) => {
    if (!signal.aborted) log.warn({ list: NAME, why: error.message }, 'names not indexed; the previous index answers searches');
  });
}

/**
 * URLs to fetch. When the operator sets the address of the nómina, the default addresses of the other files are left out: files of
 * different publications do not match.
 */
const filesOf = (main: Address, all: readonly Address[]): readonly string[] =>
  all.filter(({ url, origin }) => url !== '' && (origin === 'given' || main.origin !== 'given')).map(({ url }) => url);

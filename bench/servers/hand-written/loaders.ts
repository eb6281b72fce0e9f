import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { DebarmentEntry } from '../../../src/modules/debarment/sources/entry.ts';
import type { LaborEntry } from '../../../src/modules/labor/source.ts';
import type { SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import type { ReceitaCompany } from '../../../src/sources/receita-federal/company.ts';
import type { ListEntry, RegistrySource } from '../../../src/sources/registry/registry.ts';
import { built } from '../../harness/built.ts';

/**
 * Baseline: hand-written loaders for the compliance query, without key, limits and usage. Each source has a DataLoader and an LRU cache
 * behind it. They read the sources of the Quipu that runs on QUIPU_DATA_DIR, through the readers of the build.
 */
const { createLog } = await built<typeof import('../../../src/app/log.ts')>('src/app/log');
const { openDatabase } = await built<typeof import('../../../src/app/database.ts')>('src/app/database');
const { withKeySecret } = await built<typeof import('../../../src/app/data-folder.ts')>('src/app/data-folder');
const { sourcesOf } = await built<typeof import('../../../src/app/sources.ts')>('src/app/sources');
const { processConfig } = await built<typeof import('../../../src/config.ts')>('src/config');
const { attachOrStart } = await built<typeof import('../../../src/db/embedded.ts')>('src/db/embedded');
const { debarmentSources } = await built<typeof import('../../../src/modules/debarment/source.ts')>('src/modules/debarment/source');
const { trabalhoEscravo } = await built<typeof import('../../../src/modules/labor/source.ts')>('src/modules/labor/source');
const { sanctionsSources } = await built<typeof import('../../../src/modules/sanctions/sources/lists.ts')>(
  'src/modules/sanctions/sources/lists',
);
const { findSandbox } = await built<typeof import('../../../sandbox/server/address.ts')>('sandbox/server/address');
const { receitaFederal } = await built<typeof import('../../../src/sources/receita-federal/receita-federal.ts')>(
  'src/sources/receita-federal/receita-federal',
);

/** Configuration of the environment, including host and port. */
export const config = await withKeySecret(processConfig());
const log = createLog({ logLevel: 'warn' });
const { db } = await openDatabase(config, log, (dataDir) => attachOrStart(dataDir, { log }));
const sandbox = await findSandbox(config.dataDir);
if (sandbox === null) throw new Error(`no simulator runs on ${config.dataDir}`);
const sources = sourcesOf(config, { db, log, now: Date.now, random: Math.random, sandbox });
await Promise.all(sources.copies.map((copy) => copy.refresh()));

/** Time for which answers of a source are cached. */
export const TTL_MS = 6 * 3_600_000;

/** An answer of a source. `fetchedAt` is epoch ms. */
export interface Kept<V> {
  readonly value: V;
  readonly dataAsOf: string | null;
  readonly fetchedAt: number;
}

/** Creates a cache for the process, and a DataLoader over it for each request. */
function cached<V>(fetchAll: (cnpjs: readonly string[]) => Promise<readonly Omit<Kept<V>, 'fetchedAt'>[]>) {
  const cache = new LRUCache<string, Kept<V>>({ max: 50_000, ttl: TTL_MS });
  return () =>
    new DataLoader<string, Kept<V>>(async (cnpjs) => {
      const missing = cnpjs.filter((cnpj) => !cache.has(cnpj));
      const fetched = missing.length > 0 ? await fetchAll(missing) : [];
      for (const [i, found] of fetched.entries()) cache.set(missing[i] ?? '', { ...found, fetchedAt: Date.now() });
      return cnpjs.map((cnpj) => cache.get(cnpj) ?? new Error(`${cnpj} is not in the cache`));
    });
}

export const rootOf = (cnpj: string): string => cnpj.slice(0, 8);

const cachedList = <R>(list: RegistrySource<R>) =>
  cached(async (cnpjs) => {
    const { version, entries } = await sources.use(list).lookup(cnpjs.map((cnpj) => `BR:${rootOf(cnpj)}`));
    return cnpjs.map((cnpj) => ({
      value: { version, entries: entries.get(`BR:${rootOf(cnpj)}`) ?? ([] as readonly ListEntry<R>[]) },
      dataAsOf: version.publishedOn,
    }));
  });

const companyCache = cached<ReceitaCompany | null>((cnpjs) =>
  Promise.all(cnpjs.map((cnpj) => sources.use(receitaFederal).datedCompany(cnpj))),
);
const sanctionsCaches = sanctionsSources.map((list) => ({ name: list.spec.name, loader: cachedList<SanctionsEntry>(list) }));
const debarmentCaches = debarmentSources.map((list) => ({ name: list.spec.name, loader: cachedList<DebarmentEntry>(list) }));
const laborCache = cachedList<LaborEntry>(trabalhoEscravo);

/** The DataLoaders of one request. */
export interface Context {
  readonly company: ReturnType<typeof companyCache>;
  readonly sanctions: readonly { readonly name: string; readonly loader: ReturnType<(typeof sanctionsCaches)[number]['loader']> }[];
  readonly debarment: readonly { readonly name: string; readonly loader: ReturnType<(typeof debarmentCaches)[number]['loader']> }[];
  readonly labor: ReturnType<typeof laborCache>;
}

export const createContext = async (): Promise<Context> => ({
  company: companyCache(),
  sanctions: sanctionsCaches.map(({ name, loader }) => ({ name, loader: loader() })),
  debarment: debarmentCaches.map(({ name, loader }) => ({ name, loader: loader() })),
  labor: laborCache(),
});

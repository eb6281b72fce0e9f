import type { FaultMode } from '../../sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { modules } from '../../src/modules/index.ts';
import { type TestApp, testApp } from './app.ts';
import { testDb } from './db.ts';
import { memoryLog } from './log.ts';

/** Fault mode by source name. A fault of `receita_federal` applies to both its mirrors, unless `opencnpj` is given, too. */
export type UpstreamFaults = Readonly<Partial<Record<string, FaultMode>>>;

const ofMirrors = (breakage: UpstreamFaults): UpstreamFaults =>
  breakage.receita_federal ? { opencnpj: breakage.receita_federal, ...breakage } : breakage;

/** Sources that fail independently, with the checks that use them. kyb and owners read the same record. */
export const GROUPS = [
  { source: 'receita_federal', checks: ['kyb', 'owners'] },
  { source: 'OFAC_SDN', checks: ['sanctions'] },
  { source: 'CEIS', checks: ['debarment'] },
  { source: 'TRABALHO_ESCRAVO', checks: ['labor'] },
] as const;

export type FaultyApp = TestApp & { readonly upstreams: Sandbox };

/** Starts a service in live mode whose URL settings all point at a separate simulator. Some of its upstreams are broken from the start. */
export async function appWithFaults(breakage: UpstreamFaults, listsTried = true): Promise<FaultyApp> {
  const upstreams = await brokenSandbox(breakage);
  const app = await testApp({ env: { QUIPU_SOURCES: 'live', ...addressesOn(upstreams.url), ...sandboxSettings() }, listsTried });
  return withUpstreams(app, upstreams);
}

/** Services over one database, for the cases of one file. */
export interface LoadedCopies {
  /**
   * Starts a service like `appWithFaults`, in less than half the time. Only the broken upstreams have a separate simulator, at another
   * address, so that no list from them was ever loaded. The others are shared, and their copies are in the database already.
   */
  appWithFaults(breakage: UpstreamFaults, listsTried?: boolean): Promise<FaultyApp>;
  close(): Promise<void>;
}

/** Loads every copy once, from a simulator without faults. */
export async function loadedCopies(): Promise<LoadedCopies> {
  const db = await testDb();
  const shared = await brokenSandbox({});
  const start = (addresses: Readonly<Record<string, string>>, listsTried: boolean) =>
    testApp({ db, env: { QUIPU_SOURCES: 'live', ...addressesOn(shared.url), ...addresses, ...sandboxSettings() }, listsTried });
  await (await start({}, true)).close();
  let cases = 0;
  return {
    async appWithFaults(breakage, listsTried = true) {
      cases += 1;
      const upstreams = await brokenSandbox(breakage);
      const broken = Object.keys(ofMirrors(breakage)).map((source) => source.toLowerCase());
      const own = Object.entries(addressesOn(upstreams.url, `?case=${cases}`)).filter(([, address]) =>
        broken.includes(new URL(address).pathname.split('/')[1] ?? ''),
      );
      return withUpstreams(await start(Object.fromEntries(own), listsTried), upstreams);
    },
    async close() {
      await shared.close();
      await db.close();
    },
  };
}

async function brokenSandbox(breakage: UpstreamFaults): Promise<Sandbox> {
  const upstreams = await startSandbox({ simulators, log: memoryLog().log });
  for (const [source, mode] of Object.entries(ofMirrors(breakage))) if (mode) upstreams.faults.set(source, { mode });
  return upstreams;
}

const withUpstreams = (app: TestApp, upstreams: Sandbox): FaultyApp => ({
  ...app,
  upstreams,
  async close() {
    await app.close();
    await upstreams.close();
  },
});

/** Returns all URL settings, pointed at a simulator. `query` is added to the addresses of files, which makes them another origin. */
export const addressesOn = (url: string, query = ''): Record<string, string> =>
  Object.fromEntries(
    modules.flatMap(({ sources }) =>
      sources.flatMap(({ addresses }) =>
        Object.entries(addresses).map(([name, { sandbox, base }]) => [name, url + sandbox + (base ? '' : query)]),
      ),
    ),
  );

/**
 * Returns all other settings with a sandbox value, for example the ticket of its procurement API, but those that the sandbox replaces only
 * where no address is given.
 */
export const sandboxSettings = (): Record<string, string> =>
  Object.fromEntries(
    modules.flatMap(({ sources }) =>
      sources.flatMap(({ settings = {} }) =>
        Object.entries(settings).flatMap(([name, { sandbox, sandboxUnless }]) => (sandbox && !sandboxUnless ? [[name, sandbox]] : [])),
      ),
    ),
  );

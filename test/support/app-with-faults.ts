import { modules } from '../../src/modules/index.ts';
import type { FaultMode } from '../../src/sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server/server.ts';
import { simulators } from '../../src/sandbox/upstreams/index.ts';
import { type TestApp, testApp } from './app.ts';
import { memoryLog } from './log.ts';

/** Fault mode by source name. */
export type UpstreamFaults = Readonly<Partial<Record<string, FaultMode>>>;

/** Sources that fail independently, with the checks that use them. kyb and owners read the same record. */
export const GROUPS = [
  { source: 'receita_federal', checks: ['kyb', 'owners'] },
  { source: 'OFAC_SDN', checks: ['sanctions'] },
  { source: 'CEIS', checks: ['debarment'] },
  { source: 'TRABALHO_ESCRAVO', checks: ['labor'] },
] as const;

/** A service in live mode whose every URL setting points at a simulator of its own, some of whose upstreams are broken from the start. */
export async function appWithFaults(breakage: UpstreamFaults, listsTried = true): Promise<TestApp & { readonly upstreams: Sandbox }> {
  const upstreams = await startSandbox({ simulators, log: memoryLog().log });
  for (const [source, mode] of Object.entries(breakage)) if (mode) upstreams.faults.set(source, { mode });
  const app = await testApp({ env: { QUIPU_SOURCES: 'live', ...addressesOn(upstreams.url), ...sandboxSettings() }, listsTried });
  return {
    ...app,
    upstreams,
    async close() {
      await app.close();
      await upstreams.close();
    },
  };
}

/** All URL settings, pointed at a simulator. */
export const addressesOn = (url: string): Record<string, string> =>
  Object.fromEntries(
    modules.flatMap(({ sources }) =>
      sources.flatMap(({ addresses }) => Object.entries(addresses).map(([name, { sandbox }]) => [name, url + sandbox])),
    ),
  );

/** All other settings with a sandbox value, for example the ticket of its procurement API. */
export const sandboxSettings = (): Record<string, string> =>
  Object.fromEntries(
    modules.flatMap(({ sources }) =>
      sources.flatMap(({ settings = {} }) => Object.entries(settings).flatMap(([name, { sandbox }]) => (sandbox ? [[name, sandbox]] : []))),
    ),
  );

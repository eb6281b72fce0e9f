import { modules } from '../../src/modules/index.ts';
import type { FaultMode } from '../../src/sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server/server.ts';
import { simulators } from '../../src/sandbox/upstreams/index.ts';
import { type TestApp, testApp } from './app.ts';
import { quietLog } from './log.ts';

/** Which upstreams are broken, and how. */
export type Breakage = Readonly<Partial<Record<string, FaultMode>>>;

/** Sources that can fail by themselves, with the checks they feed. kyb and owners are two readings of one record. */
export const GROUPS = [
  { source: 'receita_federal', checks: ['kyb', 'owners'] },
  { source: 'OFAC_SDN', checks: ['sanctions'] },
  { source: 'CEIS', checks: ['debarment'] },
  { source: 'TRABALHO_ESCRAVO', checks: ['labor'] },
] as const;

/** A service in live mode whose every URL setting points at a simulator of its own, some of whose upstreams are broken from the start. */
export async function brokenApp(breakage: Breakage, listsTried = true): Promise<TestApp & { readonly upstreams: Sandbox }> {
  const upstreams = await startSandbox({ simulators, log: quietLog().log });
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

/** Every URL setting, on a simulator. */
export const addressesOn = (url: string): Record<string, string> =>
  Object.fromEntries(
    modules.flatMap(({ sources }) =>
      sources.flatMap(({ addresses }) => Object.entries(addresses).map(([name, { sandbox }]) => [name, url + sandbox])),
    ),
  );

/** Every other setting that the sandbox has its own value of, e.g. the ticket that its procurement API takes. */
export const sandboxSettings = (): Record<string, string> =>
  Object.fromEntries(
    modules.flatMap(({ sources }) =>
      sources.flatMap(({ settings = {} }) => Object.entries(settings).flatMap(([name, { sandbox }]) => (sandbox ? [[name, sandbox]] : []))),
    ),
  );

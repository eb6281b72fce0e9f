import { onTestFinished, vi } from 'vitest';
import type { FaultMode } from '../../../sandbox/server/faults.ts';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { siiSimulator } from '../../../sandbox/upstreams/sii.ts';
import { taxDebtorsSimulator } from '../../../sandbox/upstreams/tax-debtors.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { Answer } from '../../../src/domain/answer.ts';
import type { CompanyKey } from '../../../src/domain/company.ts';
import { createLoaders, type Loader } from '../../../src/loaders/loader.ts';
import type { TaxHealth } from '../../../src/modules/tax-health/domain.ts';
import { taxHealthLoader } from '../../../src/modules/tax-health/loader.ts';
import { taxDebtors } from '../../../src/modules/tax-health/source.ts';
import { buildSources } from '../../../src/sources/build.ts';
import { sii } from '../../../src/sources/sii/source.ts';
import type { AddressSpec, SourceDeps } from '../../../src/sources/source.ts';
import { type TestApp, type TestAppOptions, testApp } from '../../support/app.ts';
import { testDb } from '../../support/db.ts';
import { tempFolder } from '../../support/files.ts';
import { memoryLog } from '../../support/log.ts';

export interface ChileOptions {
  readonly now?: () => number;
  /** Failure of the list of debtors from the start. */
  readonly fault?: FaultMode;
  /** Addresses in place of the sandbox's, by setting; empty for none. */
  readonly given?: Readonly<Record<string, string>>;
}

/** Starts the Chilean tax registry and a list of debtors, both synced once, with their loaders. */
export async function chile({ now = Date.now, fault, given = {} }: ChileOptions = {}) {
  const sandbox = await startSandbox({ simulators: [siiSimulator, taxDebtorsSimulator], now });
  if (fault) sandbox.faults.set('TAX_DEBTORS_CL', { mode: fault });
  const { knex: db, close } = await testDb();
  const { log, lines } = memoryLog();
  const specs: Readonly<Record<string, AddressSpec>> = { ...sii.addresses, ...taxDebtors.addresses };
  const address: SourceDeps['address'] = (setting) => {
    const url = given[setting];
    return url === undefined ? { url: sandbox.url + specs[setting]?.sandbox, origin: 'sandbox' } : { url, origin: 'given' };
  };
  const tempDir = await tempFolder();
  const deps: Partial<SourceDeps> = { address, db, now, random: () => 0, log, tempDir };
  const sources = buildSources([sii, taxDebtors], () => deps as SourceDeps);
  onTestFinished(async () => {
    await close();
    await sandbox.close();
  });
  for (const copy of sources.copies) await copy.sync();
  const loaders = createLoaders(sources.use, now);
  const ask = async <V>(loader: Loader<CompanyKey, V>, taxId: string): Promise<Answer<V>> =>
    loaders.scope()(loader, { country: 'CL', taxId });
  return {
    sandbox,
    sources,
    lines,
    list: sources.use(taxDebtors),
    ask,
    taxHealth: async (scenario: string): Promise<TaxHealth> => (await ask(taxHealthLoader, chileanByScenario(scenario).rut)).value,
  };
}

/** Starts the whole service and waits until the Chilean registry, the file of owners and the list of debtors answer; the start itself waits 30 s at most. */
export async function appWithChile(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await testApp(options);
  const areSeen = async () => {
    const report = await app.sources.report();
    return report.every(({ name, usable, off }) => usable || off || !['sii', 'cl_ownership', 'TAX_DEBTORS_CL'].includes(name));
  };
  await vi.waitUntil(areSeen, { timeout: 60_000, interval: 100 });
  return app;
}

import { expect, onTestFinished } from 'vitest';
import { FAULT_MODES, type FaultMode } from '../../../sandbox/server/faults.ts';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { minhaReceitaJson } from '../../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { jsonReply } from '../../../sandbox/upstreams/simulator.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { testDb } from '../../support/db.ts';
import { memoryLog } from '../../support/log.ts';
import { node } from './registry.ts';
import { changeLog, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
/** Brazilian companies that a process checks at once. */
const BATCH_SIZE = 64;

/** Starts a sandbox whose registry has every requested company. Companies in `closed` have the status closed. */
async function crowdedSandbox(closed: ReadonlySet<string>) {
  const like = companyByScenario('clean');
  const sandbox = await startSandbox({
    simulators: [
      {
        name: 'receita_federal',
        handle({ path }) {
          const cnpj = path.slice(1);
          const company = { ...like, cnpj, ...(closed.has(cnpj) && { status: 8 as const }) };
          return jsonReply(200, minhaReceitaJson(company), 'situacao_cadastral');
        },
      },
    ],
    log: memoryLog().log,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** LASTING faults end at the deadline of the request. READABLE faults still give a readable answer. */
const LASTING = ['hung', 'silent_after_headers', 'drip', 'endless_body'] as const satisfies readonly FaultMode[];
const READABLE = ['slow', 'wrong_charset'] as const satisfies readonly FaultMode[];
const QUICK = FAULT_MODES.filter((mode) => ![...LASTING, ...READABLE].some((one) => one === mode));

export interface Outages {
  readonly companies: number;
  /** Number of checks under each fault. */
  readonly windows: number;
}

/**
 * Checks watched companies under every fault mode of the registry while some of them really change. Expects no event until the
 * registry recovers, and then exactly the real changes. Lasting faults run at the same time, each on its own database.
 */
export const playOutages = (outages: Outages): Promise<unknown> =>
  Promise.all([QUICK, ...LASTING.map((mode) => [mode])].map((modes) => play(modes, outages)));

async function play(modes: readonly FaultMode[], { companies, windows }: Outages): Promise<void> {
  const db = await testDb();
  onTestFinished(() => db.close());
  const closed = new Set<string>();
  const sandbox = await crowdedSandbox(closed);
  let now = Date.parse('2026-11-21T00:00:00Z');
  const snapshots = () => db.knex('watched_companies').select('tax_id', 'snapshot', 'checked_at').orderBy('tax_id');
  /**
   * Runs each check in new processes: a process sends no request for half a minute of real time after the registry failed, and leaves the
   * other companies due after a batch without an answer.
   */
  const checkAll = async () => {
    now += 7 * HOUR_MS;
    for (let checked = 0; checked < companies; checked += BATCH_SIZE) {
      const { open } = node({ db: db.knex, registry: { url: `${sandbox.url}/receita_federal` }, now: () => now });
      await open(monitorService).checks.check('BR', NEVER);
    }
  };
  const all = companiesOf(companies);
  await watch(db.knex, all, { now });
  await checkAll();
  const before = await snapshots();
  // Of 500 companies 9 change: 10 that happen to be checked one after another would be held as a mass change.
  const changed = all.filter((_, n) => n % 61 === 4).map(({ taxId }) => taxId);
  for (const taxId of changed) closed.add(taxId);

  for (const mode of modes) {
    sandbox.faults.set('receita_federal', { mode });
    for (let window = 0; window < windows; window += 1) await checkAll();
    expect([mode, await changeLog(db.knex)]).toEqual([mode, []]);
    expect(await snapshots()).toEqual(before);
  }
  expect(await db.knex('watched_companies').where({ failures: windows * modes.length })).toHaveLength(companies);

  for (const mode of READABLE) {
    sandbox.faults.set('receita_federal', { mode, ms: 100 });
    await checkAll();
  }
  sandbox.faults.clear();
  await checkAll();
  const published = (await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, ...fields]);
  expect(published.toSorted()).toEqual(changed.toSorted().map((taxId) => [taxId, { field: 'status', from: 'active', to: 'inactive' }]));
}

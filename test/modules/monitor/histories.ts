import fc from 'fast-check';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import type { Checks } from '../../../src/modules/monitor/service/checks.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { cancelMonitor } from '../../../src/modules/monitor/store/monitors.ts';
import { node, type Said, type TestRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

/** Runs random histories of a few companies against the checks and against a model that shares no code with them. */

const COMPANIES = 4;
const NEVER = new AbortController().signal;

type Step =
  | { readonly do: 'change'; readonly company: number; readonly to: Said }
  | { readonly do: 'watch'; readonly companies: readonly number[] }
  | { readonly do: 'cancel'; readonly nth: number }
  | { readonly do: 'checkAll'; readonly processes: number }
  | { readonly do: 'outage' }
  | { readonly do: 'restart' };

const said: fc.Arbitrary<Said> = fc.record({
  active: fc.boolean(),
  porte: fc.constantFrom('MICRO EMPRESA', 'DEMAIS'),
  activity: fc.constantFrom('Padaria', 'Sapataria', 'Oficina'),
});
const company = fc.integer({ min: 0, max: COMPANIES - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), company, to: said }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('watch' as const), companies: fc.uniqueArray(company, { minLength: 1, maxLength: COMPANIES }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), nth: fc.nat({ max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('checkAll' as const), processes: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** An event of the checks or of the model: monitor, company, changed values. */
type Event = readonly [monitor: number, company: number, ...changes: string[]];

/** Computes the expected events. */
class Model {
  readonly events: Event[] = [];
  readonly #world = new Map<number, string>();
  readonly #known = new Map<number, string>();
  readonly #monitors: { readonly companies: readonly number[]; active: boolean }[] = [];

  static words({ active = true, porte = 'MICRO EMPRESA', activity = 'Padaria' }: Said): string {
    return [active ? 'active' : 'inactive', porte === 'DEMAIS' ? 'large' : 'small', activity].join();
  }

  change(company: number, to: Said): void {
    this.#world.set(company, Model.words(to));
  }

  watch(companies: readonly number[]): void {
    this.#monitors.push({ companies, active: true });
  }

  cancel(monitor: number): void {
    const one = this.#monitors[monitor];
    if (one) one.active = false;
    for (const company of this.#known.keys()) if (this.#watchers(company).length === 0) this.#known.delete(company);
  }

  /** Checks every watched company. */
  checkAll(): void {
    for (let company = 0; company < COMPANIES; company += 1) {
      const watchers = this.#watchers(company);
      if (watchers.length === 0) continue;
      const now = (this.#world.get(company) ?? Model.words({})).split(',');
      const before = this.#known.get(company)?.split(',') ?? now;
      const changes = now.flatMap((value, i) => (value === before[i] ? [] : [`${before[i]}→${value}`]));
      if (changes.length > 0) this.events.push(...watchers.map((monitor): Event => [monitor, company, ...changes]));
      this.#known.set(company, now.join());
    }
  }

  active(): readonly number[] {
    return this.#monitors.flatMap(({ active }, n) => (active ? [n] : []));
  }

  #watchers(company: number): readonly number[] {
    return this.active().filter((n) => this.#monitors[n]?.companies.includes(company));
  }
}

/** Runs one history against both and compares their events. */
async function play(steps: readonly Step[], db: Knex, registry: TestRegistry): Promise<void> {
  await deleteMonitors(db);
  registry.says.clear();
  registry.reply = null;
  let now = Date.parse('2026-11-21T00:00:00Z');
  const start = (): readonly Checks[] => [1, 2].map(() => node({ db, registry, now: () => now }).open(monitorService).checks);
  const model = new Model();
  const monitors: string[] = [];
  let processes = start();

  /** Checks until no company has a failure left: a company whose check failed is retried after a delay. */
  const checkAll = async (count: number) => {
    now += 7 * HOUR_MS;
    await Promise.all(processes.slice(0, count).map((one) => one.check('BR', NEVER)));
    for (let tries = 0; tries < 40 && (await db('watched_companies').where('failures', '>', 0).first()); tries += 1) {
      now += 31 * MINUTE_MS;
      await processes[0]?.check('BR', NEVER);
    }
    model.checkAll();
  };

  const plays: { readonly [kind in Step['do']]: (step: Extract<Step, { do: kind }>) => Promise<void> | void } = {
    change({ company, to }) {
      registry.says.set(cnpj(company), to);
      model.change(company, to);
    },
    async watch({ companies }) {
      const all = companiesOf(COMPANIES);
      monitors.push(
        await watch(
          db,
          companies.flatMap((n) => all[n] ?? []),
          { now },
        ),
      );
      model.watch(companies);
    },
    async cancel({ nth }) {
      const one = model.active()[nth];
      if (one === undefined) return;
      const id = monitors[one] ?? '';
      const { key_id: keyId } = await db('monitors').where({ id }).first();
      await db.transaction((trx) => cancelMonitor(trx, { id, keyId }, now));
      model.cancel(one);
    },
    checkAll: ({ processes: count }) => checkAll(count),
    async outage() {
      registry.reply = () => ({ status: 200, body: {} });
      now += 7 * HOUR_MS;
      await processes[0]?.check('BR', NEVER);
      registry.reply = null;
    },
    restart() {
      processes = start();
    },
  };
  for (const one of [...steps, { do: 'checkAll', processes: 2 } as const]) await plays[one.do](one as never);

  const log = await changeLog(db);
  const published = log.map(
    ({ monitorId, company, fields }): Event => [
      monitors.indexOf(monitorId),
      companiesOf(COMPANIES).findIndex(({ taxId }) => taxId === company.taxId),
      ...fields.map(({ from, to }) => `${from}→${to}`),
    ],
  );
  expect(published.map(String).toSorted()).toEqual(model.events.map(String).toSorted());
  expect(await db('deliveries')).toHaveLength(log.length);
}

/** Runs `count` random histories. */
export const playHistories = (count: number, db: Knex, registry: TestRegistry): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) => play(steps, db, registry)),
    { numRuns: count, endOnFailure: true },
  );

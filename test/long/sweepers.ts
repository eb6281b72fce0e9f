import { answer } from '../modules/monitor/registry.ts';
import { companiesOf, watch } from '../modules/monitor/support.ts';
import { OWN } from '../support/own-numbers.ts';
import { until } from '../support/until.ts';
import { upstream } from '../support/upstream.ts';
import { startService } from './load/service.ts';

export const COMPANIES = OWN['MO-03'].companies;
/** Time of an answer of the registry: a sweep of three processes takes a few seconds. */
export const ANSWER_MS = 300;

/** Processes that check the same companies at one registry, which tells them apart. */
export async function startSweepers(count: number) {
  const state = {
    activity: 'Padaria 0',
    /** CNPJs in the order of their lookups. */
    lookups: [] as string[],
    /** Lookups under way of each CNPJ, and the most of one CNPJ so far. */
    underWay: new Map<string, number>(),
    mostAtOnce: 0,
    /** Lookups under way of each process. */
    ofProcess: new Map<number, number>(),
  };
  const add = <K>(counts: Map<K, number>, key: K, change: number) => counts.set(key, (counts.get(key) ?? 0) + change);
  const registry = await upstream((path) => (_, response) => {
    const [, number, cnpj = ''] = path.split('/');
    if (cnpj === 'updated') return response.writeHead(404).end(); // it does not date its copy
    const count = (change: number) => {
      add(state.underWay, cnpj, change);
      add(state.ofProcess, Number(number), change);
    };
    count(1);
    response.on('close', () => count(-1));
    state.lookups.push(cnpj);
    state.mostAtOnce = Math.max(state.mostAtOnce, state.underWay.get(cnpj) ?? 0);
    const body = JSON.stringify(answer(cnpj, { activity: state.activity }));
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), ANSWER_MS);
  });
  const service = await startService({ processes: 0, env: { QUIPU_ROLES: 'server,worker', QUIPU_MONITOR_GUARD_MIN: '100000' } });
  const { db } = service;
  const start = (number: number) => service.startProcess({ QUIPU_RECEITA_URL: `${registry.url}/${number}` });
  const processes = await Promise.all(Array.from({ length: count }, (_, number) => start(number)));
  await watch(db, companiesOf(COMPANIES));
  const rows = () => db('watched_companies').orderBy('tax_id');
  const areChecked = async (since: Date): Promise<boolean> =>
    (await db('watched_companies')
      .where((row) => row.whereNull('checked_at').orWhere('checked_at', '<', since).orWhereNotNull('lease'))
      .first()) === undefined;
  await until(() => areChecked(new Date(0)));
  return {
    db,
    state,
    processes,
    start,
    rows,
    /** Makes all companies due. Settles with the time. */
    async startSweep(): Promise<Date> {
      const now = new Date();
      state.lookups = [];
      await db('watched_companies').update({ due_at: now });
      return now;
    },
    areChecked,
  };
}

/** A process that waits for an answer of the registry, if there is one beside `others`. */
export const checking = (underWay: ReadonlyMap<number, number>, others: ReadonlySet<number>): number | undefined =>
  [...underWay].find(([number, count]) => count > 0 && !others.has(number))?.[0];

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import { isFull, isQuick, rounds } from '../../support/rounds.ts';
import { type Measured, measure, startService } from './service.ts';

const CONNECTIONS = 50;
const SECONDS = rounds(60);
const WARM_UP_S = Math.max(1, rounds(5));

const cnpj = companies[0]?.cnpj ?? '';
const READ = { query: `{ company(identifier: "${cnpj}") { kyb { companyName status foundedYear } } }` };

/** Sends the same request to all processes at once; returns the sum of their rates, and the worst p99. */
async function loadOf(processes: number, path: string, body: object) {
  const service = await startService({ processes });
  const { key } = await service.newKey();
  const each = (seconds: number) =>
    Promise.all(service.processes.map(({ url }) => measure({ url: url + path, key, body, connections: CONNECTIONS / processes, seconds })));
  await each(WARM_UP_S);
  const counted = async () => {
    await sleep(2_000); // each process drains its usage
    return service.db('usage_events').sum('quantity as n').first<{ n: string }>();
  };
  const before = Number((await counted())?.n);
  const all = await each(SECONDS);
  const measured: Measured = {
    perSecond: all.reduce((sum, one) => sum + one.perSecond, 0),
    p99Ms: Math.max(...all.map(({ p99Ms }) => p99Ms)),
    failures: all.reduce((sum, one) => sum + one.failures, 0),
  };
  console.log(`${path}, ${processes} process(es): ${JSON.stringify(measured)}`);
  return { ...measured, usage: Number((await counted())?.n) - before };
}

// A quick run asserts no rates: two processes show what one does.
describe.each(isQuick ? [2] : [1, 2])('LD-01 on two cores, with %i process(es) of the service', (processes) => {
  it('cached GraphQL reads of a company are all answered; in a full run 2,000 per second, p99 at most 100 ms', async () => {
    const { failures, perSecond, p99Ms } = await loadOf(processes, '/graphql', READ);
    expect(failures).toBe(0);
    if (!isFull) return;
    expect(perSecond).toBeGreaterThanOrEqual(2_000);
    expect(p99Ms).toBeLessThanOrEqual(100);
  });

  it('cached consolidated checks are all answered and counted; in a full run 1,000 per second, p99 at most 150 ms', async () => {
    const { failures, perSecond, p99Ms, usage } = await loadOf(processes, '/v1/compliance-br', { cnpj });
    expect(failures).toBe(0);
    expect(usage).toBeGreaterThanOrEqual(Math.round(perSecond * SECONDS));
    if (!isFull) return;
    expect(perSecond).toBeGreaterThanOrEqual(1_000);
    expect(p99Ms).toBeLessThanOrEqual(150);
  });
});

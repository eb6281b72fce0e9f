import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { GROUPS, type LoadedCopies, loadedCopies } from '../support/app-with-faults.ts';
import { rounds } from '../support/rounds.ts';

const KINDS = ['down', 'malformed', 'rate_limited', 'html_200', 'truncated', 'status_500'] as const;
const SCENARIOS = [
  ['sanctioned', 'sanctions', 'high'],
  ['labor-listed', 'labor', 'high'],
  ['debarred-ceis', 'debarment', 'medium'],
  ['status-unfit', 'kyb', 'medium'],
  ['clean', '', 'low'],
] as const;
const all = KINDS.flatMap((kind) =>
  Array.from({ length: 2 ** GROUPS.length }, (_, bits) => ({ kind, broken: GROUPS.filter((_g, i) => bits & (1 << i)) })),
);
const share = all.filter((_, i) => i % Math.ceil(all.length / rounds(all.length)) === 0);

let copies: LoadedCopies;
beforeAll(async () => {
  copies = await loadedCopies();
});
afterAll(() => copies.close());

describe('the consolidated check', () => {
  it.each(share)('UP-02 answers 200 with the failed checks when $broken.length sources fail with $kind', async ({ kind, broken }) => {
    const app = await copies.appWithFaults(Object.fromEntries(broken.map(({ source }) => [source, kind])));
    onTestFinished(() => app.close());
    const failed = broken.flatMap(({ checks }) => [...checks]).sort();
    for (const [scenario, check, level] of SCENARIOS) {
      const { status, body } = await app.post('/v1/compliance-br', { cnpj: companyByScenario(scenario).cnpj });
      expect([scenario, status, [...body.sources_failed].sort(), body.risk_level]).toEqual([
        scenario,
        200,
        failed,
        failed.some((one) => one === check) ? 'low' : level,
      ]);
    }
  });
});

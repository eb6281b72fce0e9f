import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { GROUPS, type LoadedCopies, loadedCopies } from '../support/app-with-faults.ts';

const KINDS = ['down', 'malformed', 'rate_limited', 'html_200', 'truncated', 'status_500'] as const;

/** The check and the risk level that each company of the sandbox triggers. */
const SIGNALS: readonly (readonly [scenario: string, check: string, level: 'medium' | 'high'])[] = [
  ['sanctioned', 'sanctions', 'high'],
  ['labor-listed', 'labor', 'high'],
  ['debarred-ceis', 'debarment', 'medium'],
  ['status-unfit', 'kyb', 'medium'],
];

const subsets = Array.from({ length: 2 ** GROUPS.length }, (_, bits) => ({
  broken: GROUPS.filter((_group, i) => bits & (1 << i)),
  kind: KINDS[bits % KINDS.length] ?? 'down',
}));

let copies: LoadedCopies;
beforeAll(async () => {
  copies = await loadedCopies();
});
afterAll(() => copies.close());

describe('any subset of failed checks', () => {
  it.each(subsets)(
    'UP-02 leaves the risk level to the other checks: $broken.length sources $kind',
    async ({ broken, kind }) => {
      const app = await copies.appWithFaults(Object.fromEntries(broken.map(({ source }) => [source, kind])));
      onTestFinished(() => app.close());
      const failed = broken.flatMap(({ checks }) => [...checks]).sort();
      for (const [scenario, check, level] of SIGNALS) {
        const { status, body } = await app.post('/v1/compliance-br', { cnpj: companyByScenario(scenario).cnpj });
        const isSeen = !failed.some((one) => one === check);
        expect([scenario, status, [...body.sources_failed].sort(), body.risk_level]).toEqual([
          scenario,
          200,
          failed,
          isSeen ? level : 'low',
        ]);
        expect(body.completeness).toBe(failed.length === 0 ? 'complete' : failed.length === 5 ? 'insufficient' : 'partial');
      }
    },
    30_000,
  );
});

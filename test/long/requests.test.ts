import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { rounds } from '../support/rounds.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_EXECUTIONS: '1000', QUIPU_EXECUTIONS_PER_KEY: '500' } });
});
afterAll(() => app.close());

/** Half of them ask the registry, which takes 16 calls at once and lets 64 wait. */
const CONCURRENT = 100;

describe('concurrent requests', () => {
  it('GQ-11 get their own company and the modules of their own key, with two keys', async () => {
    const keys = { kyb: await app.keyFor('kyb'), labor: await app.keyFor('labor') };
    const asks = Array.from(
      { length: rounds(1_000) },
      (_, i) => ({ module: i % 2 ? 'kyb' : 'labor', company: companies[i % companies.length] }) as const,
    );
    const answers: Awaited<ReturnType<typeof app.query>>[] = [];
    for (let first = 0; first < asks.length; first += CONCURRENT) {
      const wave = asks.slice(first, first + CONCURRENT).map(({ module, company }) => {
        const query = `{ company(identifier: "${company?.cnpj}") { identifier kyb { companyName } labor { hasViolations } } }`;
        return app.query(query, {}, keys[module]);
      });
      answers.push(...(await Promise.all(wave)));
    }
    answers.forEach(({ body }, i) => {
      const { module, company } = asks[i] ?? asks[0] ?? { module: 'kyb', company: undefined };
      expect(body.data.company.identifier).toBe(company?.cnpj);
      expect(body.data.company[module === 'kyb' ? 'labor' : 'kyb']).toBeNull();
      expect(body.errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED', module: module === 'kyb' ? 'LABOR' : 'KYB' } }]);
    });
  });
});

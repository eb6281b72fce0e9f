import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FAULT_MODES } from '../../sandbox/server/faults.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { DEBARMENT_LISTS } from '../../src/modules/debarment/domain.ts';
import { LABOR_LISTS } from '../../src/modules/labor/domain.ts';
import { SANCTIONS_LISTS } from '../../src/modules/sanctions/domain.ts';
import type { TestApp } from '../support/app.ts';
import { type LoadedCopies, loadedCopies, type UpstreamFaults } from '../support/app-with-faults.ts';

const feeding = <L extends string>(check: string, lists: readonly L[]): Record<L, readonly string[]> =>
  Object.fromEntries(lists.map((list) => [list, [check]])) as unknown as Record<L, readonly string[]>;

/** The check that each source feeds. */
const CHECK_OF = {
  receita_federal: ['kyb', 'owners'],
  ...feeding('debarment', DEBARMENT_LISTS),
  ...feeding('labor', LABOR_LISTS),
  ...feeding('sanctions', SANCTIONS_LISTS),
} as const;
type Broken = keyof typeof CHECK_OF;

const compliance = (app: TestApp, scenario: string) => app.post('/v1/compliance-br', { cnpj: companyByScenario(scenario).cnpj });

/** What must hold of any consolidated answer: 200, and exactly the failed checks null and named. */
function expectFailed({ status, body }: Awaited<ReturnType<typeof compliance>>, failed: readonly string[]): void {
  const nulls = Object.entries(body.checks).flatMap(([name, check]) => (check === null ? [name] : []));
  expect([status, [...body.sources_failed].sort(), nulls.sort()]).toEqual([200, [...failed].sort(), [...failed].sort()]);
  expect(body.completeness).toBe(failed.length === 0 ? 'complete' : failed.length === 5 ? 'insufficient' : 'partial');
}

let copies: LoadedCopies;
beforeAll(async () => {
  copies = await loadedCopies();
});
afterAll(() => copies.close());

async function start(breakage: UpstreamFaults, listsTried = true) {
  const app = await copies.appWithFaults(breakage, listsTried);
  onTestFinished(() => app.close());
  return app;
}

describe('a source that is down', () => {
  it.each(Object.entries(CHECK_OF))('UP-02 fails its own checks and no others: %s', async (source, failed) => {
    const app = await start({ [source]: 'down' });
    expectFailed(await compliance(app, 'clean'), failed);
    const paths = { kyb: '/v1/kyb', owners: '/v1/owners', debarment: '/v1/debarment', labor: '/v1/labor', sanctions: '/v1/sanctions' };
    for (const [check, path] of Object.entries(paths)) {
      const answer = await app.post(path, { identifier: companyByScenario('clean').cnpj, country: 'BR' });
      const isFailed = failed.some((one) => one === check);
      expect([check, answer.status, answer.body.code]).toEqual([check, isFailed ? 503 : 200, isFailed ? 'source_unavailable' : undefined]);
      if (isFailed) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('gives null and SOURCE_UNAVAILABLE on its GraphQL field, and data on the others', async () => {
    const app = await start({ TRABALHO_ESCRAVO: 'down' });
    const { cnpj } = companyByScenario('clean');
    const { status, body } = await app.query(
      `{ company(identifier: "${cnpj}") { labor { hasViolations } debarment { isDebarred } compliance { sourcesFailed completeness } } }`,
    );
    expect(status).toBe(200);
    expect(body.data.company).toEqual({
      labor: null,
      debarment: { isDebarred: false },
      compliance: { sourcesFailed: ['LABOR'], completeness: 'PARTIAL' },
    });
    expect(body.errors).toMatchObject([
      {
        path: ['company', 'labor'],
        extensions: { code: 'SOURCE_UNAVAILABLE', source: 'TRABALHO_ESCRAVO', retryAfterSeconds: expect.any(Number) },
      },
    ]);
  });

  it('UP-02 gives an insufficient answer when all five checks fail', async () => {
    const app = await start(Object.fromEntries(Object.keys(CHECK_OF).map((source) => [source, 'down' as const])));
    const answer = await compliance(app, 'sanctioned');
    expectFailed(answer, ['kyb', 'sanctions', 'debarment', 'labor', 'owners']);
    expect(answer.body).toMatchObject({ company_name: '', risk_level: 'low', risk_reasons: [], completeness: 'insufficient' });
  });

  it('does not remove a record of another list of the check, and is not in sources_checked', async () => {
    const app = await start({ CNEP: 'down' });
    const { body } = await compliance(app, 'debarred-ceis');
    expect(body).toMatchObject({ risk_level: 'medium', sources_failed: [], completeness: 'partial' });
    expect(body.checks.debarment).toMatchObject({ is_debarred: true, sources_checked: ['CEIS'] });
  });

  it('does not make the service unready', async () => {
    const app = await start({ CEIS: 'down' });
    expect((await app.server.inject('/readyz')).statusCode).toBe(200);
  });
});

describe('every failure mode of every list', () => {
  const modes = FAULT_MODES.filter(
    (mode) => !['slow', 'hung', 'silent_after_headers', 'drip', 'endless_body', 'shrunk', 'wrong_charset'].includes(mode),
  );

  it.each(modes)(
    'UP-03 leaves the lists unloaded and their checks failed: %s',
    async (mode) => {
      const lists: readonly Broken[] = [...DEBARMENT_LISTS, ...LABOR_LISTS, ...SANCTIONS_LISTS];
      const app = await start(Object.fromEntries(lists.map((list) => [list, mode])));
      for (const scenario of ['clean', 'sanctioned', 'debarred-both', 'labor-listed']) {
        expectFailed(await compliance(app, scenario), ['debarment', 'labor', 'sanctions']);
      }
      const refused = async () => {
        const { body } = await app.query('{ sources { name usable lastError } }');
        return body.data.sources
          .filter(({ usable, lastError }: { usable: boolean; lastError: string | null }) => !usable && lastError)
          .map(({ name }: { name: string }) => name)
          .sort();
      };
      // The download of a gzip bomb takes longer than the start waits on a slow machine.
      await expect.poll(refused, { timeout: 90_000, interval: 500 }).toEqual([...lists].sort());
    },
    120_000,
  );

  it.each(['hung', 'silent_after_headers', 'drip'] as const)(
    'UP-01 does not block a response while a list is loading: %s',
    async (mode) => {
      const app = await start({ CEIS: mode, OFAC_SDN: mode }, false);
      await expect
        .poll(async () => (await compliance(app, 'clean')).body.sources_failed, { timeout: 10_000 })
        .toEqual(['sanctions', 'debarment']);
      expect((await app.server.inject('/readyz')).statusCode).toBe(503);
    },
  );
});

describe('every failure mode of the live registry', () => {
  const modes = FAULT_MODES.filter((mode) => !['slow', 'shrunk', 'wrong_columns', 'wrong_charset'].includes(mode));

  it.concurrent.each(modes)(
    'UP-01 UP-03 fails only kyb and owners, in about ten seconds at most: %s',
    async (mode) => {
      const app = await copies.appWithFaults({ receita_federal: mode });
      const started = performance.now();
      const answer = await compliance(app, 'clean');
      const tookMs = performance.now() - started;
      await app.close();
      expectFailed(answer, ['kyb', 'owners']);
      expect(tookMs).toBeLessThan(10_250);
    },
    60_000,
  );

  it('has no effect on the next request after the registry recovers', async () => {
    const app = await start({ receita_federal: 'down' });
    expectFailed(await compliance(app, 'clean'), ['kyb', 'owners']);
    app.upstreams.faults.clear();
    expectFailed(await compliance(app, 'clean'), []);
  });
});

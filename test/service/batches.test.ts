import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { cnpjOf, cnpjsFrom } from '../support/made-up-cnpjs.ts';

let app: TestApp;
const sql: string[] = [];
async function start() {
  app = await testApp();
  app.db.on('query', ({ sql: text }: { sql: string }) => sql.push(text));
}
beforeAll(start);
afterAll(() => app.close());

/** Statements on the lists, and calls to the registry, while `work` runs. */
async function counted<T>(work: () => Promise<T>) {
  const calls = app.sandbox?.requestsTo('receita_federal').length ?? 0;
  sql.length = 0;
  const result = await work();
  return {
    result,
    statements: sql.filter((text) => text.includes('registry_entries')).length,
    calls: (app.sandbox?.requestsTo('receita_federal').length ?? 0) - calls,
  };
}

/** The made-up world, filled up to 500 with companies that no registry knows. */
const fiveHundred = [...companies.map(({ cnpj }) => cnpj), ...cnpjsFrom(98_000_000, 500 - companies.length)];
const ALL_CHECKS = `query ($ids: [String!]!) { companies(identifiers: $ids) { identifier
  kyb { status } debarment { isDebarred } sanctions { isSanctioned } labor { hasViolations } compliance { riskLevel sourcesFailed } } }`;

describe('a query for many companies', () => {
  it('GQ-11 runs one SQL statement on five lists for 500 companies with all checks, and calls the registry once for each and once for its date', async ({
    task,
  }) => {
    // The answers of a first attempt are cached, so a retry has another service.
    if (task.result?.retryCount) {
      await app.close();
      await start();
    }
    const { result, statements, calls } = await counted(() => app.query(ALL_CHECKS, { ids: fiveHundred }));
    expect(result.body.errors).toBeUndefined();
    expect(result.body.data.companies.map(({ identifier }: { identifier: string }) => identifier)).toEqual(fiveHundred);
    expect(statements).toBe(1);
    expect(calls).toBe(501);
  }, 60_000);

  it('runs one SQL statement on five lists for the consolidated check of a company that is not cached, in REST', async () => {
    const { result, statements } = await counted(() => app.post('/v1/compliance-br', { cnpj: cnpjOf(97_999_998) }));
    expect([result.status, result.body.sources_failed, statements]).toEqual([200, [], 1]);
  });

  it('runs no SQL statement on the lists and no registry call for cached companies, in GraphQL and REST', async () => {
    const graph = await counted(() => app.query(ALL_CHECKS, { ids: fiveHundred }));
    const rest = await counted(() => app.post('/v1/compliance-br', { cnpj: fiveHundred[0] }));
    expect([graph.statements, graph.calls, rest.statements, rest.calls]).toEqual([0, 0, 0, 0]);
  });

  it('has equal answers in GraphQL and REST, and is marked as cached', async () => {
    const { cnpj } = companyByScenario('debarred-both');
    const rest = (await app.post('/v1/compliance-br', { cnpj })).body;
    const query = `{ company(identifier: "${cnpj}") { name compliance { riskLevel sourcesFailed completeness riskReasons { check code message }
      checks { kyb { companyName freshness { cached stale } } debarment { isDebarred records { source sanctionType fineAmount } } } } } }`;
    const { name, compliance } = (await app.query(query)).body.data.company;
    expect(name).toBe(rest.company_name);
    expect(compliance.riskLevel.toLowerCase()).toBe(rest.risk_level);
    expect(
      compliance.riskReasons.map(({ check, code, message }: Record<string, string>) =>
        `${check}.${code}`.toLowerCase().concat(`: ${message}`),
      ),
    ).toEqual(rest.risk_reasons);
    expect(compliance.checks.kyb.freshness).toEqual({ cached: true, stale: false });
    expect(compliance.checks.debarment.records).toEqual(
      rest.checks.debarment.records.map((record: Record<string, unknown>) => ({
        source: record.source,
        sanctionType: record.sanction_type,
        fineAmount: record.fine_amount === null ? null : String(record.fine_amount), // exact decimals in GraphQL
      })),
    );
  });

  it('UP-09 makes one registry call for 100 concurrent requests for an uncached company', async () => {
    const fresh = cnpjOf(97_999_999);
    const { result, calls } = await counted(() =>
      Promise.all(Array.from({ length: 100 }, () => app.post('/v1/kyb', { identifier: fresh, country: 'BR' }))),
    );
    expect(new Set(result.map(({ status, body }) => `${status} ${body.status}`))).toEqual(new Set(['200 not_found']));
    expect(calls).toBe(1);
  });

  it('PR-01 shows, logs and stores no CPF in full', async () => {
    const { body } = await app.query(
      'query ($ids: [String!]!) { companies(identifiers: $ids) { owners { owners { name identifier legalRepName } } labor { records { employer establishment } } } }',
      { ids: fiveHundred.slice(0, companies.length) },
    );
    const dump = await app.db.raw('SELECT record::text AS record FROM registry_entries');
    const written = [JSON.stringify(body), JSON.stringify(app.lines), ...dump.rows.map(({ record }: { record: string }) => record)].join(
      '\n',
    );
    // A checksum or a request id also contains digits between its letters.
    const elevenDigits = [...written.matchAll(/(?<![\da-f*])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\da-f*])/g)].map(([text]) =>
      text.replace(/\D/g, ''),
    );
    expect(elevenDigits.filter(isCpf)).toEqual([]);
  });
});

/** Two check digits over 9, by the rule of the Receita: an independent implementation for comparison. */
function isCpf(digits: string): boolean {
  const digit = (count: number): number => {
    let sum = 0;
    for (let i = 0; i < count; i += 1) sum += Number(digits[i]) * (count + 1 - i);
    const rest = (sum * 10) % 11;
    return rest === 10 ? 0 : rest;
  };
  return digit(9) === Number(digits[9]) && digit(10) === Number(digits[10]);
}

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FaultMode } from '../../sandbox/server/faults.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario, chileanCompanies } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { rutCheckDigit } from '../../src/domain/tax-id.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { appWithFaults } from '../support/app-with-faults.ts';

const RUT = chileanByScenario('cl-clean').rut;
const NIT = colombianByScenario('co-supplier').nit;
const { cnpj: CNPJ } = companyByScenario('clean');

/** A REST and a GraphQL request that need the source. `copy`: the answer is from the data loaded at the start. */
const QUESTIONS = [
  {
    source: 'sii',
    copy: true,
    rest: ['/v1/kyb', { identifier: RUT, country: 'CL' }],
    graph: `{ company(identifier: "${RUT}", country: CL) { answer: kyb { status } } }`,
  },
  {
    source: 'sii',
    copy: true,
    rest: ['/v1/enrich', { identifier: RUT }],
    graph: `{ company(identifier: "${RUT}", country: CL) { answer: profile { size } } }`,
  },
  {
    source: 'sii',
    copy: true,
    rest: ['/v1/tax-health', { identifier: RUT, country: 'CL' }],
    graph: `{ company(identifier: "${RUT}", country: CL) { answer: taxHealth { status } } }`,
  },
  {
    source: 'pncp',
    copy: true,
    rest: ['/v1/tenders', { identifier: CNPJ, country: 'BR' }],
    graph: `{ company(identifier: "${CNPJ}") { answer: tenders { totalCount } } }`,
  },
  {
    source: 'secopii',
    copy: false,
    rest: ['/v1/tenders', { identifier: NIT, country: 'CO' }],
    graph: `{ company(identifier: "${NIT}", country: CO) { answer: tenders { totalCount } } }`,
  },
  {
    source: 'secopii',
    copy: false,
    rest: ['/v1/tenders/search', { country: 'CO', keyword: 'papeleria' }],
    graph: '{ answer: searchTenders(country: CO, keyword: "papeleria") { totalCount } }',
  },
  {
    source: 'mercadopublico',
    copy: false,
    rest: ['/v1/tenders/search', { country: 'CL', keyword: 'hospital' }],
    graph: '{ answer: searchTenders(country: CL, keyword: "hospital") { totalCount } }',
  },
  {
    source: 'pncp',
    copy: false,
    rest: ['/v1/tenders/search', { country: 'BR', keyword: 'merenda' }],
    graph: '{ answer: searchTenders(country: BR, keyword: "merenda") { totalCount } }',
  },
  {
    source: 'rdap',
    copy: false,
    rest: ['/v1/enrich', { domain: 'semnome-ficticia.com.br' }],
    graph: '{ answer: companyByDomain(domain: "semnome-ficticia.com.br") { identifier } }',
  },
  {
    source: 'dns',
    copy: false,
    rest: ['/v1/validate/email', { email: 'ventas@picodeoro-inventada.cl' }],
    graph: '{ answer: validateEmail(email: "ventas@picodeoro-inventada.cl") { valid } }',
  },
] as const;

/** REST and GraphQL report that the source failed, without data. */
async function expectUnavailable(app: TestApp, { source, rest: [path, body], graph }: (typeof QUESTIONS)[number]): Promise<void> {
  const rest = await app.post(path, body);
  expect([source, path, rest.status, rest.body.code]).toEqual([source, path, 503, 'source_unavailable']);
  expect(Number(rest.headers['retry-after'])).toBeGreaterThan(0);
  const { status, body: answer } = await app.query(graph);
  expect(status).toBe(200);
  expect(answer.data.answer ?? answer.data.company?.answer ?? null).toBeNull();
  expect(answer.errors[0].extensions).toMatchObject({ code: 'SOURCE_UNAVAILABLE', source: source.toUpperCase() });
}

describe('UP-03 a provider that fails gives an error and not an empty answer', () => {
  it.each(['down', 'html_200', 'wrong_shape', 'truncated'] as const satisfies readonly FaultMode[])(
    'when its copy cannot be loaded: %s',
    { timeout: 90_000 },
    async (mode) => {
      const app = await appWithFaults({ sii: mode, pncp: mode });
      onTestFinished(() => app.close());
      for (const question of QUESTIONS.filter(({ copy }) => copy)) await expectUnavailable(app, question);
    },
  );

  it.each(['down', 'html_200', 'wrong_shape', 'empty', 'rate_limited'] as const satisfies readonly FaultMode[])(
    'when it is queried live: %s',
    { timeout: 90_000 },
    async (mode) => {
      const app = await testApp();
      onTestFinished(() => app.close());
      for (const question of QUESTIONS.filter(({ copy }) => !copy)) {
        // The client repeats a query to a silent name server; SERVFAIL is quicker to test.
        app.sandbox?.faults.set(question.source, { mode: question.source === 'dns' && mode === 'down' ? 'status_500' : mode });
        await expectUnavailable(app, question);
        app.sandbox?.faults.clear();
      }
    },
  );
});

describe('a query for 500 Chilean companies', () => {
  let app: TestApp;
  const sql: string[] = [];
  beforeAll(async () => {
    app = await testApp();
    app.db.on('query', ({ sql: text }: { sql: string }) => sql.push(text));
  });
  afterAll(() => app.close());

  it('runs one SQL statement each for SII and the debtors and two for tenders', async () => {
    const strangers = Array.from({ length: 500 - chileanCompanies.length }, (_, i) => String(68_000_001 + i)).map(
      (base) => base + rutCheckDigit(base),
    );
    const ids = [...chileanCompanies.map(({ rut }) => rut), ...strangers];
    sql.length = 0;
    const { body } = await app.query(
      `query ($ids: [String!]!) { companies(identifiers: $ids, country: CL) { identifier
        kyb { status } profile { size } taxHealth { riskSignals } tenders { totalCount } awardedContracts { totalCount } } }`,
      { ids },
    );
    const failures = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect(new Set(failures)).toEqual(new Set(['COMPANY_NOT_FOUND'])); // the profile of an unknown company
    expect(body.data.companies.map(({ identifier }: { identifier: string }) => identifier)).toEqual(ids);
    expect(body.data.companies[0]).toMatchObject({ kyb: { status: 'ACTIVE' }, profile: { size: 'SMALL' }, taxHealth: { riskSignals: [] } });
    const on = (table: RegExp) => sql.filter((text) => table.test(text)).length;
    expect({ sii: on(/sii_companies/), debtors: on(/registry_entries/), tenders: on(/^WITH x AS[^;]*tender_indexes/) }).toEqual({
      sii: 1,
      debtors: 1,
      tenders: 2,
    });
  }, 60_000);
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestAnswer, type TestApp, testApp } from '../support/app.ts';
import { COPY_MODE, loadSandboxMonths } from '../support/registry-copy.ts';

const OPERATIONS = path.resolve(import.meta.dirname, '../../schema/operations');
const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const company = (scenario: string) => ({ identifier: cnpj(scenario), country: 'BR' });

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: COPY_MODE });
  await loadSandboxMonths(app);
  for (const mirror of ['receita_federal', 'opencnpj']) app.sandbox?.faults.set(mirror, { mode: 'down' });
}, 120_000);
afterAll(() => app.close());

/** Every object below a value that says how complete it is. */
function completenessOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = ['complete', 'completeness', 'sources_failed', 'lists_not_checked', 'listsNotChecked'].filter((name) => name in value);
  return [...own.map((name) => (value as Record<string, unknown>)[name]), ...Object.values(value).flatMap(completenessOf)];
}

const isComplete = (stated: unknown): boolean =>
  Array.isArray(stated) ? stated.length === 0 : stated === true || /^complete$/i.test(String(stated));

const get = async (url: string): Promise<Pick<TestAnswer, 'status' | 'body'>> => {
  const answer = await app.server.inject({ method: 'GET', url, headers: { 'x-api-key': app.key } });
  return { status: answer.statusCode, body: answer.json() };
};

describe('the own copy of the Brazilian registry alone, while no mirror can be reached,', () => {
  it.each<[string, object, string]>([
    ['/v1/kyb', company('clean'), 'company_name'],
    ['/v1/owners', company('group-leaf'), 'owners'],
    ['/v1/owners', company('group-middle-branch'), 'owners'],
    ['/v1/group', company('group-leaf'), 'nodes'],
    ['/v1/group-findings', company('group-cellar'), 'findings'],
    ['/v1/beneficial-owners', company('owners-level-1'), 'owners'],
    ['/v1/other-companies', { ...company('group-leaf'), owner: { name: 'ELISA PEREIRA ALHURES', identifier: '***000082**' } }, 'companies'],
    ['/v1/connection', { from: company('group-cellar'), to: company('group-neighbour') }, 'edges'],
    ['/v1/search', { name: 'subsolo depositos', country: 'BR' }, 'results'],
    ['/v1/compliance-br', { cnpj: cnpj('clean-school') }, 'checks'],
    ['/v1/compliance', company('debarred-ceis'), 'checks'],
  ])('answers POST %s completely', async (url, body, field) => {
    const answer = await app.post(url, body);
    expect(answer).toMatchObject({ status: 200, body: { [field]: expect.anything() } });
    expect(completenessOf(answer.body).filter((stated) => !isComplete(stated))).toEqual([]);
  });

  it.each([
    ['branches', 'group-middle', 'branches'],
    ['history', 'clean-school', 'changes'],
    ['holdings', 'group-middle', 'holdings'],
    ['registration', 'clean', 'company_name'],
  ])('answers GET /v1/companies/BR/{id}/%s completely', async (list, scenario, field) => {
    const answer = await get(`/v1/companies/BR/${cnpj(scenario)}/${list}`);
    expect(answer).toMatchObject({ status: 200, body: { [field]: expect.anything() } });
    expect(completenessOf(answer.body).filter((stated) => !isComplete(stated))).toEqual([]);
  });

  it.each(['everything', 'everything-graphs'])('answers every field of the operation %s without an error', async (name) => {
    const operation = readFileSync(path.join(OPERATIONS, `${name}.graphql`), 'utf8');
    const { status, body } = await app.query(operation, { identifier: cnpj('group-leaf'), country: 'BR' });
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it('answers 50 companies and their owners by GraphQL, and an unknown one as not found', async () => {
    const identifiers = [...Array.from({ length: 49 }, (_, i) => cnpj(i % 2 === 0 ? 'clean' : 'group-leaf')), '00.000.000/0001-91'];
    const { body } = await app.query('query ($ids: [String!]!) { companies(identifiers: $ids) { kyb { status } owners { count } } }', {
      ids: [...new Set(identifiers)],
    });
    expect([body.errors, body.data.companies.map(({ kyb }: { kyb: { status: string } }) => kyb.status)]).toEqual([
      undefined,
      ['ACTIVE', 'ACTIVE', 'NOT_FOUND'],
    ]);
  });

  it('calls no mirror', () => {
    for (const mirror of ['receita_federal', 'opencnpj']) expect(app.sandbox?.requestsTo(mirror)).toEqual([]);
  });
});

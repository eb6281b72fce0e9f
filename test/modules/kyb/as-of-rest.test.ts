import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { TestApp } from '../../support/app.ts';
import { sandboxMonths } from '../../support/registry-copy.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const [BEFORE, AFTER] = ['2026-10-14', '2026-11-14'];
const cnpjOf = (scenario: string): string => companyByScenario(scenario).cnpj;

let app: TestApp;
let live: TestApp;
sandboxMonths(
  () => NOW,
  (...apps) => {
    [app, live] = apps;
  },
);

async function registration(path: string, on = app) {
  const answer = await on.server.inject({ method: 'GET', url: `/v1/companies/${path}`, headers: { 'x-api-key': on.key } });
  return { status: answer.statusCode, body: answer.json() };
}
const owners = (scenario: string, options: object, on = app) =>
  on.post('/v1/owners', { identifier: cnpjOf(scenario), country: 'BR', ...options }, on.key);

describe('a registration by REST as of an earlier day', () => {
  const of = (scenario: string, day: string, on = app) => registration(`BR/${cnpjOf(scenario)}/registration?as_of=${day}`, on);

  it('is that of the last extract up to the day, whose date it has', async () => {
    expect(await of('clean-hotel', '2026-10-31')).toMatchObject({
      status: 200,
      body: { company_name: 'HOTEL QUARTO CRESCENTE LTDA', trade_name: null, data_as_of: BEFORE },
    });
    expect(await of('clean-hotel', '2026-11-20')).toMatchObject({
      body: { company_name: 'HOTEL QUARTO MINGUANTE LTDA', data_as_of: AFTER },
    });
    expect(await of('clean-software', BEFORE)).toMatchObject({ body: { capital: '20000', size: 'MICRO EMPRESA' } });
  });

  it('is an error before the company was opened, before the first extract, and without an own copy', async () => {
    expect(await of('clean-sa-open-branch-3', BEFORE)).toMatchObject({ status: 404, body: { code: 'company_not_found' } });
    expect(await of('clean', '2026-10-13')).toMatchObject({ status: 404, body: { code: 'no_record_then' } });
    expect(await of('clean', AFTER, live)).toMatchObject({ status: 503, body: { code: 'source_not_configured' } });
  });

  it.each(['2026-11-29', '0000-01-01', '2026-02-30', 'yesterday'])('is refused for the day %s', async (day) => {
    expect(await of('clean', day)).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ field: 'as_of' }] } });
  });

  it('is refused for a country whose registry is known for today only', async () => {
    const { rut } = chileanByScenario('cl-clean');
    expect(await registration(`CL/${rut}/registration?as_of=${AFTER}`)).toMatchObject({
      status: 422,
      body: { code: 'unsupported_country' },
    });
  });
});

describe('owners by REST as of an earlier day', () => {
  it('are those of the last extract up to the day, whose date the reply has', async () => {
    const [before, after] = [await owners('clean-school', { as_of: BEFORE }), await owners('clean-school', { as_of: AFTER })];
    expect([before.status, before.body.owners.length, before.body.data_as_of]).toEqual([200, 3, BEFORE]);
    expect([after.status, after.body.owners.length, after.body.data_as_of]).toEqual([200, 2, AFTER]);
  });

  it('leave the reply about today as it was', async () => {
    expect((await owners('clean-school', {})).body).not.toHaveProperty('data_as_of');
  });

  it('are an error before the first extract, and are not screened', async () => {
    expect(await owners('clean', { as_of: '2026-10-13' })).toMatchObject({ status: 404, body: { code: 'no_record_then' } });
    expect(await owners('clean', { as_of: '2026-11-29' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_input', errors: [{ field: 'as_of' }] },
    });
    const screened = await owners('clean', { as_of: BEFORE, screening: true });
    expect(screened).toMatchObject({ status: 422, body: { code: 'as_of_not_supported' } });
    expect(screened.headers['usage-counted']).toBeUndefined();
    expect(await owners('clean', { as_of: AFTER }, live)).toMatchObject({ status: 503, body: { code: 'source_not_configured' } });
  });
});

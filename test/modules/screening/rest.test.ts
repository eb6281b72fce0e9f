import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { toNumberCursor } from '../../../src/domain/paging.ts';
import { isoWithOffset } from '../../../src/domain/time.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call } from '../monitor/api-requests.ts';
import { counted, START, start, unknownCnpjs, work } from './support.ts';

let now = Date.parse('2026-11-22T10:00:00Z');
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => now, env: { QUIPU_SCREENING_ROWS: '2000' } });
});
afterAll(() => app.close());
beforeEach(async () => {
  now += 3_600_000; // the limit of starts is full again
  await app.db('screenings').delete();
  await app.drainUsage();
  await app.db('usage_counters').delete();
  await app.db('usage_events').delete();
});

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const rut = (scenario: string): string => chileanByScenario(scenario).rut;

describe('POST /v1/screenings', () => {
  it('returns the screening, queued', async () => {
    const { status, body } = await app.post(START, {
      identifiers: [cnpj('clean'), rut('cl-clean')],
      name: 'suppliers',
      modules: ['compliance_br', 'kyb'],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      screening_id: expect.stringMatching(/^scr_[0-9a-f]{32}$/),
      name: 'suppliers',
      modules: ['compliance_br', 'kyb'],
      state: 'queued',
      total: 2,
      done: 0,
      failed: 0,
      invalid: 0,
      duplicates: 0,
      created_at: isoWithOffset(now),
      finished_at: null,
      webhook_url: null,
      webhook_delivered_at: null,
      webhook_error: null,
    });
  });

  it('masks a CPF in the name', async () => {
    const { body } = await app.post(START, { identifiers: [cnpj('clean')], name: 'Suppliers of JOAO MODELO 529.982.247-25' });
    expect(body.name).toBe('Suppliers of JOAO MODELO ***982247**');
  });

  it('takes 60,000 tax ids in a body of more than 1 MiB, unless the account would store too many rows', async () => {
    const { status, body } = await app.post(START, { identifiers: unknownCnpjs(60_000) });
    expect([status, body.code]).toEqual([403, 'plan_limit_reached']);
  });

  it.each([
    ['no identifiers', { identifiers: [] }, 422, 'invalid_input'],
    ['an identifier that is neither text nor number', { identifiers: [null] }, 422, 'invalid_input'],
    ['a module that cannot be screened', { identifiers: ['1'], modules: ['tech'] }, 422, 'invalid_input'],
    ['more modules than there are', { identifiers: ['1'], modules: Array(9).fill('kyb') }, 422, 'invalid_input'],
    ['no module', { identifiers: ['1'], modules: [] }, 422, 'invalid_input'],
    ['another country', { identifiers: ['1'], country: 'AR' }, 422, 'unsupported_country'],
    ['a name without end', { identifiers: ['1'], name: 'x'.repeat(201) }, 422, 'invalid_input'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await app.post(START, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await app.db('screenings')).toEqual([]);
  });

  it('names the first 20 wrong items of a list', async () => {
    const rowsOfSheet = Array.from({ length: 5_000 }, () => [cnpj('clean')]);
    const { status, body } = await app.post(START, { identifiers: [cnpj('clean'), ...rowsOfSheet] });
    const named = body.errors.map(({ field }: { field: string }) => field);
    expect([status, named]).toEqual([422, Array.from({ length: 20 }, (_, i) => `identifiers.${i + 1}`)]);
  });

  it('needs the module screening, and each module that it checks with', async () => {
    const without = await app.keyFor('compliance_br');
    const narrow = await app.keyFor('screening', 'kyb');
    const asked = { identifiers: [cnpj('clean')], modules: ['compliance_br'] };
    expect((await app.post(START, asked, without)).body.code).toBe('module_not_enabled');
    expect((await app.post(START, asked, narrow)).body).toMatchObject({ code: 'module_not_enabled' });
    expect((await app.post(START, { identifiers: [cnpj('clean')] }, narrow)).body.modules).toEqual(['kyb']);
  });

  it('limits the starts of a key to ten in a minute', async () => {
    const starts = await Promise.all(Array.from({ length: 11 }, () => app.post(START, { identifiers: [cnpj('clean')] })));
    expect(starts.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429]);
  });

  it('stores rows of an account up to a limit', async () => {
    await start(app, unknownCnpjs(1_500));
    const { status, body } = await app.post(START, { identifiers: unknownCnpjs(501, 51) });
    expect([status, body.code]).toEqual([403, 'plan_limit_reached']);
    expect((await app.post(START, { identifiers: unknownCnpjs(500, 51) })).status).toBe(200);
  });

  it('writes its start and its end by cancellation to the audit log', async () => {
    const id = await start(app, [cnpj('clean')]);
    await call(app, 'DELETE', `${START}/${id}`);
    const entries = await app.db('audit_log').where({ subject: id }).orderBy('id');
    expect(entries.map(({ action }) => action)).toEqual(['screening.started', 'screening.cancelled']);
  });
});

describe('GET /v1/screenings', () => {
  it('lists the screenings of the key, newest first, in pages that a new screening does not shift', async () => {
    const first = await start(app, [cnpj('clean')], { name: 'first' });
    now += 1_000;
    const second = await start(app, [cnpj('clean'), 'hello'], { name: 'second' });
    await start(app, [cnpj('clean')], { name: 'of another key' }, await app.keyFor('screening', 'compliance_br'));

    const page = (await call(app, 'GET', `${START}?limit=1`)).body;
    now += 1_000;
    await start(app, [cnpj('clean')], { name: 'third' });
    const next = (await call(app, 'GET', `${START}?limit=1&after=${page.next_after}`)).body;
    const last = (await call(app, 'GET', `${START}?limit=1&after=${next.next_after}`)).body;

    expect(page).toEqual({
      screenings: [(await call(app, 'GET', `${START}/${second}`)).body],
      has_more: true,
      next_after: expect.any(String),
    });
    expect(next).toMatchObject({ screenings: [{ screening_id: first, name: 'first' }], has_more: false });
    expect(last).toEqual({ screenings: [], has_more: false, next_after: null });
  });

  it.each([
    ['a page of more than 100', 'limit=101'],
    ['a cursor of another list', 'after=WyJyZXN1bHQiLCIyIl0'],
  ])('refuses %s', async (_, query) => {
    expect((await call(app, 'GET', `${START}?${query}`)).body.code).toBe('invalid_input');
  });

  it('needs the module screening', async () => {
    expect((await call(app, 'GET', START, await app.keyFor('kyb'))).body.code).toBe('module_not_enabled');
  });
});

describe('a page of a screening', () => {
  it.each([
    ['results', 'result'],
    ['rejected', 'rejected'],
  ])('of %s is empty after a row that no portfolio has', async (list, kind) => {
    const id = await start(app, [cnpj('clean'), 'hello']);
    const { status, body } = await call(app, 'GET', `${START}/${id}/${list}?after=${toNumberCursor(kind, 999_999_999_999_999)}`);
    expect([status, body[list]]).toEqual([200, []]);
  });
});

describe('a screening', () => {
  it('gives each company its result, and counts the answers for their modules', async () => {
    const identifiers = [cnpj('clean'), cnpj('debarred-ceis'), rut('cl-clean')];
    const id = await start(app, identifiers);
    await work(app);
    expect((await call(app, 'GET', `${START}/${id}`)).body).toMatchObject({
      state: 'done',
      total: 3,
      done: 3,
      failed: 0,
      finished_at: isoWithOffset(now),
    });
    const { body } = await call(app, 'GET', `${START}/${id}/results`);
    expect(body).toMatchObject({ has_more: false });
    expect(body.results).toMatchObject([
      {
        row: 1,
        identifier: cnpj('clean'),
        country: 'BR',
        registration_status: 'active',
        risk_level: 'low',
        completeness: 'complete',
        is_debarred: false,
      },
      { row: 2, risk_level: 'medium', is_debarred: true, risk_reasons: [expect.stringContaining('debarment.record')], failed_modules: [] },
      {
        row: 3,
        country: 'CL',
        registration_status: 'active',
        risk_level: 'low',
        completeness: 'complete',
        is_sanctioned: false,
        tax_debtor: false,
        owner_count: 1,
      },
    ]);
    expect(await counted(app)).toEqual({ compliance_br: 2, compliance: 1 });
  });

  it('has the result that the endpoints give', async () => {
    const id = await start(app, [cnpj('debarred-ceis')]);
    await work(app);
    const { body } = await call(app, 'GET', `${START}/${id}/results`);
    const single = (await app.post('/v1/compliance-br', { cnpj: cnpj('debarred-ceis') })).body;
    const { company_name, risk_level, completeness, risk_reasons } = body.results[0];
    expect({ company_name, risk_level, completeness, risk_reasons }).toEqual({
      company_name: single.company_name,
      risk_level: single.risk_level,
      completeness: single.completeness,
      risk_reasons: single.risk_reasons,
    });
  });

  it('has its reasons in the language of the request, and in English in the file of lines', async () => {
    const company = cnpj('debarred-ceis');
    const id = await start(app, [company]);
    await work(app);
    const inLanguage = (language: string, url: string) => ({ url, headers: { 'x-api-key': app.key, 'accept-language': language } });
    for (const language of ['es', 'en', 'pt']) {
      const page = (await app.server.inject(inLanguage(language, `${START}/${id}/results`))).json().results[0];
      const query = `{ screening(id: "${id}") { results { nodes { riskReasons } } } }`;
      const sent = { ...inLanguage(language, '/graphql'), method: 'POST' as const, payload: { query } };
      const { riskReasons } = (await app.server.inject(sent)).json().data.screening.results.nodes[0];
      const single = { ...inLanguage(language, '/v1/compliance-br'), method: 'POST' as const, payload: { cnpj: company } };
      const expected = (await app.server.inject(single)).json().risk_reasons;
      expect([page.risk_reasons, riskReasons]).toEqual([expected, expected]);
    }
    const { body } = await app.server.inject(inLanguage('es', `${START}/${id}/results.jsonl`));
    expect(JSON.parse(body).risk_reasons).toEqual([expect.stringMatching(/^debarment\.record: 1 record on CEIS/)]);
  });

  it('reports rows that are no company and repetitions, each with its row and reason', async () => {
    const clean = cnpj('clean');
    const id = await start(app, [clean, '11.222.333/0001-80', 'hello', `${clean.slice(0, 8)}/${clean.slice(8)}`, '900.123.456-8'], {
      modules: ['compliance_br'],
    });
    expect((await call(app, 'GET', `${START}/${id}`)).body).toMatchObject({ total: 1, invalid: 3, duplicates: 1 });
    expect((await call(app, 'GET', `${START}/${id}/rejected`)).body).toEqual({
      rejected: [
        { row: 2, kind: 'invalid', reason: 'The check digits of this CNPJ should be 81, not 80.' },
        { row: 3, kind: 'invalid', reason: expect.stringContaining('neither a CNPJ') },
        { row: 4, kind: 'duplicate', reason: 'The same company as in row 1.' },
        { row: 5, kind: 'invalid', reason: 'No module of this screening is answered for CO.' },
      ],
      has_more: false,
      next_after: expect.any(String),
    });
  });

  it('is done at once when no row is a company', async () => {
    const { body } = await app.post(START, { identifiers: ['hello'] });
    expect(body).toMatchObject({ state: 'done', total: 0, invalid: 1, finished_at: isoWithOffset(now) });
  });

  it('is paged by rows, filtered by risk level, completeness and whether there was an answer', async () => {
    const id = await start(app, [cnpj('debarred-ceis'), cnpj('clean'), cnpj('debarred-both'), rut('cl-clean')]);
    await work(app);
    const pages: unknown[][] = [];
    for (let after = ''; after !== 'end'; ) {
      const { body } = await call(
        app,
        'GET',
        `${START}/${id}/results?limit=1&risk_level=medium&completeness=complete${after && `&after=${after}`}`,
      );
      pages.push(body.results.map(({ row }: { row: number }) => row));
      after = body.has_more ? body.next_after : 'end';
    }
    expect(pages).toEqual([[1], [3]]);
    await app
      .db('screening_companies')
      .where({ tax_id: cnpj('clean') })
      .update({ state: 'failed' });
    const rowsOf = async (query: string) =>
      (await call(app, 'GET', `${START}/${id}/results?${query}`)).body.results.map(({ row }: { row: number }) => row);
    expect([await rowsOf('answered=true'), await rowsOf('answered=false')]).toEqual([[1, 3, 4], [2]]);
    expect((await call(app, 'GET', `${START}/${id}/results?answered=perhaps`)).status).toBe(422);
  });

  it('shows nothing of it to another key, and to a key without the module', async () => {
    const id = await start(app, [cnpj('clean')]);
    const other = await app.keyFor('screening');
    const without = await app.keyFor('kyb');
    for (const path of ['', '/results', '/rejected']) {
      expect((await call(app, 'GET', `${START}/${id}${path}`, other)).body.code).toBe('screening_not_found');
      expect((await call(app, 'GET', `${START}/${id}${path}`, without)).body.code).toBe('module_not_enabled');
    }
    expect((await call(app, 'DELETE', `${START}/${id}`, other)).body.code).toBe('screening_not_found');
  });

  it('ends by cancellation: the results so far stay, and nothing more is checked', async () => {
    const id = await start(app, unknownCnpjs(20));
    const late = app.db('screening_companies').where('ordinal', '>', 15);
    await late.clone().update({ due_at: new Date(now + 1) });
    await work(app);
    const { status, body } = await call(app, 'DELETE', `${START}/${id}`);
    now += 1;
    await work(app);
    expect([status, body.state, body.done]).toEqual([200, 'cancelled', 15]);
    expect((await call(app, 'GET', `${START}/${id}`)).body).toEqual(body);
    expect(await counted(app)).toEqual({ compliance_br: 15 });
    expect((await call(app, 'DELETE', `${START}/${id}`)).body.code).toBe('screening_not_found');
  });
});

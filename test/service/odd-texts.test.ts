import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/time.ts';
import { findFault } from '../../src/evidence/seal.ts';
import { monitorService } from '../../src/modules/monitor/service/monitor.ts';
import { call } from '../modules/monitor/api-requests.ts';
import { counted, START, start, work } from '../modules/screening/support.ts';
import { acme, partner } from '../sources/receita-answers.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';
import { startUpstream } from '../support/upstream.ts';

/** What Postgres refuses, and what is too long for any name. */
const ODD = '\u0000\ud800 X';
const LONG = 'Y'.repeat(400_000);

const [long = '', ...companies] = cnpjsFrom(96_000_000, 32);
let activity = `Padaria${ODD}`;

/** A record of which every text is odd, as the escapes of JSON allow. */
const record = (cnpj: string) => {
  const odd = cnpj === long ? LONG : ODD;
  const owner = {
    ...partner,
    nome_socio: odd,
    qualificacao_socio: odd,
    nome_representante_legal: odd,
    qualificacao_representante_legal: odd,
  };
  return {
    ...acme,
    cnpj,
    razao_social: odd,
    nome_fantasia: odd,
    situacao_especial: odd,
    cnae_fiscal_descricao: activity,
    municipio: odd,
    qsa: [owner, { ...owner, cnpj_cpf_do_socio: odd }],
  };
};

let app: TestApp;
let registry: Awaited<ReturnType<typeof startUpstream>>;
let now = Date.parse('2026-11-22T12:00:00Z');
beforeAll(async () => {
  registry = await startUpstream((path) => ({ body: record(path.slice(1)) }));
  const unlimited = '{"standard":{"compliance_br":{"rate":null},"screening":{"rate":null}}}';
  app = await testApp({ env: { QUIPU_RECEITA_URL: registry.url, QUIPU_PLANS: unlimited }, now: () => now });
});
afterAll(async () => {
  await app.close();
  await registry.close();
});

describe('a registry whose texts Postgres refuses or that are far too long', () => {
  it('lets a screening finish, with every company answered', async () => {
    const id = await start(app, [long, ...companies], { modules: ['compliance_br'] });
    await work(app);
    expect((await call(app, 'GET', `${START}/${id}`)).body).toMatchObject({ state: 'done', done: 32, failed: 0 });
    const { body } = await call(app, 'GET', `${START}/${id}/results`);
    const names = body.results.map(({ company_name: name }: { company_name: string }) => name);
    expect(new Set(names)).toEqual(new Set(['\ufffd X', 'Y'.repeat(500)]));
    expect(await counted(app)).toMatchObject({ compliance_br: 32 });
  });

  it('lets a receipt be issued that verifies', async () => {
    const { status, body } = await app.post('/v1/compliance-br', { cnpj: companies[0], receipt: true });
    expect([status, body.company_name]).toEqual([200, '\ufffd X']);
    const { keys } = (await call(app, 'GET', '/.well-known/quipu-evidence-keys', null)).body;
    expect(findFault([body.evidence], keys)).toBeNull();
    const url = `/v1/evidence/${body.evidence.receipt.id}`;
    expect((await call(app, 'GET', url)).body).toEqual(body.evidence);
    for (const format of ['pdf', 'report']) {
      const pdf = await app.server.inject({ url: `${url}?format=${format}`, headers: { 'x-api-key': app.key } });
      expect(pdf.statusCode).toBe(200);
    }
  });

  it('lets monitors go on', async () => {
    const { status, body } = await app.post('/v1/monitor/subscriptions', {
      identifiers: companies,
      country: 'BR',
      webhook_url: 'https://127.0.0.1/hook',
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const { checks } = app.open(monitorService);
    const signal = new AbortController().signal;
    await checks.check('BR', signal);
    activity = `Sapataria${ODD}`;
    now += 7 * HOUR_MS;
    await checks.check('BR', signal);
    expect(await app.db('watched_companies').whereNot({ failures: 0 })).toEqual([]);
    expect(await app.db('watched_companies').whereNotNull('checked_at')).toHaveLength(companies.length);
  });

  it('answers REST and GraphQL with bounded, well-formed texts', async () => {
    const query = `query ($id: String!) { company(identifier: $id) {
      name kyb { companyName } profile { activity } owners { owners { name role identifier legalRepName } } compliance(receipt: true) { evidence { document } } } }`;
    const answers = await Promise.all(
      [long, ...companies.slice(0, 2)].flatMap((cnpj) => [
        app.query(query, { id: cnpj }),
        ...['/v1/kyb', '/v1/owners', '/v1/enrich'].map((path) => app.post(path, { identifier: cnpj, country: 'BR' })),
      ]),
    );
    expect(answers.map(({ status, body }) => [status, body.errors])).toEqual(answers.map(() => [200, undefined]));
    for (const { body } of answers) {
      const text = JSON.stringify(body);
      expect(text).not.toMatch(/\\u0000|\\ud800/);
      expect(text.length).toBeLessThan(20_000);
    }
    expect(app.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

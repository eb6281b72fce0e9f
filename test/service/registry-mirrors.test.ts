import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { minhaReceitaJson } from '../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { openCnpjJson } from '../../sandbox/upstreams/receita-federal/opencnpj.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type Reply, upstream } from '../support/upstream.ts';

/*
 * A half-failed load of a mirror: https://github.com/cuducos/minha-receita/issues/269, https://github.com/BrasilAPI/BrasilAPI/issues/650.
 * Broken encodings of one: https://github.com/cuducos/minha-receita/issues/216.
 */

const clean = companyByScenario('clean');
const whole = minhaReceitaJson(clean);
const hollow = { ...whole, razao_social: '', qsa: [], porte: null, codigo_porte: null };
const DATES: Readonly<Record<string, Reply>> = {
  '/updated': { body: { message: '2026-10-14' } },
  '/info': { body: { last_updated: '2026-10-15T00:00:00Z' } },
};

let app: TestApp | undefined;
afterEach(() => app?.close());

/** A service over two mirrors, each with the companies of a record by path. */
async function start(first: Readonly<Record<string, Reply>>, second: Readonly<Record<string, Reply>> = {}) {
  const absent = { status: 404, body: { error: 'not found' } };
  const mirrors = await Promise.all([first, second].map((mirror) => upstream((path) => ({ ...DATES, ...mirror })[path] ?? absent)));
  const [registry = '', other = ''] = mirrors.map(({ url }) => url);
  app = await testApp({ env: { QUIPU_RECEITA_URL: registry, QUIPU_RECEITA_FALLBACK_URL: other } });
  return { app, first: mirrors[0], second: mirrors[1] };
}

const record = (body: object, cnpj = clean.cnpj): Readonly<Record<string, Reply>> => ({ [`/${cnpj}`]: { body } });

describe('a mirror of the Brazilian registry with empty records', () => {
  it('is replaced by the second one on every face, which name it and its date', async () => {
    const { app } = await start(record(hollow), record(openCnpjJson(clean)));
    const { cnpj } = clean;
    expect((await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' })).body).toMatchObject({
      company_name: clean.name,
      status: 'active',
      data_as_of: null,
    });
    expect((await app.post('/v1/compliance-br', { cnpj })).body).toMatchObject({
      company_name: clean.name,
      risk_level: 'low',
      completeness: 'complete',
      sources_failed: [],
      checks: { kyb: { data_as_of: '2026-10-15' }, owners: { count: clean.partners?.length } },
    });
    const { receipt } = (await app.post('/v1/compliance-br', { cnpj, receipt: true })).body.evidence;
    expect(receipt.sources).toContainEqual(expect.objectContaining({ check: 'kyb', mirror: 'opencnpj', data_as_of: '2026-10-15' }));
    expect(receipt.sources.filter((source: object) => 'mirror' in source)).toHaveLength(2);
    const fields = 'companyName mirror freshness { dataAsOf }';
    const { body } = await app.query(`{ company(identifier: "${cnpj}") { kyb { ${fields} } owners { ${fields} } } }`);
    const expected = { companyName: clean.name, mirror: 'OPENCNPJ', freshness: { dataAsOf: '2026-10-15' } };
    expect(body.data.company).toEqual({ kyb: expected, owners: expected });
  });

  it('leaves kyb and owners failed, never clean, where the second one has no answer', async () => {
    const { app } = await start(record(hollow));
    expect((await app.post('/v1/compliance-br', { cnpj: clean.cnpj })).body).toMatchObject({
      completeness: 'partial',
      sources_failed: ['kyb', 'owners'],
    });
  });

  it('PR-02 prints no partner of a record without a legal name in the log', async () => {
    const named = { ...whole, razao_social: '', qsa: [{ ...(whole.qsa as readonly object[])[0], nome_socio: 'FULANA CANARIA DE TAL' }] };
    const { app } = await start(record(named), record({ ...openCnpjJson(clean), razao_social: '' }));
    const { body } = await app.post('/v1/owners', { identifier: clean.cnpj, country: 'BR' });
    expect(body.owners).toEqual([expect.objectContaining({ name: 'FULANA CANARIA DE TAL' })]);
    const lines = app.lines.filter(({ kind }) => kind === 'empty_record').map((line) => JSON.stringify(line));
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toMatch(/CANARIA|\*{3}\d|qsa|partners/);
  });

  it('leaves the owners alone failed where only the partners are missing', async () => {
    const { app } = await start(record({ ...whole, qsa: [] }));
    expect((await app.post('/v1/compliance-br', { cnpj: clean.cnpj })).body).toMatchObject({
      company_name: clean.name,
      checks: { kyb: { status: 'active', data_as_of: '2026-10-14' }, owners: null },
      completeness: 'partial',
      sources_failed: ['owners'],
    });
    expect((await app.post('/v1/owners', { identifier: clean.cnpj, country: 'BR' })).body.code).toBe('source_unavailable');
  });

  it('leaves the owners failed where both mirrors have neither a name nor partners', async () => {
    const { app } = await start(record(hollow), record({ ...openCnpjJson(clean), razao_social: '', QSA: [] }));
    expect((await app.post('/v1/compliance-br', { cnpj: clean.cnpj })).body).toMatchObject({
      completeness: 'partial',
      sources_failed: ['owners'],
    });
  });

  it('is replaced where a word or a sign stands for the missing name, and where no partner has one', async () => {
    for (const name of ['null', 'N/A', 'NaN', '********', '-', '\u200b', '\u0000']) {
      const { app } = await start(record({ ...whole, razao_social: name }), record(openCnpjJson(clean)));
      expect((await app.post('/v1/kyb', { identifier: clean.cnpj, country: 'BR' })).body.company_name, name).toBe(clean.name);
      await app.close();
    }
    const nameless = (whole.qsa as readonly object[]).map((partner) => ({ ...partner, nome_socio: null }));
    const { app } = await start(record({ ...whole, qsa: nameless }), record(openCnpjJson(clean)));
    const { body } = await app.post('/v1/owners', { identifier: clean.cnpj, country: 'BR' });
    expect(body.owners.map(({ name }: { name: string }) => name)).toEqual(clean.partners?.map(({ name }) => name));
  });

  it('is read where it has lost the left zeros of the CNPJ', async () => {
    const cnpj = '01234568000130';
    const { app } = await start(record({ ...whole, cnpj: Number(cnpj) }, cnpj));
    expect((await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' })).body.status).toBe('active');
  });

  it('is answered without a name where both have none', async () => {
    const nameless = { ...openCnpjJson(clean), razao_social: '' };
    const { app } = await start(record({ ...whole, razao_social: '' }), record(nameless));
    expect((await app.post('/v1/kyb', { identifier: clean.cnpj, country: 'BR' })).body).toMatchObject({
      company_name: '',
      status: 'active',
    });
    const { body } = await app.query(
      `{ company(identifier: "${clean.cnpj}") { name kyb { companyName status } owners { companyName companyKnown } } }`,
    );
    expect(body.data.company).toEqual({
      name: null,
      kyb: { companyName: null, status: 'ACTIVE' },
      owners: { companyName: null, companyKnown: true },
    });
  });
});

describe('the owners of a branch whose record has none', () => {
  const branch = companyByScenario('branch-without-owners');
  const head = companyByScenario('branch-open');
  const owners = (app: TestApp) => app.post('/v1/owners', { identifier: branch.cnpj, country: 'BR' });
  const [branchRecord, branchSecond] = [record(minhaReceitaJson(branch), branch.cnpj), record(openCnpjJson(branch), branch.cnpj)];

  it('are those of its head office, on every face, which is read once', async () => {
    const { app, first } = await start({ ...branchRecord, ...record(minhaReceitaJson(head), head.cnpj) }, branchSecond);
    const names = head.partners?.map(({ name }) => name);
    const { status, body } = await owners(app);
    expect([status, body.company_name, body.owners.map(({ name }: { name: string }) => name)]).toEqual([200, head.name, names]);
    const check = await app.post('/v1/compliance-br', { cnpj: branch.cnpj });
    expect(check.body).toMatchObject({ completeness: 'complete', checks: { owners: { count: names?.length } } });
    const answer = await app.query(`{ company(identifier: "${branch.cnpj}") { owners { count } } }`);
    expect(answer.body.data.company.owners).toEqual({ count: names?.length });
    expect(first?.asked.filter((path) => path === `/${head.cnpj}`)).toHaveLength(1);
  });

  it.each<[string, Readonly<Record<string, Reply>>]>([
    ['fails', { [`/${head.cnpj}`]: { status: 500, body: '' } }],
    ['is unknown', { [`/${head.cnpj}`]: { status: 404, body: { message: 'CNPJ 99.020.009/0001-21 não encontrado.' } } }],
    ['is a branch itself', record({ ...minhaReceitaJson(head), identificador_matriz_filial: 2 }, head.cnpj)],
  ])('are a failed source, not an empty list, where the head office %s', async (_, headOffice) => {
    const { app } = await start({ ...branchRecord, ...headOffice }, branchSecond);
    expect((await owners(app)).body.code).toBe('source_unavailable');
    expect((await app.post('/v1/compliance-br', { cnpj: branch.cnpj })).body).toMatchObject({
      completeness: 'partial',
      sources_failed: ['owners'],
      checks: { kyb: { status: 'active' }, owners: null },
    });
  });
});

describe('broken encodings of a mirror', () => {
  const accident = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

  it('are repaired in names, and what has a code is named by it', async () => {
    const [partner] = whole.qsa as readonly object[];
    const broken = {
      ...whole,
      razao_social: accident('CONSTRUÇÃO SÃO JOÃO &amp; FILHOS LTDA'),
      cnae_fiscal: 6201501,
      cnae_fiscal_descricao: accident('Comércio varejista de produtos farmacêuticos'),
      qsa: [
        { ...partner, nome_socio: accident('JOÃO DA CONCEIÇÃO'), codigo_qualificacao_socio: 49, qualificacao_socio: 'S?cio-Administrador' },
        { ...partner, nome_socio: 'IRMÃ ANA', codigo_qualificacao_socio: null, qualificacao_socio: accident('Sócio-Gerente') },
      ],
    };
    const { app } = await start(record(broken));
    const { body } = await app.post('/v1/owners', { identifier: clean.cnpj, country: 'BR' });
    expect(body).toMatchObject({
      company_name: 'CONSTRUÇÃO SÃO JOÃO & FILHOS LTDA',
      owners: [
        { name: 'JOÃO DA CONCEIÇÃO', role: 'Sócio-Administrador' },
        { name: 'IRMÃ ANA', role: 'Sócio-Gerente' },
      ],
    });
    const profile = await app.post('/v1/enrich', { identifier: clean.cnpj });
    expect(profile.body).toMatchObject({
      activity_code: '6201501',
      activity: 'Desenvolvimento de programas de computador sob encomenda',
    });
  });
});

it('an active registration with an obligation open is active, in its own words', async () => {
  const sandbox = await testApp();
  onTestFinished(() => sandbox.close());
  const { cnpj } = companyByScenario('status-irregular');
  const { body } = await sandbox.query(
    `{ company(identifier: "${cnpj}") { kyb { status verified registration } compliance { riskLevel } } }`,
  );
  expect(body.data.company).toEqual({
    kyb: { status: 'ACTIVE', verified: true, registration: 'ATIVA NÃO REGULAR' },
    compliance: { riskLevel: 'LOW' },
  });
});

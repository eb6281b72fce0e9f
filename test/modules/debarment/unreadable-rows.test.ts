import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { cnpjCheckDigits } from '../../../src/domain/check-digits.ts';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { cnpjsFrom } from '../../support/made-up-cnpjs.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { start as startScreening, work } from '../screening/support.ts';

const clean = companyByScenario('clean');
const other = companyByScenario('branch-open');
/** In CEIS with thirteen digits. */
const SHORT = '01234568000130';

/** The companies of one row of CEIS and of the list of employers; the row prints the second branch of the second one. */
const FIRST = '11222333000181';
const SECOND = `443332220001${cnpjCheckDigits('443332220001')}`;
const SECOND_BRANCH = '44333222000282';
const BOTH = `${formatCnpj(FIRST)} e ${formatCnpj(SECOND_BRANCH)}`;

const CEIS_HEADER =
  'CADASTRO;CÓDIGO DA SANÇÃO;TIPO DE PESSOA;CPF OU CNPJ DO SANCIONADO;NOME DO SANCIONADO;NÚMERO DO PROCESSO;CATEGORIA DA SANÇÃO;DATA INÍCIO SANÇÃO;DATA FINAL SANÇÃO;ÓRGÃO SANCIONADOR';
const ceisRow = (document: string, name: string, i: number) => `CEIS;${i};J;${document};${name};P;Suspensão;28/02/2024;;Prefeitura`;
const LABOR_HEADER =
  'ID;Ano da ação fiscal;UF;Empregador;CNPJ/CPF;Estabelecimento;Trabalhadores envolvidos;CNAE;Decisão administrativa de procedência;Inclusão no Cadastro de Empregadores';
const laborRow = (document: string, name: string, i: number) =>
  `${i};2023;MG;${name};${document};SITIO, UBERABA/MG;1;0134-2/00;28/03/2024;27/10/2024`;

/** A list of 400 sound rows and those given. */
const file = (header: string, row: typeof ceisRow, ...rows: readonly (readonly [document: string, name: string])[]) =>
  Buffer.from(
    [
      header,
      ...cnpjsFrom(44_000_000, 400).map((cnpj, i) => row(cnpj, 'FICTICIA', i + 1)),
      ...rows.map(([document, name], i) => row(document, name, 1_000 + i)),
    ].join('\r\n'),
    'latin1',
  );

let publisher: Upstream & { close(): Promise<void> };
let app: TestApp;
let withoutRegistry: TestApp;
beforeAll(async () => {
  const ceis = file(
    CEIS_HEADER,
    ceisRow,
    ['1234568000130', 'FICTICIA'],
    [BOTH, 'FICTICIAS'],
    ['31,00E+13', `${clean.name.replace(/ LTDA$/, '')} - ME`],
  );
  const labor = file(LABOR_HEADER, laborRow, [BOTH, 'FICTICIAS'], ['', clean.name]);
  publisher = await startUpstream((path) => {
    if (path.startsWith('/ceis')) return { body: ceis };
    return path.startsWith('/labor') ? { body: labor } : { status: 500, body: '' };
  });
  const env = { QUIPU_CEIS_URL: `${publisher.url}/ceis.csv`, QUIPU_LABOR_URL: `${publisher.url}/labor.csv` };
  app = await testApp({ env });
  withoutRegistry = await testApp({
    env: { ...env, QUIPU_RECEITA_URL: `${publisher.url}/receita` },
  });
}, 120_000);
afterAll(async () => {
  await app?.close();
  await withoutRegistry?.close();
  await publisher?.close();
});

const ask = (path: string, identifier: string, service = app) => service.post(path, { identifier, country: 'BR' });

describe('a row of a list whose id', () => {
  // https://github.com/allanbmartins/Projeto_ETL_RFB_IBGE_ANP/issues/7, https://github.com/bndes/bndestoken/issues/27
  it('has lost its left zero is found by the CNPJ, which callers may give without the zero, too', async () => {
    for (const identifier of ['01.234.568/0001-30', '1234568000130', '1.234.568/0001-30']) {
      const { status, body } = await ask('/v1/debarment', identifier);
      expect([status, body.is_debarred, body.records.length, body.identifier]).toEqual([200, true, 1, identifier]);
    }
    const { body } = await app.query(`{ company(identifier: "1234568000130") { debarment { records { cnpj matchedOn } } } }`);
    expect(body.data.company.debarment.records).toEqual([{ cnpj: SHORT, matchedOn: 'CNPJ' }]);
  });

  it('names two companies is shown for each of them with its own CNPJ', async () => {
    const records = async (cnpj: string) => {
      const { body } = await app.query(
        `{ company(identifier: "${cnpj}") { debarment { records { cnpj matchedOn } } labor { records { matchedOn } } } }`,
      );
      const { debarment, labor } = body.data.company;
      return [...debarment.records, ...labor.records];
    };
    expect(await records(FIRST)).toEqual([{ cnpj: FIRST, matchedOn: 'CNPJ' }, { matchedOn: 'CNPJ' }]);
    expect(await records(SECOND_BRANCH)).toEqual([{ cnpj: SECOND_BRANCH, matchedOn: 'CNPJ' }, { matchedOn: 'CNPJ' }]);
    expect(await records(SECOND)).toEqual([{ cnpj: SECOND_BRANCH, matchedOn: 'ROOT' }, { matchedOn: 'ROOT' }]);
  });

  it('cannot be read does not clear a company with its name', async () => {
    const { status, body } = await ask('/v1/debarment', clean.cnpj);
    expect([status, body.code]).toEqual([503, 'source_unavailable']);
    expect(body.detail).toMatch(/^CEIS has rows whose tax id cannot be read, and one of them has a name like that of this company/);
    expect((await ask('/v1/labor', clean.cnpj)).status).toBe(503);

    const graphql = await app.query(`{ company(identifier: "${clean.cnpj}") { debarment { isDebarred } labor { hasViolations } } }`);
    expect(graphql.body.data.company).toEqual({ debarment: null, labor: null });
    expect(graphql.body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual(
      Array(2).fill('SOURCE_UNAVAILABLE'),
    );
  });

  it('cannot be read leaves the consolidated check of that company partial, and its receipt', async () => {
    const { body } = await app.post('/v1/compliance-br', { cnpj: clean.cnpj, receipt: true });
    expect(body.completeness).toBe('partial');
    expect(body.sources_failed).toEqual(['debarment', 'labor']);
    expect([body.checks.debarment, body.checks.labor]).toEqual([null, null]);
  });

  it('cannot be read leaves that company of a screening without a result, and the others with one', async () => {
    await startScreening(app, [clean.cnpj, other.cnpj], { modules: ['debarment'] });
    await work(app);
    expect(await app.db('screening_companies').where({ state: 'answered' }).pluck('tax_id')).toEqual([other.cnpj]);
  });

  it('cannot be read is of no matter for a company with another name, and for one that the registry does not have', async () => {
    for (const cnpj of [other.cnpj, ...cnpjsFrom(51_000_000, 1)]) {
      const { status, body } = await ask('/v1/debarment', cnpj);
      expect([status, body.is_debarred, body.sources_checked]).toEqual([200, false, ['CEIS', 'CNEP']]);
    }
  });

  it('cannot be read clears nobody while the registry, which knows the names, is down', async () => {
    const { status, body } = await ask('/v1/debarment', other.cnpj, withoutRegistry);
    expect([status, body.detail]).toEqual([503, expect.stringMatching(/name of this company.* is not known right now/)]);
    expect((await ask('/v1/debarment', SHORT, withoutRegistry)).body.is_debarred).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { sampleJson } from '../support/samples.ts';
import { sandboxForFile } from './support.ts';

const server = sandboxForFile();
const get = server.get;

type Owners = readonly Readonly<Record<string, unknown>>[];
interface Answer {
  readonly qsa: Owners;
  readonly QSA: Owners;
}

const sample = (file: string): Answer => sampleJson(`brazil/cnpj/${file}`);
const cnpjOf = (scenario: string): string => companyByScenario(scenario).cnpj;
const minha = async (scenario: string) => (await (await get(`/receita_federal/${cnpjOf(scenario)}`)).json()) as Answer;
const open = async (scenario: string) => (await (await get(`/opencnpj/${cnpjOf(scenario)}`)).json()) as Answer;

describe('simulated minha-receita', () => {
  it('returns every company that is in both registries', async () => {
    for (const { cnpj, name } of companies.filter(({ knownTo }) => knownTo === 'both')) {
      const answer = await get(`/receita_federal/${cnpj}`);
      expect([answer.status, await answer.json()]).toMatchObject([200, { cnpj, razao_social: name, email: null }]);
    }
  });

  it('accepts a formatted, a percent-encoded and a lower-case CNPJ', async () => {
    const { cnpj } = companyByScenario('alphanumeric');
    for (const written of [formatCnpj(cnpj), encodeURIComponent(formatCnpj(cnpj)), cnpj.toLowerCase()]) {
      expect((await get(`/receita_federal/${written}`)).status).toBe(200);
    }
  });

  it('answers JSON with a max-age of one day', async () => {
    const { headers } = await get(`/receita_federal/${cnpjOf('clean')}`);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual(['application/json', 'max-age=86400']);
  });

  it('answers 404 with the message of the registry for unknown companies and false 404s', async () => {
    for (const scenario of ['unknown', 'unknown-alphanumeric', 'false-404']) {
      const answer = await get(`/receita_federal/${cnpjOf(scenario)}`);
      expect([answer.status, await answer.json()]).toEqual([404, { message: `CNPJ ${formatCnpj(cnpjOf(scenario))} não encontrado.` }]);
    }
  });

  it('verifies check digits', async () => {
    const wrong = cnpjOf('clean').replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
    const answer = await get(`/receita_federal/${wrong}`);
    expect([answer.status, await answer.json()]).toEqual([400, { message: `CNPJ ${formatCnpj(wrong)} inválido.` }]);
    expect(await (await get('/receita_federal/foobar')).json()).toEqual({ message: 'CNPJ foobar inválido.' });
  });

  it('accepts GET only, and refuses the user agent of Node', async () => {
    const url = `/receita_federal/${cnpjOf('clean')}`;
    expect((await get(url, { method: 'HEAD' })).status).toBe(405);
    expect(await (await get(url, { method: 'POST' })).json()).toEqual({ message: 'Essa URL aceita apenas o método GET.' });
    expect((await get(url, { headers: { 'user-agent': 'node' } })).status).toBe(403);
  });

  it('has every key of a real answer and no other, in the company and in its owners', async () => {
    const real = sample('minhareceita_19131243000197.json');
    const ours = await minha('owners-foreign');
    expect(Object.keys(ours).sort()).toEqual(Object.keys(real).sort());
    expect(Object.keys(ours.qsa[0] ?? {}).sort()).toEqual(Object.keys(real.qsa[0] ?? {}).sort());
  });

  it('writes codes as numbers without leading zeros', async () => {
    expect(await minha('activity-leading-zero')).toMatchObject({
      cnae_fiscal: 220903,
      codigo_municipio: 607,
      cnaes_secundarios: [{ codigo: 210108 }, {}],
    });
  });

  it('rounds capital through a 32-bit float', async () => {
    expect(await minha('clean-sa-open')).toMatchObject({ capital_social: 1061004800 });
  });

  it('returns the special values of the registry', async () => {
    expect(await minha('activities-null')).toMatchObject({ cnaes_secundarios: null });
    expect(await minha('status-date-null')).toMatchObject({ situacao_cadastral: 2, data_situacao_cadastral: null });
    expect(await minha('judicial-recovery')).toMatchObject({
      situacao_especial: 'RECUPERACAO JUDICIAL',
      data_situacao_especial: '2024-06-10',
    });
    expect(await minha('simples-left')).toMatchObject({ opcao_pelo_simples: false, data_opcao_pelo_simples: '2012-03-14' });
    expect(await minha('clean-domiciled-abroad')).toMatchObject({
      uf: 'EX',
      codigo_pais: 445,
      pais: 'LUXEMBURGO',
      nome_cidade_no_exterior: 'LUXEMBOURG',
    });
    expect(await minha('branch-elevated')).toMatchObject({
      identificador_matriz_filial: 1,
      descricao_identificador_matriz_filial: 'MATRIZ',
    });
  });

  it('returns owners of every kind, an empty list, null and a list of 42', async () => {
    const { qsa } = await minha('owners-foreign');
    expect(qsa).toMatchObject([
      {
        identificador_de_socio: 3,
        codigo_qualificacao_socio: 37,
        pais: 'LUXEMBURGO',
        cnpj_cpf_do_socio: '',
        codigo_qualificacao_representante_legal: 17,
      },
      {
        identificador_de_socio: 3,
        codigo_qualificacao_socio: 38,
        pais: 'URUGUAI',
        cnpj_cpf_do_socio: '***000000**',
        nome_representante_legal: expect.stringMatching(/\w/),
      },
    ]);
    expect((await minha('owners-level-1')).qsa).toMatchObject([
      { identificador_de_socio: 1, cnpj_cpf_do_socio: cnpjOf('owners-level-2') },
      { identificador_de_socio: 2 },
    ]);
    expect((await minha('owners-country-unnamed')).qsa[0]).toMatchObject({ codigo_pais: 367, pais: null });
    expect((await minha('owners-impossible-date')).qsa).toMatchObject([
      { data_entrada_sociedade: '0202-05-14' },
      { data_entrada_sociedade: '4100-01-01' },
      {},
    ]);
    expect([(await minha('owners-none')).qsa, (await minha('owners-null')).qsa]).toEqual([[], null]);
    expect((await minha('owners-many')).qsa).toHaveLength(42);
  });
});

describe('simulated OpenCNPJ', () => {
  it('returns a company that minha-receita lacks, and answers 404 when both lack it', async () => {
    expect(await open('false-404')).toMatchObject({ situacao_cadastral: 'Ativa', QSA: [{}, {}] });
    const answer = await get(`/opencnpj/${cnpjOf('unknown')}`);
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'not found' }]);
  });

  it('answers invalid for a malformed CNPJ and 404 for wrong check digits', async () => {
    expect(await (await get('/opencnpj/123')).json()).toEqual({ error: 'invalid cnpj' });
    expect((await get('/opencnpj/99010001000100')).status).toBe(404);
    expect((await get(`/opencnpj/${formatCnpj(cnpjOf('clean'))}`)).status).toBe(200);
  });

  it('writes amounts, codes and labels as text', async () => {
    expect(await open('clean-sa-open')).toMatchObject({ capital_social: '1061004829,23', opcao_simples: '', matriz_filial: 'Matriz' });
    expect(await open('activity-leading-zero')).toMatchObject({ cnae_principal: '0220903', codigo_municipio: '0607' });
    expect(await open('false-404-closed')).toMatchObject({ situacao_cadastral: 'Baixada', motivo_situacao_cadastral: { codigo: '54' } });
    expect((await open('owners-foreign')).QSA[0]).toMatchObject({
      identificador_socio: 'Estrangeiro',
      pais: { codigo: '445', descricao: 'LUXEMBURGO' },
    });
    expect(await open('owners-null')).toMatchObject({ QSA: [], opcao_mei: '' });
  });

  it('has every key of a real answer and no other', async () => {
    const real = sample('opencnpj_04311762000160.json');
    const ours = await open('clean');
    expect(Object.keys(ours)).toEqual(Object.keys(real));
    expect(Object.keys(ours.QSA[0] ?? {})).toEqual(Object.keys(real.QSA[0] ?? {}));
  });
});

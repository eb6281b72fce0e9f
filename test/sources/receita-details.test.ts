import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMinhaReceita } from '../../src/sources/receita-federal/minha-receita.ts';
import { readOpenCnpj } from '../../src/sources/receita-federal/opencnpj.ts';
import { needsPublished, publishedPath } from '../support/samples.ts';
import { acme, CNPJ, opencnpj } from './receita-answers.ts';

const place = { logradouro: 'DOS EXEMPLOS', numero: '12', complemento: 'SALA 3', bairro: 'CENTRO', cep: '68940000' };
const first = {
  ...acme,
  ...place,
  motivo_situacao_cadastral: 0,
  descricao_motivo_situacao_cadastral: 'SEM MOTIVO',
  codigo_natureza_juridica: 2062,
  natureza_juridica: 'Sociedade Empresária Limitada',
  capital_social: 1500.5,
  descricao_tipo_de_logradouro: 'RUA',
  opcao_pelo_simples: true,
  data_opcao_pelo_simples: '2007-07-01',
};
const second = {
  ...opencnpj,
  ...place,
  motivo_situacao_cadastral: { codigo: '00', descricao: 'SEM MOTIVO' },
  natureza_juridica: 'Sociedade Empresária Limitada',
  capital_social: '1500,50',
  tipo_logradouro: 'RUA',
  opcao_simples: 'S',
  data_opcao_simples: '2007-07-01',
  data_exclusao_simples: '',
  email: 'CONTATO@EXAMPLE.COM',
  telefones: [{ ddd: '96', numero: '00000000', is_fax: false }],
};

const read = (change: object) => readMinhaReceita({ status: 200, text: JSON.stringify({ ...first, ...change }) }, CNPJ)?.details;
const openRead = (change: object) => readOpenCnpj({ status: 200, text: JSON.stringify({ ...second, ...change }) }, CNPJ)?.details;

const ACTIVITY = 'Atividades de apoio à agricultura não especificadas anteriormente';
const NO_REGIME = { isMember: null, since: null, until: null };
const NO_STREET = { street: null, number: null, complement: null };

describe('the public record of a company at the Brazilian registry', () => {
  it('is read field by field from minha-receita and BrasilAPI', () => {
    const record = {
      motivo_situacao_cadastral: 1,
      descricao_motivo_situacao_cadastral: 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA',
      data_exclusao_do_simples: '2020-12-31',
      data_opcao_pelo_mei: '2009-07-01',
      data_exclusao_do_mei: '2010-07-01',
      ente_federativo_responsavel: 'MATO GROSSO',
      situacao_especial: 'EM LIQUIDACAO',
      data_situacao_especial: '2025-02-17',
    };
    expect(read(record)).toEqual({
      reason: { code: '01', text: 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA' },
      natureName: 'Sociedade Empresária Limitada',
      otherActivities: [{ code: '0161099', text: ACTIVITY }],
      address: {
        street: 'RUA DOS EXEMPLOS',
        number: '12',
        complement: 'SALA 3',
        district: 'CENTRO',
        postalCode: '68940000',
        foreignCity: null,
        foreignCountry: null,
      },
      simples: { isMember: true, since: '2007-07-01', until: '2020-12-31' },
      mei: { isMember: false, since: '2009-07-01', until: '2010-07-01' },
      federativeEntity: 'MATO GROSSO',
      specialSituationSince: '2025-02-17',
    });
  });

  it('is read field by field from OpenCNPJ', () => {
    const record = {
      motivo_situacao_cadastral: { codigo: '63', descricao: 'OMISSAO DE DECLARACOES' },
      data_exclusao_simples: '2020-12-31',
      data_opcao_mei: '2009-07-01',
      data_exclusao_mei: '2010-07-01',
      ente_federativo: 'MATO GROSSO',
      data_situacao_especial: '2025-02-17',
    };
    expect(openRead(record)).toEqual({
      ...openRead({}),
      reason: { code: '63', text: 'OMISSAO DE DECLARACOES' },
      simples: { isMember: true, since: '2007-07-01', until: '2020-12-31' },
      mei: { isMember: false, since: '2009-07-01', until: '2010-07-01' },
      federativeEntity: 'MATO GROSSO',
      specialSituationSince: '2025-02-17',
    });
  });

  it('is the same from both forms', () => {
    expect(openRead({})).toEqual(read({}));
  });

  it('is null where the mirror has nothing, and never empty text', () => {
    const keys = Object.keys({ ...first, ...second }).filter((key) =>
      /^(motivo|descricao_(motivo|tipo)|capital|cnae|tipo|logr|num|compl|bairro|cep|opcao|data_op|natureza|codigo_nat)/.test(key),
    );
    const nothing = {
      reason: null,
      natureName: null,
      otherActivities: null,
      address: { ...NO_STREET, district: null, postalCode: null, foreignCity: null, foreignCountry: null },
      simples: NO_REGIME,
      mei: NO_REGIME,
      federativeEntity: null,
      specialSituationSince: null,
    };
    for (const absent of [undefined, null]) {
      const without = Object.fromEntries(keys.map((key) => [key, absent]));
      expect(read(without)).toEqual(nothing);
      expect(openRead(without)).toEqual(nothing);
    }
    const texts = keys.filter((key) => typeof (second as Record<string, unknown>)[key] === 'string');
    expect(openRead(Object.fromEntries(texts.map((key) => [key, ''])))).toEqual({
      ...nothing,
      otherActivities: [expect.anything(), expect.anything()],
    });
  });

  it('has no capital where the registry has its placeholder for an unknown one', () => {
    for (const capital_social of [999999999999, Math.fround(999999999999), '999999999999,00', -1, {}, ''])
      expect(readMinhaReceita({ status: 200, text: JSON.stringify({ ...first, capital_social }) }, CNPJ)?.capital).toBeNull();
  });

  it.each([
    ['has no other activities', [], []],
    ['has a placeholder for none', [{ codigo: 0, descricao: '' }], []],
    ['has a code as punctuated text', [{ codigo: '0161-0/99' }], [{ code: '0161099', text: ACTIVITY }]],
    ['has a code that the tables lack', [{ codigo: 9999999, descricao: 'NOVA' }], [{ code: '9999999', text: 'NOVA' }]],
  ])('%s', (_, cnaes_secundarios, otherActivities) => {
    expect(read({ cnaes_secundarios })).toMatchObject({ otherActivities });
  });

  it('has at most 99 other activities, the limit of the registry', () => {
    const cnaes_secundarios = Array.from({ length: 5_000 }, () => ({ codigo: 161099, descricao: 'A' }));
    expect(read({ cnaes_secundarios })?.otherActivities).toHaveLength(99);
  });

  it.each([
    ['of eight digits', '68940-000', '68940000'],
    ['that lost its left zero as a number', 1001000, '01001000'],
    ['that is cut', '0100', null],
    ['that is cut to seven digits, below the lowest one', '0100100', null],
    ['with a digit too many', '689400001', null],
    ['of zeros', '00000000', null],
  ])('has a postal code only if it is a whole one: one %s', (_, cep, postalCode) => {
    expect(read({ cep })).toMatchObject({ address: { postalCode } });
  });

  it('has the city and country of an address abroad', () => {
    const abroad = { foreignCity: 'LUXEMBOURG', foreignCountry: 'LUXEMBURGO', postalCode: null };
    expect(read({ uf: 'EX', cep: '', nome_cidade_no_exterior: 'LUXEMBOURG', pais: 'LUXEMBURGO' })).toMatchObject({ address: abroad });
    expect(
      openRead({ uf: 'EX', cep: '', nome_cidade_exterior: 'LUXEMBOURG', pais: { codigo: '445', descricao: 'LUXEMBURGO' } }),
    ).toMatchObject({
      address: abroad,
    });
  });

  it.each([
    ['a sole trader', { codigo_natureza_juridica: 2135, natureza_juridica: 'Empresário (Individual)' }],
    ['a micro-entrepreneur', { opcao_pelo_mei: true }],
    ['a company of an unknown legal nature', { codigo_natureza_juridica: null, natureza_juridica: null }],
  ])('PR-01 does not have the street of %s, which is a private home', (_, change) => {
    expect(read(change)).toMatchObject({ address: { ...NO_STREET, district: 'CENTRO', postalCode: '68940000' } });
  });

  it('PR-01 has no telephone number, no e-mail address and no CPF', () => {
    const cpf = '529.982.247-25';
    const texts = { logradouro: `A CPF ${cpf}`, complemento: cpf, bairro: cpf, ente_federativo_responsavel: cpf, pais: cpf };
    const printed = JSON.stringify([
      read({ ...texts, numero: cpf, descricao_motivo_situacao_cadastral: cpf, motivo_situacao_cadastral: 5, email: 'A@EXAMPLE.COM' }),
      openRead({ logradouro: cpf, complemento: cpf, bairro: cpf, ente_federativo: cpf }),
    ]);
    expect(printed).toContain('***982247**');
    expect(printed).not.toMatch(/529|24725|247-25|@|00000000"/);
  });

  it('has texts of bounded length', () => {
    const long = 'A'.repeat(100_000);
    const details = read({ logradouro: long, complemento: long, bairro: long, ente_federativo_responsavel: long, cep: long, numero: long });
    expect(JSON.stringify(details).length).toBeLessThan(3_000);
  });

  it.each([
    ['cnaes_secundarios', 'none'],
    ['cnaes_secundarios', [{ codigo: {} }]],
    ['cep', []],
    ['opcao_pelo_simples', 'S'],
    ['logradouro', 12],
    ['data_situacao_especial', 20250217],
  ])('is a failed answer of the mirror where %s is %j', (field, value) => {
    expect(() => read({ [field]: value })).toThrow();
  });
});

const recorded = (name: string): string => readFileSync(publishedPath(`brazil/cnpj/${name}`), 'utf8');

describe('the public record in recorded answers', () => {
  it('of BrasilAPI has what it prints', needsPublished('brazil/cnpj/brasilapi_00000000E08G12.json'), () => {
    const company = readMinhaReceita({ status: 200, text: recorded('brasilapi_00000000E08G12.json') }, '00000000E08G12');
    expect(company?.details).toEqual({
      reason: null,
      natureName: 'Sociedade de Economia Mista',
      otherActivities: expect.arrayContaining([
        { code: '6499999', text: 'Outras atividades de serviços financeiros não especificadas anteriormente' },
      ]),
      address: {
        street: 'QUADRA 201',
        number: 'S/N',
        complement: 'SETOR SHCN CL BLOCO D LOJA 80',
        district: 'ASA NORTE',
        postalCode: '70832540',
        foreignCity: null,
        foreignCountry: null,
      },
      simples: { isMember: false, since: '2007-07-01', until: '2007-07-01' },
      mei: { isMember: false, since: '2009-07-01', until: '2009-07-01' },
      federativeEntity: null,
      specialSituationSince: null,
    });
  });

  it('of minha-receita has what it prints', needsPublished('brazil/cnpj/minhareceita_19131243000197.json'), () => {
    const company = readMinhaReceita({ status: 200, text: recorded('minhareceita_19131243000197.json') }, '19131243000197');
    expect(company?.details).toMatchObject({
      natureName: 'Associação Privada',
      address: { street: 'AVENIDA PAULISTA 37', number: '37', complement: 'ANDAR 4', district: 'BELA VISTA', postalCode: '01311902' },
      simples: NO_REGIME,
    });
    expect(company?.details.otherActivities).toHaveLength(5);
  });

  it('of OpenCNPJ agrees with that of BrasilAPI about the same company', needsPublished('brazil/cnpj/opencnpj_04311762000160.json'), () => {
    const one = readOpenCnpj({ status: 200, text: recorded('opencnpj_04311762000160.json') }, '04311762000160');
    const other = readMinhaReceita({ status: 200, text: recorded('brasilapi_04311762000160.json') }, '04311762000160');
    expect(one?.details).toEqual(other?.details);
    expect(one?.details).toMatchObject({ natureName: 'Cooperativa' });
  });
});

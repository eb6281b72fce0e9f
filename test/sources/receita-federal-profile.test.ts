import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ReceitaCompany } from '../../src/sources/receita-federal/company.ts';
import { readMinhaReceita } from '../../src/sources/receita-federal/minha-receita.ts';
import { acme, CNPJ, notFound, opencnpj, setup } from './receita-answers.ts';

function reading(answer: object): ReceitaCompany | null | 'refused' {
  try {
    return readMinhaReceita({ status: 200, text: JSON.stringify(answer) }, CNPJ);
  } catch {
    return 'refused';
  }
}

/** The facts of a company by name, one value each. */
function factsOf(company: ReceitaCompany | null) {
  if (company === null) return [];
  const { details, ...fields } = company;
  const { address, mei, simples, ...more } = details;
  return Object.entries({ ...fields, ...more, ...address, isInMei: mei.isMember, isInSimples: simples.isMember });
}

describe('activity, size and place at the Brazilian tax registry', () => {
  it.each([
    [220903, '0220903'],
    ['6201-5/01', '6201501'],
    [0, null],
    ['0000000', null],
    [2209, null],
    [null, null],
    [undefined, null],
  ])('reads cnae_fiscal %s as %s', async (cnae_fiscal, activityCode) => {
    const { source } = await setup({ body: { ...acme, cnae_fiscal } });
    expect(await source.company(CNPJ)).toMatchObject({ activityCode });
  });

  it.each([
    [{ codigo_porte: 1, porte: 'MICRO EMPRESA' }, 'MICRO EMPRESA'],
    [{ codigo_porte: '05' }, 'DEMAIS'],
    [{ codigo_porte: undefined, porte: 'Demais' }, 'DEMAIS'],
    [{ codigo_porte: 0, porte: 'NÃO INFORMADO' }, null],
    [{ codigo_porte: null, porte: '' }, null],
  ])('reads the size class of %j as %s', async (change, size) => {
    const { source } = await setup({ body: { ...acme, porte: undefined, ...change } });
    expect(await source.company(CNPJ)).toMatchObject({ size });
  });

  it.each([
    ['Microempresa (ME)', 'MICRO EMPRESA'],
    ['Empresa de Pequeno Porte (EPP)', 'EMPRESA DE PEQUENO PORTE'],
    ['Demais', 'DEMAIS'],
    ['Não informado', null],
    ['(ME)', null],
  ])('reads the size class %s of OpenCNPJ as %s', async (porte_empresa, size) => {
    const { source } = await setup(notFound, { body: { ...opencnpj, porte_empresa } });
    expect(await source.company(CNPJ)).toMatchObject({ size });
  });

  it('gives no state and municipality for a company abroad', async () => {
    const { source } = await setup({ body: { ...acme, uf: 'EX', municipio: 'EXTERIOR' } });
    expect(await source.company(CNPJ)).toMatchObject({ state: null, municipality: null });
  });

  it('reads the trade name from both mirrors, null where it is empty', async () => {
    for (const [printed, tradeName] of [
      [' ACME DO POVO ', 'ACME DO POVO'],
      ['NIL', 'NIL'],
      ['ND', 'ND'],
      ['', null],
    ]) {
      const { source: one } = await setup({ body: { ...acme, nome_fantasia: printed } });
      const { source: other } = await setup(notFound, { body: { ...opencnpj, nome_fantasia: printed } });
      for (const source of [one, other]) expect(await source.company(CNPJ)).toMatchObject({ tradeName });
    }
  });

  it('reads the regime of individual micro-entrepreneurs from both mirrors', async () => {
    const { source: one } = await setup({ body: { ...acme, opcao_pelo_mei: true } });
    const { source: other } = await setup(notFound, { body: { ...opencnpj, opcao_mei: 'S' } });
    for (const source of [one, other]) expect(await source.company(CNPJ)).toMatchObject({ isMei: true });
  });

  it('reads a response without activity, size and place', async () => {
    const optional = { cnae_fiscal: undefined, cnae_fiscal_descricao: undefined, codigo_porte: undefined, porte: undefined };
    const place = { uf: undefined, municipio: undefined };
    const nothing = { activityCode: null, activity: null, size: null, isMei: false, state: null, municipality: null };
    const { source: one } = await setup({ body: { ...acme, ...optional, ...place, opcao_pelo_mei: undefined } });
    const { source: other } = await setup(notFound, {
      body: { ...opencnpj, ...place, cnae_principal: '', cnaes: undefined, porte_empresa: '', opcao_mei: '' },
    });
    for (const source of [one, other]) expect(await source.company(CNPJ)).toMatchObject({ legalName: 'ACME LTDA', ...nothing });
  });

  it('reads the same company from both mirrors', async () => {
    const { source: one } = await setup({ body: acme });
    const { source: other } = await setup(notFound, { body: opencnpj });
    const company = await one.company(CNPJ);
    const partners = company?.partners?.map((row) => ({ ...row, roleCode: null }));
    expect(await other.company(CNPJ)).toEqual({ ...company, partners });
  });

  it.each(['cnae_fiscal', 'cnae_fiscal_descricao', 'codigo_porte', 'opcao_pelo_mei', 'uf', 'municipio'] as const)(
    'UP-03 reads an answer whose %s is gone or damaged as the same facts, that one perhaps unknown, or not at all',
    (key) => {
      const whole = reading(acme);
      const truth = whole === 'refused' ? [] : factsOf(whole);
      expect(truth).not.toEqual([]);
      for (const damage of [undefined, null, '', [], { odd: true }]) {
        const read = reading({ ...acme, [key]: damage });
        if (read === 'refused') continue;
        const found = factsOf(read);
        expect(found.map(([name]) => name)).toEqual(truth.map(([name]) => name));
        expect(found.filter(([, value], i) => value !== null && !isDeepStrictEqual(value, truth[i]?.[1]))).toEqual([]);
      }
    },
  );
});

import { describe, expect, it } from 'vitest';
import { cnpjCheckDigits } from '../../src/domain/check-digits.ts';
import { isCpf, maskCpf } from '../../src/domain/personal-ids.ts';
import { readCnpj } from '../../src/domain/tax-id.ts';
import { readMinhaReceita } from '../../src/sources/receita-federal/minha-receita.ts';
import { readOpenCnpj } from '../../src/sources/receita-federal/opencnpj.ts';
import { cpfOf } from '../support/cpf-spellings.ts';
import { acme, CNPJ, opencnpj, partner } from './receita-answers.ts';

const read = (more: object) => readMinhaReceita({ status: 200, text: JSON.stringify({ ...acme, ...more }) }, CNPJ);
const openRead = (more: object) => readOpenCnpj({ status: 200, text: JSON.stringify({ ...opencnpj, ...more }) }, CNPJ);

const branch = `012345670001${cnpjCheckDigits('012345670001')}`;

describe('the document of a partner', () => {
  // https://github.com/renatofrota/pix-pendencias/issues/24: a CPF as a number loses its left zero.
  it.each([
    ['1234567890', '***345678**'],
    [1234567890, '***345678**'],
    ['12.345.678-90', '***345678**'],
    ['012.345.678-90', '***345678**'],
    ['00001234567890', '***345678**'],
    ['123456797', '***234567**'],
    ['52998224725', '***982247**'],
    ['***345678**', '***345678**'],
    ['***000000**', null],
    ['00000000000', null],
    ['000.000.000-00', null],
    [branch, branch],
    [branch.slice(1), branch],
    [Number(branch), branch],
    ['52998224726', null],
    ['1234567891', null],
    ['5299822472', null],
    ['AB1234567', null],
    ['', null],
  ])('PR-01 never shows more than six digits of a person, in either mirror: %j', (document, shown) => {
    const [first] = read({ qsa: [{ ...partner, cnpj_cpf_do_socio: document }] })?.partners ?? [];
    const [second] = openRead({ QSA: [{ ...opencnpj.QSA[0], cnpj_cpf_socio: document }] })?.partners ?? [];
    expect([first?.document, second?.document]).toEqual([shown, shown]);
  });
});

describe('the document of a representative', () => {
  it.each([
    ['52998224725', '***982247**'],
    ['529.982.247-25', '***982247**'],
    [1234567890, '***345678**'],
    ['***345678**', '***345678**'],
    ['***000000**', null],
    ['', null],
    [true, null],
    [null, null],
  ])('is masked as that of a partner, in either mirror: %j', (document, masked) => {
    const [first] = read({ qsa: [{ ...partner, cpf_representante_legal: document }] })?.partners ?? [];
    const [second] = openRead({ QSA: [{ ...opencnpj.QSA[0], representante_legal: document }] })?.partners ?? [];
    expect([first?.legalRepDocument, second?.legalRepDocument]).toEqual([masked, masked]);
  });
});

describe('the document of a person that is also a CNPJ with three zeros before it', () => {
  const documentOf = (document: string) => read({ qsa: [{ ...partner, cnpj_cpf_do_socio: document }] })?.partners?.[0]?.document;

  it('is masked where it is a CPF', () => {
    const cpf = cpfOf('001234567');
    expect(readCnpj(`000${cpf}`)).toBe(`000${cpf}`);
    const masked = maskCpf(cpf);
    expect([cpf, `000${cpf}`, `00${cpf}`].map(documentOf)).toEqual([masked, masked, masked]);
  });

  it('is not shown where it is a CPF with a wrong digit', () => {
    const wrong = `123456789${cnpjCheckDigits('000123456789')}`;
    expect([isCpf(wrong), readCnpj(wrong), documentOf(wrong)]).toEqual([false, `000${wrong}`, null]);
  });
});

describe('the names of a company', () => {
  const named = 'MARIA INVENTADA 1234567890';
  const masked = 'MARIA INVENTADA ***345678**';

  // https://github.com/turicas/socios-brasil/issues/45
  it.each([
    ['a MEI', { opcao_pelo_mei: true, codigo_natureza_juridica: 2135 }, { opcao_mei: 'S', natureza_juridica: 'Empresário (Individual)' }],
    ['a sole trader', { codigo_natureza_juridica: '213-5' }, { natureza_juridica: 'Empresário (Individual)' }],
    ['a nature that is not stated', {}, {}],
  ])('PR-01 have no CPF without its left zero, of %s', (_, first, second) => {
    const names = { razao_social: named, nome_fantasia: named };
    expect(read({ ...names, ...first })).toMatchObject({ legalName: masked, tradeName: masked });
    expect(openRead({ ...names, ...second })).toMatchObject({ legalName: masked, tradeName: masked });
  });

  it('keep a number of ten digits where the company is no natural person', () => {
    const first = read({ razao_social: 'RADIO TAXI 1234567890', codigo_natureza_juridica: 2062 });
    const second = openRead({ razao_social: 'RADIO TAXI 1234567890', natureza_juridica: 'Sociedade Empresária Limitada' });
    expect([first?.legalName, second?.legalName]).toEqual(['RADIO TAXI 1234567890', 'RADIO TAXI 1234567890']);
  });
});

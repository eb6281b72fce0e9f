import { describe, expect, it } from 'vitest';
import { holdsPersonOnly, listTaxId } from '../../../src/modules/sanctions/sources/list-tax-ids.ts';

const key = (type: string, number: string, country: string | null) => listTaxId(type, number, country)?.key ?? null;

describe('a tax id printed on a sanctions list', () => {
  it.each([
    ['Tax ID No.', '35.116.112/0001-97', 'Brazil', 'BR:35116112'],
    ['Tax ID No.', '35116112000197', 'Brazil', 'BR:35116112'],
    ['CNPJ', '12.abc.345/01de-35', 'Brazil', 'BR:12ABC345'],
    ['Registration Number', 'CNPJ 35.116.112/0001-97', 'Brazil', 'BR:35116112'],
    ['Some New Id', '35.116.112/0001-97', 'Brazil', 'BR:35116112'],
    ['Tax ID No.', '35.116.112/0001-97', null, 'BR:35116112'],
    ['NIT #', '800076369-0', 'Colombia', 'CO:800076369'],
    ['NIT #', '800076369–0', 'Colombia', 'CO:800076369'],
    ['NIT #', '800,076,369-0', 'Colombia', 'CO:800076369'],
    ['NIT #', '‘800.076.369\u22120’', 'Colombia', 'CO:800076369'],
    ['NIT #', '9000904041', 'Colombia', 'CO:900090404'],
    ['NIT #', '800119741', 'Colombia', 'CO:800119741'],
    ['NIT', 'NIT 900.964.705-5', 'Colombia', 'CO:900964705'],
    ['Tax ID No.', '800147514-8', 'Colombia', 'CO:800147514'],
    ['RUT #', '96.505.760-9', 'Chile', 'CL:965057609'],
    ['R.U.T.', '965057609', 'Chile', 'CL:965057609'],
    ['National ID No.', '96.505.760-9', 'Chile', 'CL:965057609'],
    ['RUC #', '20510752695', 'Peru', 'PE:20510752695'],
    ['R.F.C.', 'AIN-000713-GR7', 'Mexico', 'MX:AIN000713GR7'],
    ['R.F.C.', '# PMA-910805', 'Mexico', 'MX:PMA910805'],
    ['RFC', 'SLA 111221 6P7', 'Mexico', 'MX:SLA1112216P7'],
    ['R.F.C.', 'RUC 111221 6P7', 'Mexico', 'MX:RUC1112216P7'],
    ['R.F.C.', 'R.F.C. SLA1112216P7', null, 'MX:SLA1112216P7'],
    ['RIF #', 'J-31136071-9', 'Venezuela', 'VE:J311360719'],
    ['Tax ID No.', 'RIF J-31069374-9', 'Venezuela', 'VE:J310693749'],
    ['National ID No.', 'J310205361', 'Venezuela', 'VE:J310205361'],
    ['RUC #', '645451-1-458900', 'Panama', 'PA:6454511458900'],
    ['Paraguayan tax identification number', '80105176-2', 'Paraguay', 'PY:801051762'],
    ['Tax ID No.', '131-63920-8', 'Dominican Republic', 'DO:131639208'],
    ['C.U.I.T.', '30-68074603-2', 'Argentina', 'AR:30680746032'],
    ['RUC #', '1792141214001', 'Ecuador', 'EC:1792141214001'],
    ['RTN', '05019005483678', 'Honduras', 'HN:05019005483678'],
    ['NIT #', '557109K', 'Guatemala', 'GT:557109K'],
    ['NIT #', '844191-K', 'Guatemala', 'GT:844191K'],
    ['Registration ID', 'J0310000147205', 'Nicaragua', 'NI:J0310000147205'],
    ['National ID No.', '215395820015', 'Uruguay', 'UY:215395820015'],
    ['Tax ID No.', '1029837028', 'Bolivia', 'BO:1029837028'],
    ['Tax ID No.', '35.116.112/0001-97', 'Brasil', 'BR:35116112'],
    ['Tax ID No.', '35.116.112/0001-97', 'Federative Republic of Brazil', 'BR:35116112'],
    ['Tax ID No.', '35.116.112/0001-97', 'a country of another name', 'BR:35116112'],
    ['Tax ID No.', '35116112000197', 'BRA', 'BR:35116112'],
    ['NIT #', '800076369-0', 'COL', 'CO:800076369'],
    ['NIT #', '800076369-0', 'República de Colombia', 'CO:800076369'],
    ['NIT #', '-800076369-0', 'Colombia', 'CO:800076369'],
    ['NIT #', 'CO800076369-0', 'Colombia', 'CO:800076369'],
    ['NIT #', '800076369 DV 0', 'Colombia', 'CO:800076369'],
    ['NIT #', '(800076369-0)', 'Colombia', 'CO:800076369'],
    ['R.F.C.', 'AIN-000713-GR7', 'México', 'MX:AIN000713GR7'],
    ['RIF #', 'J-31136071-9', 'Venezuela, Bolivarian Republic of', 'VE:J311360719'],
    ['RIF #', 'J-31136071-9', 'República Bolivariana de Venezuela', 'VE:J311360719'],
  ])('%s %s (%s) names %s', (type, number, country, expected) => {
    expect(key(type, number, country)).toBe(expected);
  });

  it('is the 9-digit NIT also where the list prints a wrong check digit', () => {
    expect(key('NIT #', '890325040-4', 'Colombia')).toBe('CO:890325040');
  });

  it('is indexed by country: the same digits in another country are another company', () => {
    expect(key('NIT #', '800147514-8', 'Colombia')).toBe('CO:800147514');
    expect(key('RUT #', '80.014.751-4', 'Chile')).toBe('CL:800147514');
    expect(key('NIT #', '800147514-8', null)).toBeNull();
    expect(key('NIT #', '800147514-8', 'Cali')).toBeNull();
  });

  it.each([
    ['a CPF', 'Tax ID No.', '238.624.338-97', 'Brazil'],
    ['a CNPJ with a wrong check digit', 'Tax ID No.', '35.116.112/0001-98', 'Brazil'],
    ['bare digits that a CNPJ could have, without a country', 'Tax ID No.', '35116112000197', null],
    ['a cédula', 'Cedula No.', '6068015', 'Colombia'],
    ['a cédula of nine digits', 'Cedula No.', '800119741', 'Colombia'],
    ['a bare number of eight digits', 'NIT #', '16215230', 'Colombia'],
    ['a merchant registration', 'Matricula Mercantil No', '1910782', 'Colombia'],
    ['a passport', 'Passport', 'AB1234567', 'Mexico'],
    ['a phone number', 'Phone Number', '573001234567', 'Colombia'],
    ['a personal number', 'C.U.R.P.', 'AUAM530929HDFNXX01', 'Mexico'],
    ['a registry number', 'Registration ID', '12577', 'Mexico'],
    ['an IMO number', 'Identification Number', 'IMO 5342883', 'Panama'],
    ['a registry number of a country whose numbers have no form', 'Registration Number', '467323694710', 'Panama'],
    ['a RUT with a wrong check digit', 'RUT #', '96.505.760-8', 'Chile'],
    ['a RUN of a person as national id', 'National ID No.', '12.345.678-5', 'Chile'],
    ['too short', 'NIT #', '35599', 'Guatemala'],
    ['one character repeated', 'RUC #', '00000000000', 'Peru'],
    ['no digit', 'RTN', 'PENDIENTE', 'Honduras'],
    ['another continent', 'Tax ID No.', '7707083893', 'Russia'],
    ['a type alone', 'Gender', 'Male', null],
  ])('is not: %s', (_, type, number, country) => {
    expect(listTaxId(type, number, country)).toBeNull();
  });

  it.each([
    ['R.F.C.', 'GAMR-501027', 'Mexico', true],
    ['R.F.C.', 'AEL-980417-S51', 'Mexico', false],
    ['RUC #', '10421850386', 'Peru', true],
    ['C.U.I.T.', '20200108664', 'Argentina', true],
    ['RUC #', '1112312-5', 'Paraguay', true],
    ['NIT #', '844191K', 'Guatemala', false],
    ['NIT #', '6070026706', 'Colombia', false],
  ])('%s %s (%s) is a person’s by its form: %s', (type, number, country, personal) => {
    const id = listTaxId(type, number, country);
    expect(id && holdsPersonOnly(id)).toBe(personal);
  });

  it('accepts the shorter NIT of a person when a dash precedes the check digit', () => {
    expect(listTaxId('NIT #', '16215230-1', 'Colombia')).toEqual({ key: 'CO:16215230', country: 'CO' });
  });
});

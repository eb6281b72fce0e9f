import { expect, it } from 'vitest';
import { meantCnpj, pathOfCnpj } from '../../dashboard/state/try-cnpj.ts';

it.each(['99.010.001/0001-84', ' 99010001000184 '])('opens the page of the company with the CNPJ "%s"', (typed) => {
  expect(pathOfCnpj(typed)).toBe('/dashboard/company/BR/99010001000184');
});

it.each(['', 'padaria', '99.010.001/0001-85'])('opens nothing for "%s", which is no valid CNPJ', (typed) => {
  expect(pathOfCnpj(typed)).toBeNull();
});

it.each(['99.010.001/0001-85', ' 99010001000148 '])('offers the CNPJ with the right check digits for "%s"', (typed) => {
  expect(meantCnpj(typed)).toEqual({ cnpj: '99.010.001/0001-84', path: '/dashboard/company/BR/99010001000184' });
});

it.each(['', 'padaria', '99.010.001/0001', '11.111.111/1111-11', '76.123.456-1'])('offers nothing for "%s"', (typed) => {
  expect(meantCnpj(typed)).toBeNull();
});

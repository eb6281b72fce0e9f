import { expect, it } from 'vitest';
import { pathOfCnpj } from '../../dashboard/state/try-cnpj.ts';

it.each(['99.010.001/0001-84', ' 99010001000184 '])('opens the page of the company with the CNPJ "%s"', (typed) => {
  expect(pathOfCnpj(typed)).toBe('/dashboard/company/BR/99010001000184');
});

it.each(['', 'padaria', '99.010.001/0001-85'])('opens nothing for "%s", which is no valid CNPJ', (typed) => {
  expect(pathOfCnpj(typed)).toBeNull();
});

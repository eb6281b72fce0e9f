import { parseCompanyKey } from '../../src/domain/company.ts';
import { AppError, invalidInput } from '../../src/domain/errors.ts';
import { colombianCompanies } from '../world/colombia.ts';

/* The lists that the control API changes. */

/** The list of contract fines of Colombia, whose companies have a NIT. The other lists are Brazil's. */
export const FINES = 'MULTAS_SECOP_I';
const LISTS = ['CEIS', 'CNEP', FINES];

/** Returns a list that can be changed. @throws AppError INVALID_INPUT on `list` */
export function changeableList(name: string): string {
  const list = LISTS.find((one) => one === name.toUpperCase());
  if (list) return list;
  throw invalidInput('list', `The list "${name}" cannot be changed. There are: ${LISTS.join(', ')}.`);
}

const nits = new Set(colombianCompanies.map(({ nit }) => nit));

/** Returns the bare NIT of a Colombian company. @throws AppError INVALID_INPUT for another text, COMPANY_NOT_FOUND for another company */
export function finedNit(identifier: string): string {
  const { taxId } = parseCompanyKey('CO', identifier);
  if (nits.has(taxId)) return taxId;
  throw new AppError('COMPANY_NOT_FOUND', 'No Colombian company of the sandbox has this NIT; GET /_control/companies lists them.');
}

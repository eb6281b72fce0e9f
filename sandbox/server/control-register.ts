import { formatTaxId, readCompanyKey } from '../../src/domain/company.ts';
import { invalidInput } from '../../src/domain/errors.ts';
import { isoDate } from '../../src/domain/time.ts';
import { registrationPlans } from '../world/colombian-register.ts';
import type { MutableWorld, RegisterColumns } from '../world/mutable-world.ts';

/* The part of the control API that changes registrations in the commercial register of Colombia. */

const bases = new Set(registrationPlans.map(({ base }) => base));

/** Returns the nine digits of a company of the register; null for any other identifier. */
export function baseOf(identifier: string): string | null {
  const key = readCompanyKey('CO', identifier);
  const base = 'problem' in key ? '' : key.taxId.slice(0, -1);
  return bases.has(base) ? base : null;
}

/** Field of a body → the columns that it sets in every row of the company. An empty column is absent from the row. */
const COLUMNS: Readonly<Record<string, (text: string, now: number) => RegisterColumns>> = {
  status: (text, now) => ({
    estado_matricula: oneLine('status', text),
    codigo_estado_matricula: text === 'ACTIVA' ? '01' : '03',
    fecha_cancelacion: text.includes('CANCELADA') ? isoDate(now).replaceAll('-', '') : '',
  }),
  name: (text) => ({ razon_social: oneLine('name', text) }),
  last_renewed_year: (text) => ({ ultimo_ano_renovado: matching('last_renewed_year', /^(?:\d{4})?$/, text) }),
  representative: (text) => ({
    representante_legal: matching('representative', /^[^\p{Cc}]{0,150}$/u, text),
    clase_identificacion_rl: text && 'CEDULA DE CIUDADANIA',
  }),
};

export const REGISTER_FIELDS = Object.keys(COLUMNS);

/** Changes all registrations of a company. @throws AppError INVALID_INPUT on the invalid field */
export function changeRegister(world: MutableWorld, base: string, given: object, now: number): object {
  const changes = Object.entries(given).map(([field, value]) => COLUMNS[field]?.(String(value).toUpperCase(), now));
  if (changes.length === 0) throw invalidInput('body', 'The body changes nothing; send for example {"status":"CANCELADA"}.');
  world.changeRegister(base, Object.assign({}, ...changes));
  return registered(world, base);
}

/** Returns the columns that were changed. */
export function registered(world: MutableWorld, base: string): object {
  const key = readCompanyKey('CO', base);
  return { country: 'CO', identifier: 'problem' in key ? base : formatTaxId(key), columns: world.registerColumns(base) };
}

/** Returns a text of 1 to 150 characters without a line break. @throws AppError INVALID_INPUT on `field` for another one */
export const oneLine = (field: string, text: string): string => matching(field, /^[^\p{Cc}]{1,150}$/u, text);

/** Returns the text. @throws AppError INVALID_INPUT on `field` for a text of another form */
export function matching(field: string, form: RegExp, text: string): string {
  if (form.test(text)) return text;
  throw invalidInput(field, `The sandbox accepts no ${field} "${text.slice(0, 40)}".`);
}

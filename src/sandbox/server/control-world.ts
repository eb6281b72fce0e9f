import { formatTaxId, parseCompanyKey } from '../../domain/company.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import type { SandboxCompany } from '../world/brazil/company.ts';
import { ACTIVITIES, type Activity, SIZES, STATUSES } from '../world/brazil/tables.ts';
import { companies } from '../world/brazil/world.ts';
import { chileanCompanies } from '../world/chile/world.ts';
import { colombianCompanies } from '../world/colombia.ts';
import { type ForeignCompany, foreignCompanies } from '../world/foreign-companies.ts';
import type { CompanyChange, MutableWorld } from '../world/mutable-world.ts';
import { readObject } from './control-body.ts';

/** The made-up world through the control API. */

/** Every company, by scenario. `cnpj` is null for a company of another country. */
export function everyCompany() {
  return [
    ...companies.map(({ scenario, cnpj, name, note }) => ({
      scenario,
      country: 'BR',
      cnpj,
      identifier: formatTaxId({ country: 'BR', taxId: cnpj }),
      name,
      note,
    })),
    ...foreignCompanies.map(({ taxId, ...company }) => abroad({ ...company, identifier: taxId })),
    ...chileanCompanies.map(({ rut, ...company }) => abroad({ ...company, country: 'CL', identifier: rut })),
    ...colombianCompanies.map(({ nit, ...company }) => abroad({ ...company, country: 'CO', identifier: nit })),
  ];
}

/** A company that has no CNPJ; `identifier` is given bare. */
const abroad = ({ scenario, country, identifier, name, note }: Abroad) => ({
  scenario,
  country,
  cnpj: null,
  identifier: formatTaxId({ country, taxId: identifier }),
  name,
  note,
});

interface Abroad extends Pick<ForeignCompany, 'scenario' | 'country' | 'name' | 'note'> {
  readonly identifier: string;
}

/** One Brazilian company as its registry has it at a moment. @throws as `companyOf` */
export function oneCompany(world: MutableWorld, identifier: string, now: number) {
  const { scenario, cnpj, name, status, size, activity } = companyOf(world, identifier, now);
  return {
    scenario,
    cnpj,
    identifier: formatTaxId({ country: 'BR', taxId: cnpj }),
    name,
    status: STATUSES[status],
    size: SIZES[size].capitals,
    activity,
  };
}

/** Changes a company. @param body JSON with `status`, `size`, `activity` or some of them. @throws AppError INVALID_INPUT; and as `companyOf` */
export function changeCompany(world: MutableWorld, identifier: string, body: string, now: number) {
  const { cnpj } = companyOf(world, identifier, now);
  world.change(cnpj, readChange(body), now);
  return oneCompany(world, cnpj, now);
}

/** Gives a company back to its scenario. @throws as `companyOf` */
export function restoreCompany(world: MutableWorld, identifier: string, now: number) {
  const { cnpj } = companyOf(world, identifier, now);
  world.restore(cnpj);
  return oneCompany(world, cnpj, now);
}

/** Lists whose editions can be changed. */
const LISTS = ['CEIS', 'CNEP'];

/** Puts a company on a list or takes it off. @param place e.g. `CEIS/99030001000146`. @throws AppError INVALID_INPUT on `list`; and as `companyOf` */
export function setListed(world: MutableWorld, place: string, listed: boolean, now: number) {
  const [name = '', ...rest] = place.split('/');
  const list = LISTS.find((one) => one === name.toUpperCase());
  if (!list) throw invalidInput('list', `The list "${name}" cannot be changed. There are: ${LISTS.join(', ')}.`);
  const { cnpj } = companyOf(world, rest.join('/'), now);
  world.list(list, cnpj, listed);
  return { list, cnpj, listed, next: `The list is read again on its schedule, or at once: npm run quipu -- sync ${list}` };
}

/** @throws AppError INVALID_INPUT for what is no CNPJ, COMPANY_NOT_FOUND for a company that is not of this world */
function companyOf(world: MutableWorld, identifier: string, now: number): SandboxCompany {
  const company = world.company(parseCompanyKey('BR', identifier).taxId, now);
  if (company) return company;
  throw new AppError('COMPANY_NOT_FOUND', 'No Brazilian company of the made-up world has this CNPJ; GET /_control/companies lists them.');
}

/** Codes by their names in capitals. */
const codes = <C extends number>(names: Readonly<Record<C, string>>): ReadonlyMap<string, C> =>
  new Map(Object.entries<string>(names).map(([code, name]) => [name, Number(code) as C]));

const STATUS_CODES = codes(STATUSES);
const SIZE_CODES = new Map(Object.entries(SIZES).map(([code, { capitals }]) => [capitals as string, Number(code) as keyof typeof SIZES]));
const ACTIVITY_CODES = new Map(Object.keys(ACTIVITIES).map((code) => [code, code as Activity]));

const READERS = {
  status: (text: string) => pick('status', STATUS_CODES, text),
  size: (text: string) => pick('size', SIZE_CODES, text),
  activity: (text: string) => pick('activity', ACTIVITY_CODES, text.replace(/[^\d]/g, '')),
};

/** @throws AppError INVALID_INPUT on `body`, or on the field at fault */
function readChange(body: string): CompanyChange {
  const given = readObject(body, { fields: Object.keys(READERS), example: '{"status":"BAIXADA"}' });
  const read = Object.entries(given).map(([field, value]) => [field, READERS[field as keyof typeof READERS](String(value).toUpperCase())]);
  if (read.length === 0) throw invalidInput('body', 'Nothing is to be changed; send for example {"status":"BAIXADA"}.');
  return Object.fromEntries(read) as CompanyChange;
}

/** @throws AppError INVALID_INPUT on `field`, naming what there is */
function pick<C>(field: string, known: ReadonlyMap<string, C>, text: string): C {
  const code = known.get(text);
  if (code !== undefined) return code;
  throw invalidInput(field, `There is no ${field} "${text}" in the made-up world. There are: ${[...known.keys()].join(', ')}.`);
}

import { formatTaxId, parseCompanyKey } from '../../domain/company.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import type { SandboxCompany } from '../world/brazil/company.ts';
import { ACTIVITIES, type Activity, SIZES, STATUSES } from '../world/brazil/tables.ts';
import { companies } from '../world/brazil/world.ts';
import { chileanCompanies } from '../world/chile/world.ts';
import { colombianCompanies } from '../world/colombia.ts';
import { type ForeignCompany, foreignCompanies } from '../world/foreign-companies.ts';
import type { CompanyChange, MutableWorld } from '../world/mutable-world.ts';
import { parseObject } from './control-body.ts';

/** Handlers of the control API that read and change the fictional world. */

/** Lists every company. `cnpj` is null for a company outside Brazil. */
export function listCompanies() {
  return [
    ...companies.map(({ scenario, cnpj, name, note }) => ({
      scenario,
      country: 'BR',
      cnpj,
      identifier: formatTaxId({ country: 'BR', taxId: cnpj }),
      name,
      note,
    })),
    ...foreignCompanies.map(({ taxId, ...company }) => foreign({ ...company, identifier: taxId })),
    ...chileanCompanies.map(({ rut, ...company }) => foreign({ ...company, country: 'CL', identifier: rut })),
    ...colombianCompanies.map(({ nit, ...company }) => foreign({ ...company, country: 'CO', identifier: nit })),
  ];
}

/** Maps a company outside Brazil. `identifier` is the bare tax id. */
const foreign = ({ scenario, country, identifier, name, note }: ForeignRow) => ({
  scenario,
  country,
  cnpj: null,
  identifier: formatTaxId({ country, taxId: identifier }),
  name,
  note,
});

interface ForeignRow extends Pick<ForeignCompany, 'scenario' | 'country' | 'name' | 'note'> {
  readonly identifier: string;
}

/** Returns the registry record of one Brazilian company at `now` (epoch ms). @throws as `companyOf` */
export function getCompany(world: MutableWorld, identifier: string, now: number) {
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
  world.change(cnpj, parseChange(body), now);
  return getCompany(world, cnpj, now);
}

/** Discards the changes made to a company. @throws as `companyOf` */
export function restoreCompany(world: MutableWorld, identifier: string, now: number) {
  const { cnpj } = companyOf(world, identifier, now);
  world.restore(cnpj);
  return getCompany(world, cnpj, now);
}

/** Lists that the control API can change. */
const LISTS = ['CEIS', 'CNEP'];

/** Adds a company to a list or removes it. @param target e.g. `CEIS/99030001000146`. @throws AppError INVALID_INPUT on `list`; and as `companyOf` */
export function setListed(world: MutableWorld, target: string, listed: boolean, now: number) {
  const [name = '', ...rest] = target.split('/');
  const list = LISTS.find((one) => one === name.toUpperCase());
  if (!list) throw invalidInput('list', `The list "${name}" cannot be changed. There are: ${LISTS.join(', ')}.`);
  const { cnpj } = companyOf(world, rest.join('/'), now);
  world.list(list, cnpj, listed);
  return { list, cnpj, listed, next: `The list is read again on its schedule, or at once: npm run quipu -- sync ${list}` };
}

/** @throws AppError INVALID_INPUT for text that is no CNPJ, COMPANY_NOT_FOUND for a company outside the fictional world */
function companyOf(world: MutableWorld, identifier: string, now: number): SandboxCompany {
  const company = world.company(parseCompanyKey('BR', identifier).taxId, now);
  if (company) return company;
  throw new AppError('COMPANY_NOT_FOUND', 'No Brazilian company of the sandbox has this CNPJ; GET /_control/companies lists them.');
}

/** Inverts a table of names: upper-case name → code. */
const codes = <C extends number>(names: Readonly<Record<C, string>>): ReadonlyMap<string, C> =>
  new Map(Object.entries<string>(names).map(([code, name]) => [name, Number(code) as C]));

const STATUS_CODES = codes(STATUSES);
const SIZE_CODES = new Map(Object.entries(SIZES).map(([code, { capitals }]) => [capitals as string, Number(code) as keyof typeof SIZES]));
const ACTIVITY_CODES = new Map(Object.keys(ACTIVITIES).map((code) => [code, code as Activity]));

const PARSERS = {
  status: (text: string) => lookUp('status', STATUS_CODES, text),
  size: (text: string) => lookUp('size', SIZE_CODES, text),
  activity: (text: string) => lookUp('activity', ACTIVITY_CODES, text.replace(/[^\d]/g, '')),
};

/** Parses the changes in a body. @throws AppError INVALID_INPUT on `body`, or on the invalid field */
function parseChange(body: string): CompanyChange {
  const given = parseObject(body, { fields: Object.keys(PARSERS), example: '{"status":"BAIXADA"}' });
  const read = Object.entries(given).map(([field, value]) => [field, PARSERS[field as keyof typeof PARSERS](String(value).toUpperCase())]);
  if (read.length === 0) throw invalidInput('body', 'The body changes nothing; send for example {"status":"BAIXADA"}.');
  return Object.fromEntries(read) as CompanyChange;
}

/** Looks up a value by name. @throws AppError INVALID_INPUT on `field`, listing the valid names */
function lookUp<C>(field: string, known: ReadonlyMap<string, C>, text: string): C {
  const code = known.get(text);
  if (code !== undefined) return code;
  throw invalidInput(field, `There is no ${field} "${text}" in the sandbox. There are: ${[...known.keys()].join(', ')}.`);
}

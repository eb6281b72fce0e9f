import { formatTaxId, parseCompanyKey } from '../../src/domain/company.ts';
import { AppError, invalidInput } from '../../src/domain/errors.ts';
import { isoWithOffset } from '../../src/domain/time.ts';
import type { SimulatedReply } from '../upstreams/simulator.ts';
import { person, type SandboxCompany } from '../world/brazil/company.ts';
import { isInMonths } from '../world/brazil/last-month.ts';
import { ACTIVITIES, type Activity, SIZES, STATUSES } from '../world/brazil/tables.ts';
import { companies } from '../world/brazil/world.ts';
import { chileanCompanies } from '../world/chile/world.ts';
import { colombianCompanies } from '../world/colombia.ts';
import { type ForeignCompany, foreignCompanies } from '../world/foreign-companies.ts';
import type { CompanyChange, MutableWorld } from '../world/mutable-world.ts';
import { changeableList, FINES, finedNit } from './control-lists.ts';
import { baseOf, changeRegister, matching, oneLine, REGISTER_FIELDS, registered } from './control-register.ts';
import { FAULT_MEANINGS, type Fault, type Faults } from './faults.ts';

/** A request to a webhook address of the sandbox. */
interface Received {
  /** ISO 8601, UTC. */
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Exact text of the body, over which webhook signatures are computed. */
  readonly body: string;
}

/** Number of requests that are kept per name. */
const KEPT = 100;

/** Stores the requests sent to webhook addresses, the last 100 per name. */
export class WebhookInbox {
  readonly #byName = new Map<string, Received[]>();

  receive(name: string, request: Received): void {
    const kept = this.#byName.get(name) ?? [];
    kept.push(request);
    if (kept.length > KEPT) kept.shift();
    this.#byName.set(name, kept);
  }

  /** Returns the last 100 requests of a name, oldest first. */
  received(name: string): readonly Received[] {
    return this.#byName.get(name) ?? [];
  }
}

/** The parts of the sandbox that the control API reads and changes. */
export interface ControlContext {
  readonly faults: Faults;
  readonly world: MutableWorld;
  readonly inbox: WebhookInbox;
  readonly requestsTo: (source: string) => readonly string[];
}

/** A request to the control API. */
export interface ControlRequest {
  readonly method: string;
  /** Path below the prefix, e.g. `faults/CEIS`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Current time, epoch ms. */
  readonly now: number;
}

/** JSON reply, or an empty one with status 204. */
export interface ControlReply extends SimulatedReply {
  readonly body: string;
}

export const CONTROL_PREFIX = '/_control/';

/** Answers a control API request. Invalid input is a 400, an unknown source, list, company or path a 404. Errors contain a message. */
export function control(request: ControlRequest, sandbox: ControlContext): ControlReply {
  const { method, path } = request;
  const [resource = '', ...rest] = path.split('/').filter(Boolean);
  const target = rest.join('/');
  const [, route] =
    Object.entries(ROUTES).find(([name]) => name.split('/{')[0] === `${method} ${resource}` && name.includes('{') === (target !== '')) ??
    [];
  try {
    if (!route) return json(404, { error: `There is no ${method} ${CONTROL_PREFIX}${path}. There are: ${ROUTE_LIST}.` });
    const answer = route(sandbox, target, request);
    return answer === undefined ? { status: 204, body: '' } : json(200, answer);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const missing = error.code === 'COMPANY_NOT_FOUND' || error.facts.field === 'source' || error.facts.field === 'list';
    return json(missing ? 404 : 400, { error: error.message });
  }
}

/** Returns the JSON value of the reply; undefined for a 204. @param target part of the path that the braces of the route match */
type Route = (sandbox: ControlContext, target: string, request: ControlRequest) => unknown;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET faults': ({ faults }) => ({ faults: faults.list(), sources: faults.sources, modes: FAULT_MEANINGS }),
  'PUT faults/{source}': ({ faults }, source, { body }) => {
    const name = faults.name(source);
    faults.set(name, parseFault(body));
    return { source: name, ...faults.get(name) };
  },
  'DELETE faults/{source}': ({ faults }, source) => {
    faults.set(source, null);
    return { faults: faults.list() };
  },
  'DELETE faults': ({ faults }) => {
    faults.clear();
    return { faults: faults.list() };
  },
  'GET requests/{source}': ({ faults, requestsTo }, source) => ({ source: faults.name(source), requests: requestsTo(source) }),
  'GET companies': () => ({ companies: listCompanies() }),
  'GET companies/{identifier}': ({ world }, identifier, { now }) => getCompany(world, identifier, now),
  'PATCH companies/{identifier}': ({ world }, identifier, { body, now }) => changeCompany(world, identifier, body, now),
  'DELETE companies/{identifier}': ({ world }, identifier, { now }) => restoreCompany(world, identifier, now),
  'PUT lists/{list}/{identifier}': ({ world }, target, { now }) => setListed(world, target, true, now),
  'DELETE lists/{list}/{identifier}': ({ world }, target, { now }) => setListed(world, target, false, now),
  'POST webhooks/{name}': ({ inbox }, name, { headers, body, now }) =>
    inbox.receive(name, { received_at: isoWithOffset(now), headers, body }),
  'GET webhooks/{name}': ({ inbox }, name) => ({ name, requests: inbox.received(name) }),
};

const ROUTE_LIST = Object.keys(ROUTES)
  .map((route) => route.replace(' ', ` ${CONTROL_PREFIX}`))
  .join(', ');

const FIELDS = ['mode', 'ms', 'times', 'match'];

/** @throws AppError INVALID_INPUT on `body` */
function parseFault(body: string): Fault {
  const value = parseObject(body, { fields: FIELDS, example: '{"mode":"down"}' });
  if (!('mode' in value)) throw invalidInput('body', 'The body needs a mode, for example {"mode":"down"}.');
  // `Faults.set` validates the values.
  return value as Fault;
}

const json = (status: number, value: unknown): ControlReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: `${JSON.stringify(value, null, 2)}\n`,
});

/** Lists every company. `cnpj` is null for a company outside Brazil. `in_months`: the monthly files of the registry have it. */
function listCompanies() {
  return [
    ...companies.map(({ scenario, cnpj, name, note, ...one }) => ({
      scenario,
      country: 'BR',
      cnpj,
      identifier: formatTaxId({ country: 'BR', taxId: cnpj }),
      name,
      note,
      in_months: isInMonths(one),
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

/** Returns the registry record of one Brazilian company at `now` (epoch ms), or what was changed of a Colombian one. @throws like `companyOf` */
function getCompany(world: MutableWorld, identifier: string, now: number) {
  const base = baseOf(identifier);
  if (base !== null) return registered(world, base);
  const { scenario, cnpj, name, status, size, activity, capital, special, partners } = companyOf(world, identifier, now);
  return {
    scenario,
    cnpj,
    identifier: formatTaxId({ country: 'BR', taxId: cnpj }),
    name,
    status: STATUSES[status],
    size: SIZES[size].capitals,
    activity,
    capital,
    special_situation: special?.situation ?? '',
    owners: partners?.length ?? 0,
  };
}

/**
 * Changes a company. @param body JSON with the fields of `PARSERS` or some of them. @throws AppError INVALID_INPUT; and like
 * `companyOf`
 */
function changeCompany(world: MutableWorld, identifier: string, body: string, now: number) {
  const base = baseOf(identifier);
  if (base !== null)
    return changeRegister(world, base, parseObject(body, { fields: REGISTER_FIELDS, example: '{"status":"CANCELADA"}' }), now);
  const { cnpj } = companyOf(world, identifier, now);
  world.change(cnpj, parseChange(body), now);
  return getCompany(world, cnpj, now);
}

/** Discards the changes made to a company. @throws like `companyOf` */
function restoreCompany(world: MutableWorld, identifier: string, now: number) {
  const base = baseOf(identifier);
  if (base !== null) {
    world.restoreRegister(base);
    return registered(world, base);
  }
  const { cnpj } = companyOf(world, identifier, now);
  world.restore(cnpj);
  return getCompany(world, cnpj, now);
}

/**
 * Adds a company to a list or removes it. @param target list and company, e.g. `CEIS/99030001000146` @throws AppError INVALID_INPUT on
 * `list`; and like `companyOf`
 */
function setListed(world: MutableWorld, target: string, listed: boolean, now: number) {
  const [name = '', ...rest] = target.split('/');
  const list = changeableList(name);
  const identifier = rest.join('/');
  const taxId = list === FINES ? finedNit(identifier) : companyOf(world, identifier, now).cnpj;
  world.list(list, taxId, listed);
  const company = list === FINES ? { identifier: taxId } : { cnpj: taxId };
  return { list, ...company, listed, next: `The list is read again on its schedule, or at once: npm run quipu -- sync ${list}` };
}

/** @throws AppError INVALID_INPUT for text that is not a CNPJ, COMPANY_NOT_FOUND for a company outside the fictional world */
function companyOf(world: MutableWorld, identifier: string, now: number): SandboxCompany {
  const company = world.company(parseCompanyKey('BR', identifier).taxId, now);
  if (company) return company;
  throw new AppError(
    'COMPANY_NOT_FOUND',
    'No company of the sandbox that can be changed has this CNPJ or NIT; GET /_control/companies lists them.',
  );
}

/** Inverts a table of names: upper-case name → code. */
const codes = <C extends number>(names: Readonly<Record<C, string>>): ReadonlyMap<string, C> =>
  new Map(Object.entries<string>(names).map(([code, name]) => [name, Number(code) as C]));

const STATUS_CODES = codes(STATUSES);
const SIZE_CODES = new Map(Object.entries(SIZES).map(([code, { capitals }]) => [capitals as string, Number(code) as keyof typeof SIZES]));
const ACTIVITY_CODES = new Map(Object.keys(ACTIVITIES).map((code) => [code, code as Activity]));

/** Field of a body → its change of a company. Texts are in capitals. `owners` is a number of made-up partners. */
const PARSERS = {
  status: (text: string) => ({ status: lookUp('status', STATUS_CODES, text) }),
  size: (text: string) => ({ size: lookUp('size', SIZE_CODES, text) }),
  activity: (text: string) => ({ activity: lookUp('activity', ACTIVITY_CODES, text.replace(/[^\d]/g, '')) }),
  name: (text: string) => ({ name: oneLine('name', text) }),
  capital: (text: string) => ({ capital: Number(matching('capital', /^\d{1,12}(?:\.\d{1,2})?$/, text)) }),
  special_situation: (text: string) => ({ special: specialOf(matching('special_situation', /^[^\p{Cc}]{0,100}$/u, text)) }),
  owners: (text: string) => ({ partners: Array.from({ length: Number(matching('owners', /^\d$/, text)) }, (_, n) => person(n + 1)) }),
} satisfies Record<string, (text: string) => CompanyChange>;

const specialOf = (situation: string): CompanyChange['special'] => (situation === '' ? null : { situation, since: '2026-11-20' });

/** Parses the changes in a body. @throws AppError INVALID_INPUT on `body`, or on the invalid field */
function parseChange(body: string): CompanyChange {
  const given = parseObject(body, { fields: Object.keys(PARSERS), example: '{"status":"BAIXADA"}' });
  const read = Object.entries(given).map(([field, value]) => PARSERS[field as keyof typeof PARSERS](String(value).toUpperCase()));
  if (read.length === 0) throw invalidInput('body', 'The body changes nothing; send for example {"status":"BAIXADA"}.');
  return Object.assign({}, ...read);
}

/** Looks up a value by name. @throws AppError INVALID_INPUT on `field`, listing the valid names */
function lookUp<C>(field: string, known: ReadonlyMap<string, C>, text: string): C {
  const code = known.get(text);
  if (code !== undefined) return code;
  throw invalidInput(field, `There is no ${field} "${text}" in the sandbox. There are: ${[...known.keys()].join(', ')}.`);
}

/**
 * Parses the body of a control API request. @throws AppError INVALID_INPUT on `body` for a body that is not a JSON object, or has a field
 * outside `fields`
 */
function parseObject(body: string, { fields, example }: { readonly fields: readonly string[]; readonly example: string }): object {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalidInput('body', `The body is not JSON; send for example ${example}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput('body', `The body is a JSON object, for example ${example}.`);
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown) throw invalidInput('body', `There is no field "${unknown}". There are: ${fields.join(', ')}.`);
  return value;
}

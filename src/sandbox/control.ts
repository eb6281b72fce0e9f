import { formatTaxId } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { chileans } from '../sources/sandbox/chile/world.ts';
import { colombians } from '../sources/sandbox/colombia/world.ts';
import { type Neighbour, neighbours } from '../sources/sandbox/neighbours.ts';
import type { SimulatedReply } from '../sources/sandbox/simulator.ts';
import { companies } from '../sources/sandbox/world.ts';
import { FAULT_MEANINGS, type Fault, type Faults } from './faults.ts';

/** What the control API works on. */
export interface Controlled {
  readonly faults: Faults;
  readonly asked: (source: string) => readonly string[];
}

export const CONTROL_PREFIX = '/_control/';

/**
 * The control API. `path` is below its prefix: `faults`, `faults/{source}`, `companies`, `requests/{source}`.
 * Bad input is a 400, an unknown source or path a 404, each with a sentence.
 */
export function control(method: string, path: string, body: string, sandbox: Controlled): SimulatedReply {
  const [what = '', source] = path.split('/').filter(Boolean);
  try {
    const answer = ROUTES[`${method} ${what}${source === undefined ? '' : '/*'}`]?.(sandbox, source ?? '', body);
    return answer === undefined
      ? json(404, { error: `There is no ${method} ${CONTROL_PREFIX}${path}. There are: ${PLACES}.` })
      : json(200, answer);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return json(error.facts.field === 'source' ? 404 : 400, { error: error.message });
  }
}

type Route = (sandbox: Controlled, source: string, body: string) => unknown;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET faults': ({ faults }) => ({ faults: faults.list(), modes: FAULT_MEANINGS }),
  'PUT faults/*': ({ faults }, source, body) => {
    const name = faults.name(source);
    faults.set(name, readFault(body));
    return { source: name, ...faults.get(name) };
  },
  'DELETE faults/*': ({ faults }, source) => {
    faults.set(source, null);
    return { faults: faults.list() };
  },
  'DELETE faults': ({ faults }) => {
    faults.clear();
    return { faults: faults.list() };
  },
  'GET companies': () => ({ companies: world() }),
  'GET requests/*': ({ faults, asked }, source) => ({ source: faults.name(source), requests: asked(source) }),
};

const PLACES = Object.keys(ROUTES)
  .map((route) => route.replace(' ', ` ${CONTROL_PREFIX}`).replace('*', '{source}'))
  .join(', ');

/** The made-up world, by story. `cnpj` is null for a company of another country. */
function world() {
  return [
    ...companies.map(({ story, cnpj, name, note }) => ({
      story,
      country: 'BR',
      cnpj,
      identifier: formatTaxId({ country: 'BR', taxId: cnpj }),
      name,
      note,
    })),
    ...neighbours.map(({ taxId, ...company }) => abroad({ ...company, identifier: taxId })),
    ...chileans.map(({ rut, ...company }) => abroad({ ...company, country: 'CL', identifier: rut })),
    ...colombians.map(({ nit, ...company }) => abroad({ ...company, country: 'CO', identifier: nit })),
  ];
}

/** A company that has no CNPJ; `identifier` is given bare. */
const abroad = ({ story, country, identifier, name, note }: Abroad) => ({
  story,
  country,
  cnpj: null,
  identifier: formatTaxId({ country, taxId: identifier }),
  name,
  note,
});

interface Abroad extends Pick<Neighbour, 'story' | 'country' | 'name' | 'note'> {
  readonly identifier: string;
}

const FIELDS = ['mode', 'ms', 'times', 'match'];

/** @throws AppError INVALID_INPUT on `body` */
function readFault(body: string): Fault {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalidInput('body', 'The body is not JSON; send for example {"mode":"down"}.');
  }
  if (typeof value !== 'object' || value === null || !('mode' in value))
    throw invalidInput('body', 'The body needs a mode, for example {"mode":"down"}.');
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown) throw invalidInput('body', `There is no field "${unknown}". There are: ${FIELDS.join(', ')}.`);
  // The switches check the values themselves, whoever sets them.
  return value as Fault;
}

const json = (status: number, value: unknown): SimulatedReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: `${JSON.stringify(value, null, 2)}\n`,
});

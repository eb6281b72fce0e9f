import { AppError, invalidInput } from '../../domain/errors.ts';
import { isoWithOffset } from '../../domain/time.ts';
import type { SimulatedReply } from '../upstreams/simulator.ts';
import type { MutableWorld } from '../world/mutable-world.ts';
import { readObject } from './control-body.ts';
import { changeCompany, everyCompany, oneCompany, restoreCompany, setListed } from './control-world.ts';
import { FAULT_MEANINGS, type Fault, type Faults } from './faults.ts';
import type { WebhookInbox } from './webhook-inbox.ts';

/** What the control API works on. */
export interface Controlled {
  readonly faults: Faults;
  readonly world: MutableWorld;
  readonly inbox: WebhookInbox;
  readonly requestsTo: (source: string) => readonly string[];
}

/** A request to the control API. */
export interface ControlRequest {
  readonly method: string;
  /** Below the prefix, e.g. `faults/CEIS`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Epoch ms. */
  readonly now: number;
}

export const CONTROL_PREFIX = '/_control/';

/** The control API. Bad input is a 400; an unknown source, list, company or path a 404; each with a sentence. */
export function control(request: ControlRequest, sandbox: Controlled): SimulatedReply {
  const { method, path } = request;
  const [what = '', ...rest] = path.split('/').filter(Boolean);
  const place = rest.join('/');
  const [, route] =
    Object.entries(ROUTES).find(([name]) => name.split('/{')[0] === `${method} ${what}` && name.includes('{') === (place !== '')) ?? [];
  try {
    if (!route) return json(404, { error: `There is no ${method} ${CONTROL_PREFIX}${path}. There are: ${PLACES}.` });
    const answer = route(sandbox, place, request);
    return answer === undefined ? { status: 204, body: '' } : json(200, answer);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const missing = error.code === 'COMPANY_NOT_FOUND' || error.facts.field === 'source' || error.facts.field === 'list';
    return json(missing ? 404 : 400, { error: error.message });
  }
}

/** @param place what stands in the path for the names in braces. Returns what is answered; nothing for a 204 */
type Route = (sandbox: Controlled, place: string, request: ControlRequest) => unknown;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET faults': ({ faults }) => ({ faults: faults.list(), modes: FAULT_MEANINGS }),
  'PUT faults/{source}': ({ faults }, source, { body }) => {
    const name = faults.name(source);
    faults.set(name, readFault(body));
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
  'GET companies': () => ({ companies: everyCompany() }),
  'GET companies/{identifier}': ({ world }, identifier, { now }) => oneCompany(world, identifier, now),
  'PATCH companies/{identifier}': ({ world }, identifier, { body, now }) => changeCompany(world, identifier, body, now),
  'DELETE companies/{identifier}': ({ world }, identifier, { now }) => restoreCompany(world, identifier, now),
  'PUT lists/{list}/{identifier}': ({ world }, place, { now }) => setListed(world, place, true, now),
  'DELETE lists/{list}/{identifier}': ({ world }, place, { now }) => setListed(world, place, false, now),
  'POST webhooks/{name}': ({ inbox }, name, { headers, body, now }) =>
    inbox.receive(name, { received_at: isoWithOffset(now), headers, body }),
  'GET webhooks/{name}': ({ inbox }, name) => ({ name, requests: inbox.received(name) }),
};

const PLACES = Object.keys(ROUTES)
  .map((route) => route.replace(' ', ` ${CONTROL_PREFIX}`))
  .join(', ');

const FIELDS = ['mode', 'ms', 'times', 'match'];

/** @throws AppError INVALID_INPUT on `body` */
function readFault(body: string): Fault {
  const value = readObject(body, { fields: FIELDS, example: '{"mode":"down"}' });
  if (!('mode' in value)) throw invalidInput('body', 'The body needs a mode, for example {"mode":"down"}.');
  // The switches check the values themselves, whoever sets them.
  return value as Fault;
}

const json = (status: number, value: unknown): SimulatedReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: `${JSON.stringify(value, null, 2)}\n`,
});

import { AppError, invalidInput } from '../../domain/errors.ts';
import { isoWithOffset } from '../../domain/time.ts';
import type { SimulatedReply } from '../upstreams/simulator.ts';
import type { MutableWorld } from '../world/mutable-world.ts';
import { parseObject } from './control-body.ts';
import { changeCompany, getCompany, listCompanies, restoreCompany, setListed } from './control-world.ts';
import { FAULT_MEANINGS, type Fault, type Faults } from './faults.ts';
import type { WebhookInbox } from './webhook-inbox.ts';

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
  /** Epoch ms. */
  readonly now: number;
}

/** JSON, or empty with status 204. */
export interface ControlReply extends SimulatedReply {
  readonly body: string;
}

export const CONTROL_PREFIX = '/_control/';

/** Answers a control API request. Invalid input is a 400, an unknown source, list, company or path a 404. Errors carry a message. */
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

/** Returns the JSON value of the reply; undefined for a 204. @param target the part of the path that the braces of the route stand for */
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

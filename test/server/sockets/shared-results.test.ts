import { buildSchema, type GraphQLObjectType, type GraphQLSchema, OperationTypeNode, parse } from 'graphql';
import { expect, it } from 'vitest';
import type { RequestContext } from '../../../src/context.ts';
import { limitFields } from '../../../src/graphql/limits/limit-fields.ts';
import { RequestSlices } from '../../../src/scheduling/slices.ts';
import { isStarted, type PreparedOperation, subscribe } from '../../../src/server/graphql/execute.ts';

const SDL = `
  type Query { a: Int }
  type Subscription { changed: Change }
  type Change { id: ID fields: [Field!]! company: String }
  type Field { name: String }`;
const newEvent = () => ({ id: 'one', fields: [{ name: 'status' }] });

function setResolvers(schema: GraphQLSchema, type: string, field: string, resolvers: object): void {
  Object.assign((schema.getType(type) as GraphQLObjectType).getFields()[field] ?? {}, resolvers);
}

/** The context of one event, as far as its execution needs it. */
const createContext = ({ signal = new AbortController().signal } = {}) =>
  ({
    signal,
    slices: new RequestSlices(),
    uses: { modules: new Set(), counted: new Map(), hasOpened: false },
    execute: (work: () => unknown) => work(),
  }) as unknown as RequestContext;

/** The results of an event for one subscriber to each of these documents, and the number of executions. */
async function resultsOf(...documents: readonly string[]) {
  const schema = buildSchema(SDL);
  const event = newEvent();
  let executions = 0;
  setResolvers(schema, 'Subscription', 'changed', {
    subscribe: async function* () {
      yield event;
    },
    resolve: (given: unknown) => {
      executions += 1;
      return given;
    },
  });
  setResolvers(schema, 'Change', 'fields', { resolve: (change: typeof event) => change.fields }); // priced, as those of getters are
  setResolvers(schema, 'Change', 'company', {
    resolve: async (_event: unknown, _args: unknown, { uses }: RequestContext) => {
      (uses.modules as Set<string>).add('kyb'); // as `ask` does
      return 'loaded';
    },
  });
  limitFields(schema);
  const cost = { requested: 10, introspection: 0, remaining: 0, restoreRate: 0, ceiling: 100, chargeExcess: async () => undefined };
  const results = documents.map(async (text) => {
    const type = OperationTypeNode.SUBSCRIPTION;
    const operation: PreparedOperation = { schema, document: parse(text), coercedVariables: {}, type, cost };
    const started = await subscribe(operation, createContext, () => ({ signal: new AbortController().signal, end: () => undefined }));
    if (!isStarted(started)) throw new Error(JSON.stringify(started.errors));
    return (await started.next()).value?.data;
  });
  return { results: (await Promise.all(results)).map((data) => ({ ...(data?.changed as object) })), executions };
}

const FIELDS = 'subscription { changed { id fields { name } } }';
const COMPANY = 'subscription { changed { id company } }';

it('subscriptions that ask the same of an event share one execution', async () => {
  expect(await resultsOf(FIELDS, FIELDS, FIELDS)).toEqual({ results: Array(3).fill(newEvent()), executions: 1 });
});

it('subscriptions that ask different things of an event are executed apart', async () => {
  const other = 'subscription { changed { id } }';
  expect(await resultsOf(FIELDS, other)).toEqual({ results: [newEvent(), { id: 'one' }], executions: 2 });
});

it('subscriptions that load something for an event are executed apart: what each is given is counted', async () => {
  const given = { id: 'one', company: 'loaded' };
  expect(await resultsOf(COMPANY, COMPANY)).toEqual({ results: [given, given], executions: 2 });
});

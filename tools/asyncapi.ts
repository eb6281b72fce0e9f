import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { z } from 'zod';
import type { WebhookEvent } from '../src/rest/route.ts';
import type { Examples } from './examples.ts';
import { simplify } from './openapi.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Headers of a webhook. Their names and forms are those of Standard Webhooks. */
const WEBHOOK_HEADERS: JsonSchema = {
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': {
      type: 'string',
      description: 'Id of the message, equal for every attempt: discard ids that you have already processed.',
    },
    'webhook-timestamp': { type: 'string', pattern: '^\\d+$', description: 'Seconds since 1970, of this attempt.' },
    'webhook-signature': {
      type: 'string',
      description: 'Signatures separated by a space: `v1,` and the Base64 HMAC-SHA256 of `id.timestamp.body` by the secret of the webhook.',
    },
  },
};

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
};

/** GraphQL enums that get a value with each new source. Their values are not listed: a receiver has to accept those that it does not know. */
const OPEN_ENUMS: ReadonlySet<string> = new Set(['SourceName']);

/** Errors of the fields that are null because they failed. */
const ERRORS: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
    additionalProperties: true,
    description: 'An error of a field that is null; `extensions.code` is stable.',
  },
};

/**
 * Generates the description of the events that the service sends (AsyncAPI 3): webhooks, from the schemas of their bodies, and the messages
 * of the subscriptions in `operations`, from the GraphQL schema. Other subscriptions get the fields that they select.
 * @param operations documents with one operation each
 * @param examples of each message by its name, as `event CompanyChange`
 * @throws Error for a message without an example
 */
export function asyncApi(schema: GraphQLSchema, webhooks: readonly WebhookEvent[], operations: readonly string[], examples: Examples) {
  const subscriptions = operations.flatMap((text) => {
    const operation = parse(text).definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    return operation?.operation === 'subscription' && operation.name ? [{ name: operation.name.value, operation, text }] : [];
  });
  const exampleOf = (name: string): unknown => {
    const example = examples.get(`event ${name}`);
    if (example === undefined) throw new Error(`no page of the docs has an example \`json event ${name}\``);
    return example;
  };
  const messages = [
    ...webhooks.map(({ name, summary, payload }) => [
      name,
      {
        name,
        title: name,
        summary,
        contentType: 'application/json',
        headers: WEBHOOK_HEADERS,
        payload: z.toJSONSchema(payload, { target: 'draft-7', override: ({ jsonSchema }) => simplify(jsonSchema) }),
        examples: [{ name, payload: exampleOf(name) }],
      },
    ]),
    ...subscriptions.flatMap(({ name, operation, text }) => [
      [
        `${name}Subscribe`,
        socketMessage('subscribe', `Starts the subscription ${name}.`, {
          payload: objectOf({ query: { type: 'string' }, variables: variablesOf(schema, operation) }, ['query']),
          example: { query: text, variables: requiredOf(operation, exampleOf(name)) },
        }),
      ],
      [
        name,
        socketMessage('next', text.match(/^# (.*)$/m)?.[1] ?? name, {
          payload: objectOf({ data: resultOf(schema.getSubscriptionType(), operation.selectionSet), errors: ERRORS }, ['data']),
          example: { data: exampleOf(name) },
        }),
      ],
    ]),
  ] as const;
  const inChannel = (channel: string, name: string) => ({ $ref: `#/channels/${channel}/messages/${name}` });
  const channelOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
  return {
    asyncapi: '3.1.0',
    id: 'urn:quipu:events',
    info: {
      title: 'Quipu events',
      version: '1',
      description:
        'Events of company data and compliance from public registries. New fields may appear in bodies; none is removed. Names of sources are values of the GraphQL enum `SourceName`, which grows with each new source. A subscription returns the fields that it selects: the messages here are those of the operations that come with the service.',
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [
        { name: 'webhooks', description: 'Requests to the URL that a monitor or a screening was created with.' },
        { name: 'subscriptions', description: 'GraphQL over WebSocket, protocol `graphql-transport-ws`.' },
      ],
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        pathname: '/graphql',
        protocol: 'wss',
        description: 'Each operator runs the service at an address of its own; `ws` without TLS.',
        variables: { host: { default: '127.0.0.1:4000', description: 'Host and port that the service prints when it starts' } },
        security: [{ $ref: '#/components/securitySchemes/apiKey' }],
      },
    },
    channels: {
      webhooks: {
        address: null,
        description: 'The URL of the receiver. Each event is a signed POST; a 2xx status within 10 seconds accepts it.',
        servers: [],
        messages: channelOf(webhooks.map(({ name }) => name)),
      },
      graphql: {
        address: '/graphql',
        description: 'Socket of GraphQL subscriptions. Server-sent events of the same address have the same payloads.',
        servers: [{ $ref: '#/servers/service' }],
        messages: channelOf(subscriptions.flatMap(({ name }) => [`${name}Subscribe`, name])),
      },
    },
    operations: {
      ...Object.fromEntries(
        webhooks.map(({ name, summary }) => [
          `send${name}`,
          {
            action: 'send',
            description: summary,
            tags: [{ name: 'webhooks' }],
            channel: { $ref: '#/channels/webhooks' },
            messages: [inChannel('webhooks', name)],
          },
        ]),
      ),
      ...Object.fromEntries(
        subscriptions.map(({ name }) => [
          `subscribe${name}`,
          {
            action: 'receive',
            description: `Subscription ${name}.`,
            tags: [{ name: 'subscriptions' }],
            channel: { $ref: '#/channels/graphql' },
            messages: [inChannel('graphql', `${name}Subscribe`)],
            reply: { channel: { $ref: '#/channels/graphql' }, messages: [inChannel('graphql', name)] },
          },
        ]),
      ),
    },
    components: {
      messages: Object.fromEntries(messages),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'user',
          description: 'Send the API key as `X-API-Key` in the payload of `connection_init`, or in this header of the upgrade.',
        },
      },
    },
  };
}

const objectOf = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({ type: 'object', required, properties });

/** A message of graphql-transport-ws. */
const socketMessage = (type: 'subscribe' | 'next', summary: string, { payload, example }: { payload: JsonSchema; example: unknown }) => ({
  summary,
  contentType: 'application/json',
  payload: objectOf({ id: { type: 'string', description: 'Chosen by the client.' }, type: { const: type }, payload }, [
    'id',
    'type',
    'payload',
  ]),
  examples: [{ name: type, payload: { id: '1', type, payload: example } }],
});

/** Type of a value, with null where the schema allows it. */
function resultOf(type: GraphQLOutputType | null | undefined, selection: SelectionSetNode | undefined): JsonSchema {
  if (isListType(type)) return { type: 'array', items: nullableOf(type.ofType, selection) };
  if (!isObjectType(type) || !selection) return leafOf(getNamedType(type));
  const fields = selection.selections.map((one) => {
    const field = one.kind === Kind.FIELD ? type.getFields()[one.name.value] : undefined;
    if (one.kind !== Kind.FIELD || !field) throw new Error('only fields are selected in the operations of subscriptions');
    const shape = nullableOf(field.type, one.selectionSet);
    return [one.name.value, { ...shape, ...(field.description && { description: field.description }) }] as const;
  });
  return objectOf(
    Object.fromEntries(fields),
    fields.map(([name]) => name),
  );
}

function nullableOf(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
  if (isNonNullType(type)) return resultOf(type.ofType, selection);
  const shape = resultOf(type, selection);
  return { ...shape, type: [shape.type, 'null'], ...(Array.isArray(shape.enum) && { enum: [...shape.enum, null] }) };
}

const leafOf = (type: unknown): JsonSchema =>
  isEnumType(type) && !OPEN_ENUMS.has(type.name)
    ? { type: 'string', enum: type.getValues().map(({ name }) => name) }
    : (SCALARS[(type as { readonly name: string }).name] ?? { type: 'string' });

/** The variables that an operation needs: fields of the object that it asks for, as its example `{field: object}` has them. */
function requiredOf({ variableDefinitions = [] }: OperationDefinitionNode, example: unknown): JsonSchema {
  const [object] = Object.values<JsonSchema>(example as Readonly<Record<string, JsonSchema>>);
  const names = variableDefinitions.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE).map(({ variable }) => variable.name.value);
  return Object.fromEntries(names.map((name) => [name, object?.[name]]));
}

function variablesOf(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): JsonSchema {
  const variables = variableDefinitions.map(({ variable, type: node }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, node as never),
  }));
  return objectOf(
    Object.fromEntries(variables.map(({ name, type }) => [name, nullableOf(type as unknown as GraphQLOutputType, undefined)])),
    variables.filter(({ type }) => isNonNullType(type)).map(({ name }) => name),
  );
}

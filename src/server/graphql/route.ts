import { Readable } from 'node:stream';
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';
import type { Logger } from 'pino';
import { recent } from '../../cache/recent.ts';
import type { RequestContext } from '../../context.ts';
import type { ExecuteToText } from '../../graphql/compiled/executor.ts';
import { formatGraphqlError, OperationError } from '../../graphql/errors.ts';
import { budgetOf, chargeText } from '../../graphql/limits/answer-budget.ts';
import { Message } from '../../messages/message.ts';
import { operationMessages } from '../../messages/operations.ts';
import type { ServePage } from '../pages.ts';
import { acceptsEventStream, graphqlContentType, prefersEventStream, prefersHtml } from '../request.ts';
import { logScope } from '../telemetry/request-scope.ts';
import { costExtension, formatErrors, formatResult, isRefused, isSubscription, type PreparedOperation, runOperation } from './execute.ts';
import { type PrepareOperation, readOperation } from './prepare-operation.ts';
import { chunksOf, isLong, refusalStatus, type StatusAndHeaders, stringifyResult } from './result-text.ts';
import type { AnswerEventStream } from './sse.ts';

export const GRAPHQL_PATH = '/graphql';

export interface GraphqlParts {
  readonly schema: GraphQLSchema;
  readonly prepareOperation: PrepareOperation;
  /** Authenticates a request and creates its context. */
  readonly createContext: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>;
  readonly answerEventStream: AnswerEventStream;
  /** Executes the operations that it covers instead of graphql-js. */
  readonly executeToText?: ExecuteToText | undefined;
  /** Serves the explorer to browsers; null if it is not built. */
  readonly serveExplorer: ServePage | null;
  readonly log: Logger;
}

/** Returns true for a browser that opens the page, false for a program that sends a query. */
const wantsExplorer = (request: FastifyRequest): boolean =>
  request.method === 'GET' && prefersHtml(request) && !/[?&]query=/.test(request.url);

/** The context value that Apollo passes to its plugin. */
interface PreparedRequest {
  readonly operation: PreparedOperation;
  readonly context: RequestContext;
  /** Receives a result whose text is long, which the handler sends in chunks instead of Apollo. */
  readonly takeLong: (result: FormattedExecutionResult) => void;
}

/**
 * Mounts `/graphql`: the API for requests with a key, the explorer page for browsers. The key is checked before the body is read.
 * Operations are prepared here and executed by `runOperation`. Apollo handles HTTP around them: CSRF prevention, content negotiation, status.
 */
export async function mountGraphql(
  server: FastifyInstance,
  { schema, prepareOperation, createContext, answerEventStream, executeToText, serveExplorer, log }: GraphqlParts,
): Promise<ApolloServer<PreparedRequest>> {
  const apollo = new ApolloServer<PreparedRequest>({
    schema,
    introspection: true, // validateOperation refuses introspection if it is switched off
    csrfPrevention: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: formatApolloError,
    stringifyResult: (result) => (isLong(result) ? '' : stringifyResult(result)), // the handler sends a long result
    plugins: [ApolloServerPluginLandingPageDisabled(), ApolloServerPluginCacheControlDisabled(), answerPrepared(log, executeToText)],
  });
  await apollo.start();
  const introspectionText = createIntrospectionAnswers();

  server.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      if (serveExplorer && wantsExplorer(request)) return serveExplorer(request, reply);
      request.context = await createContext(request, reply);
    },
    async handler(request, reply) {
      const { context } = request;
      if (!context) throw new Error('a GraphQL request has no context');
      const read = readOperation(request);
      if (read instanceof Message) {
        const { requestId, language } = context;
        return refuse(reply.status(400), [{ message: read.in(language), extensions: { code: 'BAD_REQUEST', requestId } }]);
      }
      const operation = await prepareOperation(read, context.caller);
      if (isAnsweredByStream(request, operation)) return answerEventStream(operation, request, reply);
      if (isRefused(operation)) return refuse(withStatus(reply, operation), formatErrors(operation, context, log));
      if (isIntrospection(operation) && request.method === 'POST') {
        const text = await introspectionText(operation, context);
        if (text !== null) return reply.type(graphqlContentType(request)).send(text);
      }
      let long: FormattedExecutionResult | undefined;
      const takeLong: PreparedRequest['takeLong'] = (result) => {
        long = result;
      };
      const text = await fastifyApolloHandler(apollo, { context: async () => ({ operation, context, takeLong }) }).call(
        this,
        request,
        reply,
      );
      return long ? reply.removeHeader('content-length').send(Readable.from(chunksOf(long))) : text;
    },
  });
  return apollo;
}

/** Returns true for a request that prefers an event stream, and for a subscription of a request that accepts one. */
const isAnsweredByStream = (request: FastifyRequest, operation: PreparedOperation | readonly GraphQLError[]): boolean =>
  prefersEventStream(request) || (!isRefused(operation) && isSubscription(operation) && acceptsEventStream(request));

/** True for a document that requests only the schema, without variables, so that its data is always the same. */
function isIntrospection({ document }: PreparedOperation): boolean {
  const { variableDefinitions = [], selectionSet } = getOperationAST(document) ?? {};
  return variableDefinitions.length === 0 && Boolean(selectionSet?.selections.every(isSchemaField));
}

const isSchemaField = (node: SelectionNode): boolean => node.kind === Kind.FIELD && node.name.value === '__schema';

/**
 * Maximum number of introspection answers that are cached as text. The ceiling of cost limits each to about 1 MB. Tools send very few
 * different queries.
 */
const MAX_INTROSPECTION_TEXTS = 4;

/** Creates a cache of introspection answers. A document is executed and written as JSON once; null if it failed. */
function createIntrospectionAnswers() {
  const texts = recent<DocumentNode, string>(MAX_INTROSPECTION_TEXTS);
  return async (operation: PreparedOperation, context: RequestContext): Promise<string | null> => {
    const { document, cost } = operation;
    let text = texts.get(document);
    budgetOf(context).points = cost.introspection;
    if (text === undefined) {
      const { data, errors } = await runOperation(operation, context);
      if (errors || !data) return null;
      text = JSON.stringify(data);
      texts.set(document, text);
    }
    chargeText(budgetOf(context), text.length);
    return `{"data":${text},"extensions":${JSON.stringify({ cost: costExtension(operation, context) })}}`;
  };
}

/** Document that Apollo parses instead of the caller's, which is parsed and validated already. Apollo caches the parsed document. */
const PLACEHOLDER = '{ __typename }';

/** Answers every operation by `runOperation`. Apollo itself executes nothing. */
const answerPrepared = (log: Logger, executeToText: ExecuteToText | undefined): ApolloServerPlugin<PreparedRequest> => ({
  async requestDidStart({ request }) {
    Object.assign(request, { query: PLACEHOLDER, operationName: undefined, variables: undefined, extensions: undefined });
    return {
      async responseForOperation({ request: { http }, contextValue: { operation, context, takeLong } }) {
        const refused = refuseTransport(operation, http?.method);
        if (!refused) {
          const result = await runOperation(operation, context, executeToText);
          const formatted = formatResult(result, context, log);
          if (isLong(formatted)) takeLong(formatted);
          return response(formatted, refusalStatus(result));
        }
        const { status, message } = refused;
        const errors = formatErrors([new OperationError('BAD_REQUEST', message)], context, log);
        return response(
          { errors, extensions: { cost: costExtension(operation, context) } },
          { status, headers: status === 405 ? [['allow', 'POST']] : [] },
        );
      },
    };
  },
});

/** Refuses mutations by GET, and subscriptions, whose events do not fit into one response. */
function refuseTransport(operation: PreparedOperation, method: string | undefined) {
  const { type } = operation;
  if (method === 'GET' && type !== OperationTypeNode.QUERY) return { status: 405, message: operationMessages.queriesByGet({ type }) };
  if (!isSubscription(operation)) return null;
  return { status: 400, message: operationMessages.subscriptionByPost() };
}

const response = (singleResult: FormattedExecutionResult, { status, headers = [] }: StatusAndHeaders) => ({
  http: { status, headers: new HeaderMap(headers) },
  body: { kind: 'single' as const, singleResult },
});

/** Formats the errors that Apollo raises by itself, outside an operation, such as a CSRF refusal. */
function formatApolloError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { extensions, ...rest } = formatGraphqlError(formatted, error, 'en');
  return { ...rest, extensions: { ...extensions, requestId: logScope().reqId } };
}

/** Sets the status of an operation that must not run. */
function withStatus(reply: FastifyReply, errors: readonly GraphQLError[]): FastifyReply {
  const { status = 400, headers = [] } = refusalStatus({ errors });
  return reply.headers(Object.fromEntries(headers)).status(status);
}

function refuse(reply: FastifyReply, errors: readonly GraphQLFormattedError[]): FastifyReply {
  return reply.type(graphqlContentType(reply.request)).send({ errors });
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { documentHash } from '../auth/trusted-documents.ts';
import type { RequestContext } from '../context.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { llmsText, textsOf } from '../mcp/texts.ts';
import type { Tool } from '../mcp/tools.ts';
import { requestMessages } from '../messages/requests.ts';
import { problem, problemOf } from '../rest/problem.ts';
import { formatErrors, formatResult, isRefused, runOperation, toGraphqlError } from './graphql/execute.ts';
import type { PrepareOperation } from './graphql/prepare-operation.ts';
import { readerOf } from './language.ts';
import { isAllowedOrigin, originRefused } from './request.ts';
import { sendProblem } from './rest.ts';

const MCP_PATH = '/mcp';

export interface AgentParts {
  readonly schema: GraphQLSchema;
  readonly prepareOperation: PrepareOperation;
  /** Authenticates a request and creates its context. */
  readonly createContext: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>;
  /** Origins of web pages that may call the API, in addition to the origin of this host. */
  readonly allowedOrigins: readonly string[];
  /** Reads the content of a served file by its name; null if there is no such file. */
  readonly readPage: (name: string) => string | null;
  readonly log: Logger;
}

/** Mounts the endpoints for agents: `/mcp`, and `/llms.txt`, which needs no key. */
export function mountAgents(server: FastifyInstance, parts: AgentParts): void {
  const { createContext, allowedOrigins, readPage } = parts;
  const texts = textsOf(readPage);
  const llms = llmsText(texts);
  server.get('/llms.txt', (_, reply) => reply.header('cache-control', 'public, max-age=60').type('text/plain; charset=utf-8').send(llms));

  server.post(MCP_PATH, {
    async onRequest(request, reply) {
      if (!isAllowedOrigin(request.headers, allowedOrigins)) throw originRefused();
      if (request.headers['idempotency-key'] !== undefined) throw invalidInput('Idempotency-Key', requestMessages.idempotencyInMcp());
      try {
        request.context = await createContext(request, reply);
      } catch (error) {
        if (!(error instanceof AppError) || !(error.code === 'MISSING_API_KEY' || error.code === 'INVALID_API_KEY')) throw error;
        return sendProblem(reply.header('www-authenticate', 'Bearer'), { ...problemOf(error, readerOf(request)), status: 401 });
      }
    },
    async handler(request, reply) {
      const { context, body, headers } = request;
      if (!context) throw new Error('a request of MCP has no context');
      if (Array.isArray(body)) return sendProblem(reply, problem('BAD_REQUEST', requestMessages.oneMessage(), readerOf(request)));
      const { answerMessage } = await import('../mcp/server.ts'); // loading the SDK would take too long at the start
      const version = headers['mcp-protocol-version'];
      const run = (tool: Tool, input: unknown) => runTool(parts, tool, input, context);
      const answer = await answerMessage({ run, texts, schema: parts.schema }, body, typeof version === 'string' ? version : undefined);
      return reply
        .status(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text());
    },
  });
}

/** Runs the document of a tool as the caller's own operation. Refusals and failures are errors of the result, as in GraphQL. */
async function runTool(
  { prepareOperation, log }: AgentParts,
  { document, variables }: Tool,
  input: unknown,
  context: RequestContext,
): Promise<FormattedExecutionResult> {
  const { caller } = context;
  try {
    const given = (variables ? variables(input as never) : input) as Readonly<Record<string, unknown>>;
    const operation = await prepareOperation({ documentId: documentHash(document), variables: given }, caller);
    if (isRefused(operation)) return { errors: formatErrors(operation, context, log) };
    return formatResult(await runOperation(operation, context), context, log);
  } catch (error) {
    return { errors: formatErrors([toGraphqlError(error as Error)], context, log) };
  }
}

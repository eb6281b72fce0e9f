import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type CallToolResult, ListToolsRequestSchema, type ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql';
import type { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { meantArguments } from './arguments.ts';
import { outputOf } from './output.ts';
import type { ServedText } from './texts.ts';
import { TOOLS, type Tool } from './tools.ts';

/** Dependencies of an MCP server that answers one caller. */
export interface McpParts {
  /** Runs the document of a tool for the caller. It throws nothing: errors are in the result. */
  readonly run: (tool: Tool, input: unknown) => Promise<FormattedExecutionResult>;
  readonly texts: readonly ServedText[];
  /** Schema that answers the documents of the tools. */
  readonly schema: GraphQLSchema;
}

/** The schemas of the results of all tools, by the schema that answers them. */
const outputs = new WeakMap<GraphQLSchema, ReadonlyMap<Tool, z.ZodObject>>();

function outputsOf(schema: GraphQLSchema): ReadonlyMap<Tool, z.ZodObject> {
  const known = outputs.get(schema) ?? new Map(TOOLS.map((tool) => [tool, outputOf(schema, tool.document)]));
  outputs.set(schema, known);
  return known;
}

/** The answers to `tools/list`, by the schema that answers the tools. Converting the schemas of all tools takes 50 ms. */
const toolLists = new WeakMap<GraphQLSchema, Promise<ListToolsResult>>();

function toolListOf(parts: McpParts): Promise<ListToolsResult> {
  const known =
    toolLists.get(parts.schema) ??
    answerFrom(createMcpServer(parts), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, undefined).then(
      async (response) => ((await response.json()) as { readonly result: ListToolsResult }).result,
    );
  toolLists.set(parts.schema, known);
  known.catch(() => toolLists.delete(parts.schema));
  return known;
}

const INSTRUCTIONS =
  'Checks companies of Brazil, Chile and Colombia by tax id. An answer without findings is complete only if it has no `errors`, no `sourcesFailed` and a `completeness` of COMPLETE. If it is not complete, say so. Check results are counted and may be priced: `extensions.cost.counted` says what was counted. The resource quipu://docs/glossary.md explains terms.';

/** Converts a result. Partial data with an error counts as an error, so that an agent does not treat an incomplete check as complete. */
function toToolResult(result: FormattedExecutionResult): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(result) }],
    structuredContent: { ...result },
    isError: result.errors !== undefined,
  };
}

function createMcpServer({ run, texts, schema }: McpParts): McpServer {
  const mcp = new McpServer({ name: manifest.name, version: manifest.version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, description, input, hasSideEffects = false } = tool;
    const annotations = { readOnlyHint: !hasSideEffects, destructiveHint: false, idempotentHint: !hasSideEffects, openWorldHint: true };
    const outputSchema = outputsOf(schema).get(tool) as z.ZodObject;
    mcp.registerTool(name, { title, description, inputSchema: input, outputSchema, annotations }, async (given: unknown) =>
      toToolResult(await run(tool, given)),
    );
  }
  for (const { path, title, content: text } of texts) {
    const uri = `quipu:/${path}`;
    mcp.registerResource(path, uri, { title }, () => ({ contents: [{ uri, text }] }));
  }
  return mcp;
}

/**
 * Answers one message of MCP over streamable HTTP, without a session. Each message has its own server, so any process can answer it.
 * @param protocolVersion the header MCP-Protocol-Version
 */
export async function answerMessage(parts: McpParts, message: unknown, protocolVersion: string | undefined): Promise<Response> {
  const mcp = createMcpServer(parts);
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => toolListOf(parts));
  return answerFrom(mcp, withMeantArguments(message), protocolVersion);
}

/** Reads the arguments of a call of a tool as they are meant. Other messages stay unchanged. */
function withMeantArguments(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { readonly method?: unknown; readonly params?: { readonly name?: unknown } | null };
  const tool = method === 'tools/call' && TOOLS.find(({ name }) => name === params?.name);
  if (!tool || !params || !('arguments' in params)) return message;
  return { ...(message as object), params: { ...params, arguments: meantArguments(tool.input, params.arguments) } };
}

async function answerFrom(mcp: McpServer, message: unknown, protocolVersion: string | undefined): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await mcp.connect(transport);
  // The answer is always JSON, so clients do not have to accept event streams.
  const accept = 'application/json, text/event-stream';
  const headers = { accept, 'content-type': 'application/json', ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }) };
  const request = new Request('http://quipu.invalid/mcp', { method: 'POST', headers });
  return transport.handleRequest(request, { parsedBody: message });
}

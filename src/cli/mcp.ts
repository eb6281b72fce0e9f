import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { Command } from 'commander';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type ClientParts, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';

/** Code of JSON-RPC for an error of the server. */
const SERVER_ERROR = -32_000;

/** `quipu mcp`: an MCP server on stdin and stdout, for agents that start a program. It passes each message on to `/mcp` of a server. */
export const mcpCommand = (parts: ClientParts): Command =>
  new Command('mcp')
    .description('Serve the tools of a server to an agent over stdin and stdout (Model Context Protocol)')
    .addOption(urlOption())
    .addOption(keyOption())
    .addHelpText('after', '\nRuns until stdin ends. Configuration of agents: docs/mcp.md\n')
    .action((options: ServerOptions) => runOnServer(parts, options, (server) => passMessages(server, parts)));

/** Passes messages on, several at a time, until stdin ends and all are answered, or Ctrl-C. */
async function passMessages(server: Server, { io }: ClientParts): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js'); // other commands start without the SDK
  const stdio = new StdioServerTransport();
  const passing = new Set<Promise<void>>();
  stdio.onmessage = (message) => {
    if (!isRequest(message)) return; // the server keeps no session, so that a notification tells it nothing
    const passed = answerOf(server, message)
      .then((answer) => stdio.send(answer))
      .finally(() => passing.delete(passed));
    passing.add(passed);
  };
  stdio.onerror = ({ message }) => io.err(`This message cannot be read: ${message}\n`);
  const ended = new Promise<void>((resolve) => {
    stdio.onclose = resolve;
    process.stdin.once('end', resolve);
    server.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await stdio.start();
  await ended;
  await Promise.all(passing);
  await stdio.close();
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

/** The answer of the server, or why there is none as an error of the protocol. */
const answerOf = (server: Server, request: JSONRPCRequest): Promise<JSONRPCMessage> =>
  server.post('/mcp', request).then(
    (answer) => answer as JSONRPCMessage,
    (error: Error) => {
      const message = error instanceof QuipuError ? server.sentenceOf(error) : error.message;
      return { jsonrpc: '2.0', id: request.id, error: { code: SERVER_ERROR, message } };
    },
  );

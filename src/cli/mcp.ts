import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { Command } from 'commander';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type ClientParts, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';

/** JSON-RPC code for an error of the server. */
const SERVER_ERROR = -32_000;

/**
 * Creates `quipu mcp`, an MCP server on stdin and stdout for agents that start a program. It forwards each message to `/mcp` of a server.
 */
export const mcpCommand = (parts: ClientParts): Command =>
  new Command('mcp')
    .description('Serve the tools of a server to an agent over stdin and stdout (Model Context Protocol)')
    .addOption(urlOption())
    .addOption(keyOption())
    .addHelpText('after', '\nRuns until stdin ends. Configuration of agents: docs/mcp.md\n')
    .action((options: ServerOptions) => runOnServer(parts, options, (server) => passMessages(server, parts)));

/** Forwards messages concurrently until stdin ends and all are answered, or until Ctrl-C. */
async function passMessages(server: Server, { io }: ClientParts): Promise<void> {
  // the SDK is loaded on demand, so that other commands start without it
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const stdio = new StdioServerTransport();
  const passing = new Set<Promise<void>>();
  stdio.onmessage = (message) => {
    if (!isRequest(message)) return; // notifications are ignored, because the server keeps no session
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

/** Returns the answer of the server, or an error of the protocol with the reason for a missing answer. */
const answerOf = (server: Server, request: JSONRPCRequest): Promise<JSONRPCMessage> =>
  server.post('/mcp', request).then(
    (answer) => answer as JSONRPCMessage,
    (error: Error) => {
      const message = error instanceof QuipuError ? server.sentenceOf(error) : error.message;
      return { jsonrpc: '2.0', id: request.id, error: { code: SERVER_ERROR, message } };
    },
  );

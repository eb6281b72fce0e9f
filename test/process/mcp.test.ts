import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { needs } from '../support/needs.ts';
import { oldNode } from '../support/old-node.ts';
import { run } from '../support/process.ts';
import { sandboxServer } from '../support/sandbox-server.ts';

/** The configurations of docs/mcp.md, used as an agent uses them, on a server process in the sandbox. */

const server = sandboxServer();

/** The configuration under a name, with the address and the key of the server in place of those to be replaced. */
function configuration(name: string, key = server.demoKey) {
  const [, text = ''] = new RegExp(`^\`\`\`json ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(readFileSync('docs/mcp.md', 'utf8')) ?? [];
  const filled = text
    .replaceAll('http://localhost:4000', server.url)
    .replaceAll('sk_your_key', key)
    .replaceAll('/opt/quipu', path.resolve('.'));
  return JSON.parse(filled).mcpServers.quipu;
}

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

async function useTools(client: Client): Promise<void> {
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  const identifiers = ['clean', 'debarred-ceis'].map((scenario) => companyByScenario(scenario).cnpj);
  const answers = await Promise.all(identifiers.map((identifier) => client.callTool({ name: 'check_company', arguments: { identifier } })));
  const levels = answers.map(({ structuredContent }) => structuredContent as { data: { company: { compliance: { riskLevel: string } } } });
  expect(levels.map(({ data }) => data.company.compliance.riskLevel)).toEqual(['LOW', 'MEDIUM']);
  const refused = await client.callTool({ name: 'check_company', arguments: { identifier: '1' } });
  expect(refused).toMatchObject({ isError: true, structuredContent: { errors: [{ extensions: { code: 'INVALID_INPUT' } }] } });
}

describe('docs/mcp.md', () => {
  it('configures an agent for streamable HTTP', async () => {
    const { url, headers } = configuration('http');
    await useTools(await connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })));
  });

  it('configures an agent that starts `quipu mcp`', async () => {
    await useTools(await connect(new StdioClientTransport(configuration('stdio'))));
  });

  const { path: old, isOld } = oldNode();
  it('configures an agent that starts `quipu mcp` by the Node of the machine, which is too old for the service', {
    ...needs(isOld, `${old} is no older Node`),
    timeout: 120_000,
  }, async () => {
    const { command, ...rest } = configuration('stdio');
    expect(command).toBe('node');
    await useTools(await connect(new StdioClientTransport({ command: old, ...rest })));
  });

  it('gives an agent that starts `quipu mcp` with an invalid key the reason', async () => {
    const started = connect(new StdioClientTransport(configuration('stdio', 'sk_unknown_key_of_nobody')));
    await expect(started).rejects.toThrow('This API key is not valid');
  }, 120_000);
});

describe('quipu mcp', () => {
  it('answers what it has read before it ends with stdin, and names a line that is no message', async () => {
    const { child, ended, out, err } = run('src/cli.ts', ['mcp'], server.env);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' });
    child.stdin?.end(`nonsense\n${ping}\n${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    expect(await ended).toBe(0);
    expect(JSON.parse(out())).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    expect(err()).toMatch(/^This message cannot be read: /);
  });

  it('answers with an error where no server answers', async () => {
    const { child, ended, out } = run('src/cli.ts', ['mcp', '--url', 'http://127.0.0.1:1', '--key', 'sk_x'], server.env);
    child.stdin?.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    expect(await ended).toBe(0);
    expect(JSON.parse(out())).toMatchObject({ id: 1, error: { code: -32000, message: expect.stringContaining('does not answer') } });
  });
});

describe('the texts', () => {
  it('are resources: descriptions of the APIs and pages of the docs', async () => {
    const { url, headers } = configuration('http');
    const client = await connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const file = uri.replace('quipu://', '').replace(/^(?!docs)/, 'schema/');
      expect((await client.readResource({ uri })).contents).toEqual([{ uri, text: readFileSync(file, 'utf8') }]);
    }
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['quipu://schema.graphql', 'quipu://docs/glossary.md']));
    await expect(client.readResource({ uri: 'quipu://docs/../package.json' })).rejects.toThrow('not found');
  });

  it('are named by /llms.txt and can be read without a key', async () => {
    const answer = await fetch(`${server.url}/llms.txt`);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^# Quipu\n\n> .+\n/);
    const paths = [...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, at = '']) => at);
    expect(paths).toEqual(expect.arrayContaining(['/schema.graphql', '/openapi.json', '/docs/glossary.md', '/docs/mcp.md']));
    for (const at of paths) expect([at, (await fetch(`${server.url}${at}`)).status]).toEqual([at, 200]);
    expect((await fetch(`${server.url}/docs/nothing.md`)).status).toBe(404);
  });
});

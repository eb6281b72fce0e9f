import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { ChangesDocument, createClient } from '../../clients/typescript/src/index.ts';
import { freePort } from '../support/ports.ts';
import { dataFolder, run } from '../support/process.ts';
import { installClient, link } from './client-package.ts';
import { command, ROOT } from './command.ts';

const KEY = 'sk_client_package';
const WATCHED = ['99010001000184', '99030001000146'];

/** A new folder with the package and what it depends on, and nothing else. */
let folder: string;
let snippets: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-package-'));
  await installClient(folder);
  await link(folder, import.meta.dirname, '@types/node', 'undici-types');
  await link(folder, import.meta.dirname, '@apollo/client', '@urql/core', '@urql/exchange-graphcache');
  await writeFile(`${folder}/package.json`, '{ "type": "module" }');
  const readme = await readFile(`${ROOT}/clients/typescript/README.md`, 'utf8');
  snippets = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  for (const [index, text] of snippets.entries()) await writeFile(`${folder}/snippet-${index}.ts`, text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a compiler must refuse. */
const WRONG = `
import { ComplianceDocument, createClient } from '@quipu/client';
const quipu = createClient({ url: '', key: '' });
// @ts-expect-error a variable of another name
await quipu.query(ComplianceDocument, { cnpj: '' });
// @ts-expect-error no variables
await quipu.query(ComplianceDocument);
// @ts-expect-error a field that the operation does not select
(await quipu.query(ComplianceDocument, { identifier: '' })).company?.country;
// @ts-expect-error no such endpoint
await quipu.rest('GET /v1/kyb');
// @ts-expect-error country is missing
await quipu.rest('POST /v1/kyb', { body: { identifier: '' } });
// @ts-expect-error the path has a parameter
await quipu.rest('GET /v1/screenings/{id}');
// @ts-expect-error a text is no reply
(await quipu.rest('GET /v1/screenings/{id}/results.csv', { path: { id: '' } })).results;
`;

const check = (...args: readonly string[]) =>
  command('tsc', '-p', folder, '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--strict', ...args);

describe('the package @quipu/client in a new folder', () => {
  it('compiles the program of its README strictly, with the types of all its dependencies', async () => {
    expect(snippets[0]?.split('\n').length).toBeLessThan(40);
    await writeFile(`${folder}/tsconfig.json`, '{ "files": ["snippet-0.ts"] }');
    expect(check()).toMatchObject({ status: 0, stdout: '' });
  });

  it('has types for the other programs of its README and for Apollo Client and urql, which refuse mistakes', async () => {
    await writeFile(`${folder}/wrong.ts`, WRONG);
    await writeFile(`${folder}/tsconfig.json`, '{ "include": ["*.ts"] }');
    expect(check('--skipLibCheck')).toMatchObject({ status: 0, stdout: '' });
  });

  it.each(['@quipu/client/graphcache', '@quipu/client/apollo'])(
    'runs the example of its README with %s without a warning',
    async (part) => {
      const example = snippets.findIndex((text) => text.includes(`'${part}'`));
      const env = { ...process.env, URL: inject('url'), KEY: inject('key'), NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [`snippet-${example}.ts`], { cwd: folder, env });
      expect([stdout, stderr]).toEqual(['MEDIUM\n', '']);
    },
  );

  it('checks a company and yields each change once over a restart of the service, which then accepts trusted documents only', async () => {
    const port = await freePort();
    const env = {
      PORT: `${port}`,
      QUIPU_DATA_DIR: await dataFolder(),
      QUIPU_BOOTSTRAP_KEY: KEY,
      QUIPU_MONITOR_INTERVAL: '1s',
      LOG_LEVEL: 'error',
    };
    const url = `http://127.0.0.1:${port}`;
    const client = createClient({ url, key: KEY });
    /** Starts the service; returns a function that changes the watched companies in the sandbox, to and fro. */
    const start = async (settings: Readonly<Record<string, string>> = {}) => {
      const service = run('src/main.ts', [], { ...env, ...settings });
      const [, sandbox = ''] = await service.printed(/world at (\S+)[\s\S]*Explorer:/);
      let isActive = true;
      const change = () => {
        isActive = !isActive;
        const body = JSON.stringify({ status: isActive ? 'ATIVA' : 'BAIXADA' });
        return Promise.all(WATCHED.map((id) => fetch(`${sandbox}/_control/companies/${id}`, { method: 'PATCH', body })));
      };
      return { service, change };
    };
    const before = await start();
    await client.rest('POST /v1/monitor/subscriptions', { body: { identifiers: WATCHED, country: 'BR', webhook_url: `${url}/hook` } });

    const program = spawn(process.execPath, ['snippet-0.ts'], { cwd: folder, env: { ...process.env, URL: url, KEY } });
    onTestFinished(() => void program.kill());
    let printed = '';
    let errors = '';
    program.stdout.on('data', (text) => {
      printed += text;
    });
    program.stderr.on('data', (text) => {
      errors += text;
    });
    const ids = () => printed.match(/^evt_\w+/gm) ?? [];
    const patience = { timeout: 60_000, interval: 500 };
    /** The companies are checked every second: they keep each state for longer. */
    const changeUntil = (change: () => Promise<unknown>, count: number) =>
      expect.poll(() => change().then(() => ids().length), { ...patience, interval: 2_500 }).toBeGreaterThanOrEqual(count);
    await expect.poll(() => readFile(`${folder}/cursor`, 'utf8').catch(() => ''), patience).not.toBe('');
    const cursor = await readFile(`${folder}/cursor`, 'utf8');
    await changeUntil(before.change, 2);
    before.service.child.kill('SIGTERM');
    await before.service.ended;
    const manifest = `${folder}/node_modules/@quipu/client/dist/trusted-documents.json`;
    expect(await run('src/cli.ts', ['documents', 'register', manifest], env).ended).toBe(0);
    const after = await start({ QUIPU_TRUSTED_DOCUMENTS_ONLY: 'true' });
    const another = client.query(parse('{ apiKey { name } }') as TypedDocumentNode<object, Record<string, never>>);
    await expect(another).rejects.toMatchObject({ code: 'DOCUMENT_NOT_TRUSTED' });
    await changeUntil(after.change, ids().length + 2);

    const log = async () => (await client.query(ChangesDocument, { after: cursor })).changes?.nodes.map(({ id }) => id);
    await expect.poll(async () => `${await log()}` === `${ids()}`, patience).toBe(true);
    expect(printed).toMatch(/^MERENDA AZEDA ALIMENTOS LTDA MEDIUM COMPLETE\n/);
    expect(errors).toContain('connecting again:');
  });
});

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/config.ts';
import { needs } from '../support/needs.ts';
import { dataFolder, nodeArguments, run } from '../support/process.ts';

const shell = promisify(execFile);
const BANNER = /Quipu answers at (\S+)[\s\S]*Explorer:\n\S+\n/;

describe('the start', () => {
  it('prints the link to the dashboard first and working calls after it, and commands create and revoke a key while the server runs', async () => {
    const env = { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'warn' };
    const server = run('src/main.ts', [], env);
    const [text] = await server.printed(BANNER);
    const [, dashboard = ''] = /^\nDashboard: (http\S+\/dashboard#key=\S+)\n/.exec(server.out()) ?? [];
    expect(await (await fetch(dashboard)).text()).toContain('<div id="page">');
    const [rest] = [...text.matchAll(/^curl .*$/gm)].map(([line]) => line);

    // The start waits ten seconds for the lists: on a busy machine one may come later.
    const restAnswer = async () => JSON.parse((await shell('sh', ['-c', rest ?? 'false'])).stdout);
    const complete = { risk_level: 'medium', sources_failed: [], completeness: 'complete' };
    await expect.poll(restAnswer, { timeout: 60_000, interval: 500 }).toMatchObject(complete);
    const [explorer = ''] = /http\S+\/graphql#key=\S+/.exec(text) ?? [];
    expect(await (await fetch(explorer, { headers: { accept: 'text/html' } })).text()).toContain('Quipu explorer');

    const created = run('src/cli.ts', ['keys', 'create', '--name', 'acme', '--modules', 'kyb,owners', '--json'], env);
    expect(await created.ended).toBe(0);
    const { id, key, modules } = JSON.parse(created.out());
    expect(modules).toEqual(['kyb', 'owners']);
    const base = /answers at (\S+)/.exec(text)?.[1];
    const ask = () =>
      fetch(`${base}/v1/kyb`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: '{"identifier":"00000000000191","country":"BR"}',
      });
    expect((await ask()).status).toBe(200);
    expect(await run('src/cli.ts', ['keys', 'revoke', id], env).ended).toBe(0);
    await expect.poll(async () => (await ask()).status, { timeout: 6_000 }).toBe(403);

    const sync = run('src/cli.ts', ['sync', 'CEIS', '--json'], env);
    expect(await sync.ended).toBe(0);
    expect(JSON.parse(sync.out())).toMatchObject({ CEIS: { outcome: 'unchanged' } });

    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.err()).not.toMatch(/sk_/);
  }, 150_000);

  it('prints no routine line before the link on a terminal', {
    timeout: 90_000,
    ...needs(existsSync('/usr/bin/script'), 'the program script is not installed'),
  }, async () => {
    const [program = '', ...args] = [process.execPath, ...nodeArguments('src/main.ts')];
    const env = { PATH: process.env.PATH, PORT: '0', QUIPU_DATA_DIR: await dataFolder(), QUIPU_TENDERS_MONTHS: '2' };
    const terminal = spawn('script', ['-qec', [program, ...args].join(' '), '/dev/null'], { env, detached: true });
    onTestFinished(() => void process.kill(-(terminal.pid ?? 0), 'SIGTERM'));
    let shown = '';
    terminal.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    await expect.poll(() => shown, { timeout: 60_000 }).toMatch(/Dashboard: http/);
    expect(shown.slice(0, shown.indexOf('Dashboard: '))).not.toMatch(/INFO|DEBUG/);
  });

  it('keeps the demo key and the port of the sandbox in the data folder, and prints both at each start', async () => {
    const folder = await dataFolder();
    const env = { PORT: '0', QUIPU_DATA_DIR: folder, LOG_LEVEL: 'silent' };
    const first = run('src/main.ts', [], env);
    const [before] = await first.printed(BANNER);
    const [, sandbox, key = ''] = /made-up world at (\S+)[\s\S]*Demo key: (sk_\w+)/.exec(before) ?? [];
    expect((await stat(path.join(folder, 'demo.key'))).mode & 0o777).toBe(0o600);
    first.child.kill('SIGKILL');
    await first.ended;

    const second = run('src/main.ts', [], env);
    const [text, url] = await second.printed(BANNER);
    expect(text).toContain(`made-up world at ${sandbox}\n`);
    expect(text).toContain(`Demo key: ${key}`);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: '{"query":"{ sources { name usable } }"}' });
    expect(answer.status).toBe(200);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
  }, 60_000);

  it.each([
    ['json', /^\{"level":30,.*"msg":"list synced"\}$/m],
    ['text', /^\[\d\d:\d\d:\d\d\] INFO: list synced \{.*\}$/m],
  ])(
    'writes its log as %s with LOG_FORMAT, and never the demo key',
    async (LOG_FORMAT, line) => {
      const server = run('src/main.ts', [], { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_FORMAT });
      await server.printed(BANNER);
      await expect.poll(server.err, { timeout: 30_000 }).toMatch(line);
      expect(server.err()).not.toMatch(/sk_/);
    },
    60_000,
  );

  it.each([200, 500, 900, 1_400])(
    'stops without errors when it receives SIGTERM after %d ms, and leaves no postmaster.pid file',
    async (ms) => {
      const folder = await dataFolder();
      const server = run('src/main.ts', [], { PORT: '0', QUIPU_DATA_DIR: folder, LOG_LEVEL: 'silent' });
      await new Promise((resolve) => setTimeout(resolve, ms));
      server.child.kill('SIGTERM');
      await server.ended;
      expect(server.err()).toBe('');
      expect(existsSync(path.join(folder, 'postgres/postmaster.pid'))).toBe(false);
    },
    60_000,
  );

  it('accepts the key of QUIPU_BOOTSTRAP_KEY', async () => {
    const env = { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent', QUIPU_BOOTSTRAP_KEY: 'sk_chosen-by-the-operator' };
    const [, url] = await run('src/main.ts', [], env).printed(BANNER);
    const headers = { 'x-api-key': env.QUIPU_BOOTSTRAP_KEY, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/labor`, { method: 'POST', headers, body: '{"identifier":"00000000000191","country":"BR"}' });
    expect([answer.status, await answer.json()]).toMatchObject([200, { has_violations: false }]);
  }, 60_000);

  it('fails with an error message when its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const server = run('src/main.ts', [], { PORT: String(port), QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent' });
    expect(await server.ended).toBe(1);
    expect(server.err().trim()).toBe(`Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT to another one.`);
  }, 60_000);

  it.each([
    ['HOST', { HOST: '999.1.1.1' }],
    ['QUIPU_DATA_DIR', { QUIPU_DATA_DIR: path.join(import.meta.dirname, 'start.test.ts') }],
  ])(
    'SC-06 fails with the name of an unusable %s and without its value',
    async (name, wrong) => {
      const env: Record<string, string> = { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent', ...wrong };
      const server = run('src/main.ts', [], env);
      expect(await server.ended).toBe(1);
      expect(server.err()).toContain(name);
      expect(server.err()).not.toContain(Object.values(wrong)[0]);
    },
    30_000,
  );

  it('SC-06 fails with the names of invalid settings and without their values', async () => {
    const server = run('src/main.ts', [], { PORT: 'eighty-eight', DATABASE_URL: 'mysql://user:hunter2@db/x' });
    expect(await server.ended).toBe(1);
    expect(server.err()).toMatch(/PORT: [\s\S]*DATABASE_URL: /);
    expect(server.err()).not.toMatch(/eighty-eight|hunter2/);
  });

  it('SC-06 fails with the name DATABASE_URL and without the password when the database is unreachable', async () => {
    const server = run('src/main.ts', [], {
      PORT: '0',
      DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x',
      QUIPU_DATA_DIR: await dataFolder(),
      LOG_LEVEL: 'silent',
    });
    expect(await server.ended).toBe(1);
    expect(server.err()).toMatch(/DATABASE_URL/);
    expect(server.err()).not.toContain('hunter2');
  }, 30_000);

  it('refuses an unknown argument', async () => {
    const server = run('src/main.ts', ['--prot', '4000'], {});
    expect(await server.ended).toBe(1);
    expect(server.err()).toMatch(/Unknown arguments: --prot 4000\..*--help/);
  });

  it('prints the version of a command', async () => {
    const version = run('src/cli.ts', ['--version'], {});
    expect(await version.ended).toBe(0);
    expect(version.out()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('lists every setting with --help', async () => {
    const help = run('src/main.ts', ['--help'], {});
    expect(await help.ended).toBe(0);
    for (const { name } of settings()) expect(help.out()).toContain(name);
  });
});

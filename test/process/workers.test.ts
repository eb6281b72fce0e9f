import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { testDb } from '../support/db.ts';
import { dataFolder, type Run, run } from '../support/process.ts';

const KEY = 'sk_for_the_workers';
const { cnpj } = companyByScenario('clean');

const start = async (env: Readonly<Record<string, string>> = {}, args: readonly string[] = ['--workers', '2']): Promise<Run> =>
  run('src/main.ts', args, { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), QUIPU_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'info', ...env });

const addressOf = async (server: Run): Promise<string> => (await server.printed(/answers at (\S+)[\s\S]*Explorer:/))[1] ?? '';

/** Ids of the processes whose parent is this one, with their command lines. */
const childrenOf = (pid: number | undefined): readonly { readonly pid: number; readonly command: string }[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent]) => Number(parent) === pid)
    .map(([, child, , command = '']) => ({ pid: Number(child), command }));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const workersOf = (server: Run) => childrenOf(server.child.pid).filter(({ command }) => command.endsWith('--worker'));

/** Sends one request on a connection of its own. */
const check = async (url: string): Promise<number> => {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json', connection: 'close' };
  const answer = await fetch(`${url}/v1/kyb`, { method: 'POST', headers, body: JSON.stringify({ identifier: cnpj, country: 'BR' }) });
  await answer.arrayBuffer();
  return answer.status;
};

/** Numbers of the workers whose log has a line about a request. */
const answeringWorkers = (server: Run): ReadonlySet<number> =>
  new Set([...server.err().matchAll(/^\{.*"worker":(\d+).*\/v1\/kyb/gm)].map(([, index]) => Number(index)));

it('SC-05 two workers answer on one port, one that is killed is started again, and SIGTERM ends all with 0', async () => {
  const server = await start();
  const url = await addressOf(server);
  const workers = workersOf(server);
  expect(workers).toHaveLength(2);
  const statuses = await Promise.all(Array.from({ length: 40 }, () => check(url)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  await expect.poll(() => [...answeringWorkers(server)].sort(), { timeout: 10_000 }).toEqual([0, 1]);

  const killed = workers[1]?.pid ?? 0;
  process.kill(killed, 'SIGKILL');
  // A process that ends loses its command line before its sockets are closed, so its id is what tells.
  await expect.poll(() => isAlive(killed), { timeout: 10_000 }).toBe(false);
  expect(await check(url)).toBe(200);
  await expect.poll(() => workersOf(server).length, { timeout: 60_000 }).toBe(2);
  await expect.poll(() => server.err(), { timeout: 10_000 }).toContain('a worker process ended and is started again');

  const all = childrenOf(server.child.pid);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  for (const { pid } of all) expect(() => process.kill(pid, 0)).toThrow();
}, 180_000);

it('a key has its share of a rate in each worker without Redis', async () => {
  const plans = { standard: { kyb: { rate: { perMinute: 1, burst: 4 } } } };
  const server = await start({ QUIPU_PLANS: JSON.stringify(plans) });
  const url = await addressOf(server);
  const statuses = await Promise.all(Array.from({ length: 60 }, () => check(url)));
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200)).toHaveLength(4);
}, 120_000);

it('the control of the sandbox reaches the one world of all workers', async () => {
  const server = await start();
  const url = await addressOf(server);
  const headers = { 'x-api-key': KEY, connection: 'close' };
  const answers = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${url}/sandbox/faults`, { headers })).status));
  expect(new Set(answers)).toEqual(new Set([200]));
}, 120_000);

it.each(['0', '33', 'two', '1.5'])(
  'SC-06 %s workers are refused with a sentence and exit code 1',
  async (count) => {
    const server = await start({}, ['--workers', count]);
    expect(await server.ended).toBe(1);
    expect(server.err()).toMatch(/^Wrong settings:\n {2}QUIPU_WORKERS: expected [^\n]+\nSee: npm start -- --help\n$/);
  },
  60_000,
);

it('SC-06 a port that is in use ends the start with one sentence and exit code 1', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  try {
    const server = await start({ PORT: String(port), LOG_LEVEL: 'error' });
    expect(await server.ended).toBe(1);
    expect(server.err()).toBe(`Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT to another one.\n`);
  } finally {
    other.close();
  }
}, 60_000);

it('workers whose parent is killed end, too', async () => {
  const database = await testDb(); // an embedded Postgres would stay until the next start with its folder
  onTestFinished(() => database.close());
  const server = await start({ DATABASE_URL: database.url });
  await addressOf(server);
  const workers = workersOf(server);
  expect(workers).toHaveLength(2);
  server.child.kill('SIGKILL');
  await expect.poll(() => workers.some(({ pid }) => isAlive(pid)), { timeout: 30_000 }).toBe(false);
}, 120_000);

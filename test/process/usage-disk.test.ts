import { execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { monthOf } from '../../src/domain/time.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { testDb } from '../support/db.ts';
import { needs } from '../support/needs.ts';
import { run } from '../support/process.ts';

const USER = 10_001;
const KEY = 'sk_of_a_disk_with_trouble';
const SIZE = '256k';

/** A folder that can be made unusable for new usage, and usable again. */
interface Trouble {
  readonly name: string;
  /** False if this machine cannot have the trouble. */
  readonly isPossible: boolean;
  readonly why: string;
  prepare(usageDir: string): Promise<void>;
  begin(usageDir: string): Promise<void>;
  end(usageDir: string): Promise<void>;
}

const ballast = (dir: string): string => path.join(dir, 'ballast');
/** Whether the disk is to be filled again and again, because each drained file leaves a page of free space. */
let isFilling = false;

const FULL: Trouble = {
  name: 'full (ENOSPC)',
  isPossible: canMount(),
  why: 'only root can mount a small file system',
  async prepare(dir) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},uid=${USER},gid=${USER}`, 'none', dir]);
    onTestFinished(() => void execFileSync('umount', [dir]));
  },
  async begin(dir) {
    isFilling = true;
    void (async () => {
      while (isFilling) {
        await appendFile(ballast(dir), Buffer.alloc(4_096)).catch(() => sleep(5));
      }
      await rm(ballast(dir), { force: true });
    })();
  },
  async end() {
    isFilling = false;
  },
};

const READ_ONLY: Trouble = {
  name: 'read-only (EACCES)',
  isPossible: process.getuid?.() === 0 && isReadable(),
  why: 'only root can start programs as another user, whom permissions bind',
  prepare: (dir) => chown(dir, USER, USER),
  begin: (dir) => chmodAll(dir, 0o500),
  end: (dir) => chmodAll(dir, 0o700),
};

async function chmodAll(dir: string, mode: number): Promise<void> {
  for (const name of await readdir(dir)) await chmod(path.join(dir, name), mode);
}

function canMount(): boolean {
  return process.getuid?.() === 0 && succeeds('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
}

/** True if the other user can read the code. */
function isReadable(): boolean {
  return succeeds('test', ['-r', path.resolve(import.meta.dirname, '../../package.json')], USER);
}

function succeeds(program: string, args: readonly string[], uid?: number): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', ...(uid !== undefined && { uid, gid: uid }) });
    return true;
  } catch {
    return false;
  }
}

async function start({ prepare }: Trouble) {
  const db = await testDb();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-disk-'));
  const usageDir = path.join(folder, 'usage');
  await mkdir(usageDir);
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true });
    await db.close();
  });
  await prepare(usageDir);
  await chown(folder, USER, USER);
  const env = {
    PORT: '0',
    DATABASE_URL: db.url,
    QUIPU_DATA_DIR: folder,
    QUIPU_USAGE_DIR: usageDir,
    QUIPU_ROLES: 'server',
    QUIPU_PLANS: '{"standard":{"kyb":{"rate":null}}}',
    LOG_LEVEL: 'silent',
    TMPDIR: folder,
    HOME: folder,
    QUIPU_BOOTSTRAP_KEY: KEY,
  };
  const server = run('src/main.ts', [], env, { uid: USER, gid: USER });
  const [, url = ''] = await server.printed(/answers at (\S+)/);
  const ask = async (): Promise<string> => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const body = JSON.stringify({ identifier: companies[0]?.cnpj, country: 'BR' });
    const answer = await fetch(`${url}/v1/kyb`, { method: 'POST', headers, body });
    const { code } = (await answer.json()) as { code?: string };
    return answer.status === 200 ? 'answered' : `${answer.status} ${code} ${answer.headers.get('retry-after')}`;
  };
  const counted = async () => Number((await db.knex('usage_counters').where({ module: 'kyb' }).sum({ n: 'used' }).first())?.n ?? 0);
  return { db: db.knex, usageDir, server, ask, counted };
}

const REFUSED = '503 service_unavailable 2';

for (const trouble of [FULL, READ_ONLY])
  it(`MT-05 while the folder of usage is ${trouble.name} checks are refused with 503, no answered one is lost or counted twice, and checks are answered again afterwards`, {
    timeout: 60_000,
    ...needs(trouble.isPossible, trouble.why),
  }, async () => {
    const { db, usageDir, server, ask, counted } = await start(trouble);
    const outcomes: string[] = [];
    const askOften = async (times: number) => {
      for (let i = 0; i < times; i += 1) outcomes.push(...(await Promise.all([ask(), ask(), ask(), ask()])));
    };
    await expect.poll(ask, { timeout: 20_000 }).toBe('answered');
    const first = 1;
    await askOften(10);
    expect(new Set(outcomes)).toEqual(new Set(['answered']));

    await trouble.begin(usageDir);
    await expect.poll(async () => outcomes[outcomes.push(await ask()) - 1], { timeout: 20_000, interval: 50 }).toBe(REFUSED);
    for (let i = 0; i < 10; i += 1) {
      await askOften(2);
      await sleep(200);
    }
    await trouble.end(usageDir);
    await expect.poll(async () => outcomes[outcomes.push(await ask()) - 1], { timeout: 20_000, interval: 50 }).toBe('answered');
    const before = outcomes.length;
    await askOften(10);

    expect(new Set(outcomes)).toEqual(new Set(['answered', REFUSED]));
    expect(outcomes.filter((outcome) => outcome === REFUSED).length).toBeGreaterThan(20);
    expect(new Set(outcomes.slice(before))).toEqual(new Set(['answered']));
    const answered = outcomes.filter((outcome) => outcome === 'answered').length;
    await expect.poll(counted, { timeout: 20_000 }).toBe(first + answered);
    await sleep(2_500); // further drains
    expect(await counted()).toBe(first + answered);
    expect(await wrongCounters(db, [monthOf(Date.now())])).toEqual([]);
    expect(server.child.exitCode).toBeNull();
  });

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../support/process.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { sandboxServer } from '../support/sandbox-server.ts';

const server = sandboxServer();
const { quipu } = server;

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly advice: string | null;
}
const findingsOf = (out: string): Readonly<Record<string, Finding>> =>
  Object.fromEntries(JSON.parse(out).checks.map((finding: Finding) => [finding.check, finding]));

describe('quipu doctor', () => {
  it('finds no problem in a running sandbox, and prints a table with a header or JSON', async () => {
    const { code, out, err } = await quipu(['doctor', '--json']);
    const findings = findingsOf(out);
    expect({ code, err, ok: JSON.parse(out).ok }).toEqual({ code: 0, err: '', ok: true });
    for (const check of [
      'settings',
      'data folder',
      'database',
      'migrations',
      'server',
      'source receita_federal (QUIPU_RECEITA_URL)',
      'list CEIS',
    ])
      expect(findings[check]).toMatchObject({ state: 'ok', advice: null });
    expect(findings.redis).toMatchObject({ state: 'off' });
    expect((await quipu(['doctor'])).out).toMatch(
      /^STATE +CHECK +FOUND\nok +settings +valid; QUIPU_SOURCES=sandbox\n[\s\S]*\nNo problem was found\.\n$/,
    );
  }, 60_000);

  it('exits with 1 and names a source that fails, and what to do', async () => {
    await server.fail('receita_federal', { mode: 'down' });
    const { code, out } = await quipu(['doctor', '--json']);
    expect({ code, ok: JSON.parse(out).ok }).toEqual({ code: 1, ok: false });
    expect(findingsOf(out)['source receita_federal (QUIPU_RECEITA_URL)']).toMatchObject({
      state: 'problem',
      advice: expect.stringMatching(/set QUIPU_RECEITA_URL/),
    });
  }, 60_000);

  it('names each wrong setting without its value', async () => {
    const { code, out } = await quipu(['doctor'], { ...server.env, QUIPU_EXECUTIONS: 'many', QUIPU_DEADLINE: '90s' });
    expect({ code, value: /many|90s/.test(out) }).toEqual({ code: 1, value: false });
    expect(out).toMatch(/PROBLEM +settings +QUIPU_DEADLINE: [\s\S]*PROBLEM +settings +QUIPU_EXECUTIONS: [\s\S]*\n2 problems\.\n$/);
  });

  it('names a database, a read replica, a Redis and a server that do not answer, and shows no password', async () => {
    const settings = {
      ...server.env,
      DATABASE_URL: 'postgres://me:secret-1@127.0.0.1:1/quipu',
      DATABASE_READ_URL: 'postgres://me:secret-3@127.0.0.1:1/quipu',
      REDIS_URL: 'redis://:secret-2@127.0.0.1:1',
    };
    const { code, out, err } = await quipu(['doctor', '--url', 'http://127.0.0.1:1'], settings);
    expect({ code, secret: /secret/.test(out + err) }).toEqual({ code: 1, secret: false });
    for (const name of ['database', 'read replica', 'redis', 'server'])
      expect(out).toMatch(new RegExp(`PROBLEM +${name} .*ECONNREFUSED[\\s\\S]*  ${name}: `));
  }, 60_000);

  it('compares the clock with that of a Redis that answers', { timeout: 60_000, ...needsRedis }, async () => {
    const redis = await redisOfTest();
    const findings = findingsOf((await quipu(['doctor', '--json'], { ...server.env, REDIS_URL: redis.url })).out);
    expect([findings.redis?.state, findings.clock?.found]).toEqual(['ok', expect.stringMatching(/ Redis$/)]);
  });

  it('creates nothing before the first start, and says that no server answers', async () => {
    const settings = { QUIPU_DATA_DIR: path.join(await dataFolder(), 'new'), PORT: '1' };
    const { code, out } = await quipu(['doctor', '--json'], settings);
    expect({ code, created: existsSync(settings.QUIPU_DATA_DIR) }).toEqual({ code: 0, created: false });
    expect(findingsOf(out)).toMatchObject({
      database: { state: 'off' },
      server: { state: 'warning', advice: expect.stringContaining('npm start') },
    });
  });
});

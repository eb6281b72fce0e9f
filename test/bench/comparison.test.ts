import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { requireEqualAnswers } from '../../bench/harness/answers.ts';
import { BenchFailure } from '../../bench/harness/bench.ts';
import { untilIdle } from '../../bench/harness/idle.ts';
import { interleave, type Target } from '../../bench/harness/interleave.ts';
import { findPinning } from '../../bench/harness/machine.ts';
import { type Placement, placementsOf } from '../../bench/harness/placement.ts';
import { startServer } from '../../bench/harness/server.ts';
import { needs } from '../support/needs.ts';
import { startUpstream } from '../support/upstream.ts';

const SHORT = {
  rounds: 2,
  seconds: 1,
  warmupSeconds: 0,
  connections: 2,
  rows: 1_000,
  establishments: 10_000,
  companies: 1_000,
  subscribers: 100,
  outageSeconds: 1,
};
const PLACEMENTS: readonly Placement[] = [{ name: 'unpinned', load: [], apply: () => undefined }];
const moments = new Set(['generatedAt']);

/** Answers each path its own way. */
const ANSWERS: Readonly<Record<string, readonly [status: number, body: string]>> = {
  '/one': [200, '{"risk":"LOW","generatedAt":1}'],
  '/same': [200, '{"generatedAt":2,"risk":"LOW"}'],
  '/other': [200, '{"risk":"HIGH","generatedAt":1}'],
  '/broken': [503, '{}'],
  '/accepted': [202, '{}'],
};
let upstream: Awaited<ReturnType<typeof startUpstream>>;
const target = (name: string): Target => ({ name, request: { url: `${upstream.url}/${name}`, headers: {}, body: '{}' } });
let logDir: string;
beforeAll(async () => {
  logDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-test-'));
  upstream = await startUpstream((asked) => {
    const [status, body] = ANSWERS[asked] ?? [404, ''];
    return { status, body };
  });
});
afterAll(async () => {
  await upstream.close();
  await rm(logDir, { recursive: true });
});

describe('a comparison', () => {
  it('takes answers for equal that differ in order and moments only', async () => {
    await expect(requireEqualAnswers([target('one'), target('same')], moments)).resolves.toBeUndefined();
  });

  it('ends when one contender answers differently, naming it and the first difference', async () => {
    const answered = requireEqualAnswers([target('one'), target('same'), target('other')], moments);
    await expect(answered).rejects.toThrow(/^other and one answer differently:.*LOW.*HIGH/s);
  });

  it('loads the contenders in turn and keeps the results of every round', async () => {
    const order: string[] = [];
    const measured = await interleave([target('one'), target('same')], PLACEMENTS, SHORT, (line) =>
      order.push(line.replace(/^round (\S+) · unpinned · (\w+) .*/, '$1 $2')),
    );
    expect(order).toEqual(['1/2 one', '1/2 same', '2/2 one', '2/2 same']);
    for (const { runs, requestsPerSecond, p50Ms, p99Ms } of measured) {
      expect(runs).toHaveLength(2);
      expect(runs.every(({ requests, failures }) => requests > 0 && failures === 0)).toBe(true);
      expect(requestsPerSecond.min).toBeGreaterThan(0);
      expect(p50Ms.median).toBeLessThanOrEqual(p99Ms.median);
    }
  });

  it.each(['broken', 'accepted'])('ends when a request gets another status than 200: %s', async (name) => {
    const status = ANSWERS[`/${name}`]?.[0];
    await expect(interleave([target(name)], PLACEMENTS, SHORT, () => undefined)).rejects.toThrow(
      new RegExp(`^${name}: \\d+ requests failed \\(${status}: \\d+`),
    );
  });

  it('measures every contender in each placement, after the servers have moved there', async () => {
    const order: string[] = [];
    const placements = (['pinned', 'unpinned'] as const).map((name) => ({
      name,
      load: [],
      apply: (servers: readonly number[]) => void order.push(`${name}: ${servers.join()}`),
    }));
    const targets = [{ ...target('one'), processes: { server: process.pid, postgres: null } }, target('same')];
    const measured = await interleave(targets, placements, { ...SHORT, rounds: 1 }, (line) => order.push(line.split(' · ')[2] ?? ''));
    expect(order).toEqual([`pinned: ${process.pid}`, 'one', 'same', `unpinned: ${process.pid}`, 'one', 'same']);
    expect(measured.map(({ name, placement }) => `${name} ${placement}`)).toEqual([
      'one pinned',
      'same pinned',
      'one unpinned',
      'same unpinned',
    ]);
    const [ofThisProcess, ofNone] = measured;
    expect(ofThisProcess?.serverCpuUs.median).toBeGreaterThan(0);
    expect(ofNone?.serverCpuUs.median).toBe(0);
  });
});

describe('the placements', () => {
  const cpusOf = (pid: number | undefined) => /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const { cpus, ...pinning } = findPinning();
  const pinnable = needs(cpus !== undefined, 'the processes of this machine cannot be pinned to a CPU');

  it('move a running server to one CPU with the processes that it has started, and back to all', pinnable, async () => {
    const server = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const started = Number((await once(server.stdout, 'data'))[0]);
    onTestFinished(() => {
      server.kill();
      process.kill(started);
    });
    const seen = placementsOf({ cpus, ...pinning }).map(({ name, apply }) => {
      apply([server.pid ?? 0]);
      return [name, cpusOf(server.pid), cpusOf(started)];
    });
    expect(seen).toEqual([
      ['pinned', cpus?.server, cpus?.server],
      ['unpinned', cpus?.all, cpus?.all],
    ]);
  });

  it('are one where nothing can be pinned, and leave the servers where they are', () => {
    const [only, ...others] = placementsOf({ server: [], load: [], note: 'not pinned' });
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'unpinned', load: [] });
    const before = cpusOf(process.pid);
    only?.apply([process.pid]);
    expect(cpusOf(process.pid)).toBe(before);
  });
});

describe('the wait for idle servers', () => {
  const running = (script: string): number => {
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child.pid ?? 0;
  };

  it('ends when none is busy any more', async () => {
    const busy = running('const end = Date.now() + 1500; while (Date.now() < end); setInterval(() => 0, 60_000)');
    expect(await untilIdle([busy], 0)).toBe(false);
    expect(await untilIdle([busy, running('setInterval(() => 0, 60_000)')])).toBe(true);
  });
});

describe('a server under comparison', () => {
  const bare = { name: 'bare', script: 'bench/servers/bare-stringify.ts', readyPath: '/' };

  it('is up when it is handed over and gone once stopped', async () => {
    const answers = await mkdtemp(path.join(logDir, 'answers-'));
    const server = await startServer({ ...bare, env: { BENCH_PREPARED_DIR: answers } }, [], logDir);
    await expect(fetch(server.url)).resolves.toMatchObject({ status: 404 });
    await server.stop();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('that does not start ends the bench with the end of its log', async () => {
    const started = startServer({ ...bare, env: { BENCH_PREPARED_DIR: path.join(logDir, 'missing') } }, [], logDir);
    await expect(started).rejects.toThrow(BenchFailure);
    await expect(started).rejects.toThrow(/^bare ended with 1 while starting.*ENOENT/s);
  });
});

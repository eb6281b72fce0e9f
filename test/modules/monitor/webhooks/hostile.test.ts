import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { receiver, setup, taxIdOf } from './support.ts';

const MIB = 1024 * 1024;
const KIND = Buffer.alloc(64 * 1024, 'x');
const bomb = gzipSync(Buffer.alloc(200 * MIB));

const endless: RequestListener = (_, response) => {
  const more = (): void => {
    while (response.write(Buffer.alloc(65_536, 'x')));
    response.once('drain', more);
  };
  more();
};
const trickle: RequestListener = (_, response) => {
  response.writeHead(200).flushHeaders();
  const timer = setInterval(() => response.write('x'), 1_000);
  response.on('close', () => clearInterval(timer));
};
const HOSTILE: readonly [RequestListener, string][] = [
  [endless, 'delivered 200 null'],
  [(_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb), 'delivered 200 null'],
  [(_, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(MIB) }).end(), 'failed null too_large'],
  [trickle, 'delivered 200 null'],
  [({ socket }) => void setInterval(() => socket.write('H'), 1_000).unref(), 'failed null connection'],
];

describe('WH-10 fifty hostile receivers', () => {
  it('cost at most 20 MiB of memory and 10.5 s each, and each attempt is logged', async () => {
    const { db, url, monitor, change } = await setup();
    // 50 normal receivers come first, so that the cost of any receiver is not measured.
    const first = Array.from({ length: 20 }, (_, i) => taxIdOf(100 + i));
    for (let n = 0; n < 50; n += 1) await monitor((await receiver((_, response) => void response.end(KIND))).url, { taxIds: first });
    await change(first);
    const child = spawn(process.execPath, ['--import', 'tsx', path.join(import.meta.dirname, 'hostile-child.ts'), url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const expected = new Map<string, string>();
    for (let n = 0; n < 10; n += 1) {
      for (const [answer, outcome] of HOSTILE) expected.set((await monitor((await receiver(answer)).url)).id, outcome);
    }
    await change([taxIdOf(1)]);
    child.stdin.write('go\n');
    const [said] = await once(child.stdout, 'data');
    expect(JSON.parse(String(said)).grownBytes).toBeLessThanOrEqual(20 * MIB);
    const rows = await db('deliveries')
      .join('delivery_attempts', 'delivery_id', 'id')
      .whereIn('monitor_id', [...expected.keys()]);
    expect(new Map(rows.map((row) => [row.monitor_id, `${row.state} ${row.status} ${row.error}`]))).toEqual(expected);
    for (const { latency_ms, answer } of rows) {
      expect(latency_ms).toBeLessThanOrEqual(10_500);
      expect(Buffer.byteLength(answer ?? '')).toBeLessThanOrEqual(3 * 1024); // the replacement of an invalid UTF-8 byte takes three bytes
    }
  }, 60_000);
});

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataFolder, run } from '../support/process.ts';

describe('the port of metrics', () => {
  it('is printed at the start and answers without a key', async () => {
    const env = { PORT: '0', QUIPU_METRICS_PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent' };
    const [, address = ''] = await run('src/main.ts', [], env).printed(/^Metrics: (http:\S+\/metrics)\n[\s\S]*Explorer:/m);
    const answer = await fetch(address);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quipu_monitor_overdue_companies 0')]);
  }, 60_000);

  it('is in the error message when it is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const server = run('src/main.ts', [], { PORT: '0', QUIPU_METRICS_PORT: port, QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent' });
    expect(await server.ended).toBe(1);
    expect(server.err().trim()).toBe(
      `Port ${port} on 127.0.0.1 is in use: stop what listens there, or set QUIPU_METRICS_PORT to another one.`,
    );
  }, 60_000);
});

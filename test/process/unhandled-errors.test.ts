import { expect, it } from 'vitest';
import { dataFolder, endRun, SETTINGS, startRun } from '../support/process.ts';

/** Code that runs in the process before the service: one signal leaves a rejection unhandled, another one throws. */
const FAULTS = `process.on('SIGUSR2', () => void Promise.reject(new Error('left alone')));
process.on('SIGHUP', () => { throw new Error('thrown'); });`;

it('a rejection that nothing handles is logged and counted, an exception is logged and ends the process, and a test of it fails', async () => {
  const env = { PORT: '0', QUIPU_METRICS_PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'error' };
  const server = startRun('src/main.ts', [], { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULTS)}` });
  const lines = () =>
    server
      .err()
      .match(/^\{.*\}$/gm)
      ?.map((line) => JSON.parse(line)) ?? [];
  try {
    const [, address = ''] = await server.printed(/^Metrics: (http:\S+\/metrics)\n[\s\S]*Explorer:/m);
    const metrics = async () => (await fetch(address)).text();
    expect(await metrics()).toContain('quipu_unhandled_rejections 0');
    server.child.kill('SIGUSR2');
    await expect
      .poll(lines, { timeout: 10_000 })
      .toMatchObject([{ level: 50, code: 'UNHANDLED_REJECTION', err: { message: 'left alone' } }]);
    expect(await metrics()).toContain('quipu_unhandled_rejections 1');
    server.child.kill('SIGHUP');
    expect(await server.ended).toBe(1);
    expect(lines().at(-1)).toMatchObject({ level: 60, code: 'UNCAUGHT_EXCEPTION', err: { message: 'thrown' } });
  } finally {
    await expect(endRun(server)).rejects.toThrow('a process had a defect');
  }
}, 60_000);

it('a process of a test ends for a rejection that nothing handles, also if it logs nothing', async () => {
  const NODE_OPTIONS = `${SETTINGS.NODE_OPTIONS} --import=data:text/javascript,${encodeURIComponent(FAULTS)}`;
  const server = startRun('src/main.ts', [], { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent', NODE_OPTIONS });
  try {
    await server.printed(/Explorer:/);
    server.child.kill('SIGUSR2');
    expect(await server.ended).toBe(1);
  } finally {
    await endRun(server);
  }
}, 60_000);

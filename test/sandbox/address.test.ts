import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runSandbox } from '../../sandbox/index.ts';
import { announceSandbox, findSandbox } from '../../sandbox/server/address.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { tempFolder } from '../support/files.ts';

describe('the address of a sandbox', () => {
  it('is found only while the server runs, with the address of its name server', async () => {
    const folder = await tempFolder();
    const sandbox = await startSandbox({ simulators: [] });
    onTestFinished(() => sandbox.close());
    expect(await findSandbox(folder)).toBeNull();
    await announceSandbox(folder, sandbox);
    expect(await findSandbox(folder)).toEqual({ url: sandbox.url, dns: sandbox.dns });
    await sandbox.close();
    expect(await findSandbox(folder)).toBeNull();
  });

  it('is reachable from other addresses of the machine on a host of 0.0.0.0, and on loopback alone without one', async () => {
    const other = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    const open = await runSandbox({ dataDir: await tempFolder(), host: '0.0.0.0' });
    onTestFinished(() => open.close());
    const own = await runSandbox({ dataDir: await tempFolder() });
    onTestFinished(() => own.close());
    expect(open.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    if (other === undefined) return; // a machine without a network
    const at = (url: string) => fetch(`http://${other}:${new URL(url).port}/_control/faults`);
    expect((await at(open.url)).status).toBe(200);
    await expect(at(own.url)).rejects.toThrow();
  });

  it('keeps its port for the next start, and is another one while that port is taken', async () => {
    const dataDir = await tempFolder();
    const first = await runSandbox({ dataDir });
    await first.close();
    const second = await runSandbox({ dataDir });
    onTestFinished(() => second.close());
    expect(second.url).toBe(first.url);
    const third = await runSandbox({ dataDir });
    onTestFinished(() => third.close());
    expect(third.url).not.toBe(first.url);
  });

  it('is not found when no server answers at it', async () => {
    const folder = await tempFolder();
    await announceSandbox(folder, { url: 'http://127.0.0.1:1', dns: '127.0.0.1:1' });
    expect(await findSandbox(folder)).toBeNull();
  });
});

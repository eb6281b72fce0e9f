import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atPort } from './ports.ts';

describe('atPort', () => {
  it('gives another port when one is taken, and passes on any other error', async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port: takenPort } = taken.address() as AddressInfo;
    const tried: number[] = [];
    const server = await atPort(async (port) => {
      tried.push(port);
      const opened = createServer();
      onTestFinished(() => void opened.close());
      await once(opened.listen(tried.length === 1 ? takenPort : port, '127.0.0.1'), 'listening');
      return opened;
    });
    expect((server.address() as AddressInfo).port).toBe(tried.at(-1));
    expect(tried.length).toBeGreaterThan(1);
    await expect(atPort(() => Promise.reject(new Error('another reason')))).rejects.toThrow('another reason');
  });
});

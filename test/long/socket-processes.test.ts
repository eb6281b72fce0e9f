import { expect, it } from 'vitest';
import { openSocket, type RawSocket, subscribe } from '../server/sockets/support.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { startService } from './load/service.ts';

const PROCESSES = 3;
const PER_KEY = 20;

const hostsOf = ({ processes }: Awaited<ReturnType<typeof startService>>): readonly string[] =>
  processes.map(({ url }) => url.replace('http://', ''));

/** 20 sockets of each key at each host, which subscribe. */
async function subscribers(hosts: readonly string[], keys: readonly string[]): Promise<readonly RawSocket[]> {
  const sockets: RawSocket[] = [];
  for (const host of hosts)
    for (const key of keys) sockets.push(...(await Promise.all(Array.from({ length: PER_KEY }, () => openSocket(host, key)))));
  for (const socket of sockets) socket.send(subscribe('1'));
  return sockets;
}

const KEYS = rounds(5);

it(`SB-02 ${PROCESSES} processes close ${KEYS * PER_KEY} sockets each with 4403 when their keys are revoked, and when they expire; in a full run within 5 s`, async () => {
  const service = await startService({ processes: PROCESSES });
  const hosts = hostsOf(service);
  const others = await Promise.all(hosts.map(async (host) => openSocket(host, (await service.newKey()).key)));
  const ends: Readonly<Record<string, (id: string) => Promise<number>>> = {
    revoked: async (id) => {
      const at = Date.now();
      await service.keys.revoke(id);
      return at;
    },
    expired: async (id) => {
      const expiresAt = Date.now() + 3_000;
      await service.keys.update(id, { expiresAt });
      return expiresAt;
    },
  };
  for (const [how, end] of Object.entries(ends)) {
    const owners = await Promise.all(Array.from({ length: KEYS }, () => service.newKey()));
    const sockets = await subscribers(
      hosts,
      owners.map(({ key }) => key),
    );
    const closing = sockets.map(async ({ closed }) => ({ ...(await closed), at: Date.now() }));
    const endedAt = Math.min(...(await Promise.all(owners.map(({ id }) => end(id)))));
    const closes = await Promise.all(closing);
    expect(new Set(closes.map(({ code, reason }) => `${code} ${reason}`))).toEqual(new Set(['4403 INVALID_API_KEY']));
    const [first, last] = [Math.min, Math.max].map((of) => of(...closes.map(({ at }) => at)) - endedAt) as [number, number];
    console.log(`${closes.length} sockets of ${how} keys closed after ${first} to ${last} ms`);
    expect(first).toBeGreaterThan(0);
    if (isFull) expect(last).toBeLessThanOrEqual(5_000);
  }
  expect(others.filter(({ ws }) => ws.readyState !== ws.OPEN)).toEqual([]);
});

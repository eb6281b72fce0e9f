import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { endCursorOf } from '../../../src/modules/monitor/domain/log-position.ts';
import { readStreamHead } from '../../../src/modules/monitor/store/change-log.ts';
import { append } from '../../modules/monitor/feed-support.ts';
import type { TestApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { CHANGES, openSocket, type RawSocket, subscribe } from './support.ts';

/** Returns the changes that a socket received, in order. */
export const receivedChanges = ({ messages }: RawSocket): readonly { readonly id: string; readonly cursor: string }[] =>
  messages.filter(({ type }) => type === 'next').map(({ payload }) => payload.data.companyChanged);

/** Writes changes for the app's own key; returns their public ids. */
export async function write(app: TestApp, count: number): Promise<readonly string[]> {
  const keyId = (await app.keys.find(app.key))?.keyId ?? '';
  return (await append(app.db, count, { keyId })).map((id) => `evt_${id.replaceAll('-', '')}`);
}

/**
 * Writes changes while a client repeatedly subscribes with its last cursor, at the hosts in turn, and is disconnected at a random moment.
 * Asserts that the client received every written change once, in order.
 */
export async function resumeAtRandom(app: TestApp, hosts: readonly string[], rounds: number): Promise<void> {
  let after = endCursorOf(await readStreamHead(app.db));
  const sent: string[] = [];
  const got: string[] = [];
  const listen = async (round: number, enough: (socket: RawSocket) => Promise<unknown>): Promise<void> => {
    const socket = await openSocket(hosts[round % hosts.length] ?? '', app.key);
    socket.send(subscribe('1', CHANGES, { after }));
    await enough(socket);
    socket.net().resetAndDestroy();
    await socket.closed;
    got.push(...receivedChanges(socket).map(({ id }) => id));
    after = receivedChanges(socket).at(-1)?.cursor ?? after;
  };
  for (let round = 0; round < rounds; round += 1) {
    const writing = write(app, 1 + (round % 40)).then((ids) => sent.push(...ids));
    const some = Math.floor(Math.random() * 40);
    await listen(round, (socket) => Promise.race([until(() => receivedChanges(socket).length >= some), sleep(Math.random() * 30)]));
    await writing;
  }
  await listen(0, (socket) => until(() => got.length + receivedChanges(socket).length >= sent.length));
  expect(got).toEqual(sent);
}

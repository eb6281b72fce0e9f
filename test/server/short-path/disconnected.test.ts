import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CNPJS } from './graphql-requests.ts';
import { type Pair, pairOf, plainHeaders, plansOf } from './support.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await pairOf({ QUIPU_PLANS: plansOf({}) });
});
afterAll(() => pair.close());

const AGE = 'freshness { fetchedAt dataAsOf cached stale expiresAt }';
const CHECKS = `kyb { companyName status foundedYear registration source ${AGE} }
  owners { owners { name role entityType entryDate } source ${AGE} } debarment { isDebarred sourcesChecked ${AGE} }
  sanctions { isSanctioned lists { list publishedOn loadedAt entries checksum } ${AGE} } labor { hasViolations ${AGE} }`;
/** Its answer is so long that the server sends it in parts. */
const LIST = `query($i: [String!]!) { companies(identifiers: $i) { compliance { riskLevel checks { ${CHECKS} } } } }`;
const ASKED = JSON.stringify({ query: LIST, variables: { i: Array.from({ length: 500 }, (_, at) => CNPJS[at % CNPJS.length]) } });

/** Sends a list of 500 companies, and closes the connection after some milliseconds, mostly before the answer. */
async function abandon(afterMs: number): Promise<void> {
  const { short } = pair;
  const { hostname, port } = new URL(short.url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const headers = { host: 'localhost', 'content-length': String(Buffer.byteLength(ASKED)), ...plainHeaders(short.app.key) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /graphql HTTP/1.1\r\n${lines.join('')}\r\n${ASKED}`);
  await delay(afterMs);
  socket.destroy();
}

it('a client that disconnects before its long answer is sent causes no unhandled error, and others are answered', async () => {
  const { short } = pair;
  const ask = () => short.send({ path: '/graphql', body: ASKED, headers: plainHeaders(short.app.key) });
  expect((await ask()).body.length).toBeGreaterThan(500_000);
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    for (let ms = 1; ms <= 30; ms += 1) await abandon(ms);
    expect((await ask()).status).toBe(200);
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import type { SealedReceipt } from '../../src/evidence/receipt.ts';
import { openSocket, subscribe } from '../server/sockets/support.ts';
import { dataFolder, type Run, run } from '../support/process.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';

const KEY = 'sk_for_two_workers';
const { cnpj } = companyByScenario('clean');

async function start(env: Readonly<Record<string, string>> = {}): Promise<{ server: Run; url: string }> {
  const settings = {
    PORT: '0',
    QUIPU_DATA_DIR: await dataFolder(),
    QUIPU_BOOTSTRAP_KEY: KEY,
    LOG_LEVEL: 'info',
    QUIPU_WORKERS: '2',
    ...env,
  };
  const server = run('src/main.ts', [], settings);
  return { server, url: (await server.printed(/answers at (\S+)[\s\S]*Explorer:/))[1] ?? '' };
}

/** Sends one request on a connection of its own, so that either worker may get it. */
async function send(url: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const headers = { 'x-api-key': KEY, connection: 'close', ...(body !== undefined && { 'content-type': 'application/json' }) };
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') };
}

/** Numbers of the workers whose log names a path. */
const workersOf = (server: Run, path: string): ReadonlySet<number> =>
  new Set([...server.err().matchAll(new RegExp(`^\\{.*"worker":(\\d+).*${path}`, 'gm'))].map(([, index]) => Number(index)));

it('receipts that two workers write are one chain without a gap', async () => {
  const { server, url } = await start({ QUIPU_PLANS: '{"standard":{"compliance_br":{"rate":null}}}' });
  const sent = await Promise.all(Array.from({ length: 30 }, () => send(`${url}/v1/compliance-br`, { cnpj, receipt: true })));
  expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
  await expect.poll(() => workersOf(server, '/v1/compliance-br').size, { timeout: 10_000 }).toBe(2);
  const chain: readonly SealedReceipt[] = (await send(`${url}/v1/evidence?limit=100`)).body.evidence;
  expect(chain.map(({ receipt }) => receipt.sequence)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect(chain.map(({ receipt }) => receipt.previous_hash)).toEqual([null, ...chain.slice(0, -1).map((one) => one.content_hash)]);
}, 120_000);

it('a change reaches the subscribers of each worker once, with the same cursor', async () => {
  const { url } = await start();
  const { host } = new URL(url);
  // 16 connections are on one worker only with a probability of 1 to 32,768.
  const sockets = await Promise.all(Array.from({ length: 16 }, () => openSocket(host, KEY)));
  const query = `subscription { companyChanged { cursor company { identifier } changedFields { field } } }`;
  for (const socket of sockets) socket.send(subscribe('1', query));
  const watched = await send(`${url}/graphql`, {
    query: `mutation { createMonitor(input: { country: BR, identifiers: ["${cnpj}"] }) { monitor { id } } }`,
  });
  expect(watched.body.errors).toBeUndefined();
  const id = watched.body.data.createMonitor.monitor.id;
  const baseline = `{ node(id: "${id}") { ... on Monitor { checks { checked } } } }`;
  const checked = async () => (await send(`${url}/graphql`, { query: baseline })).body.data?.node?.checks.checked;
  await expect.poll(checked, { timeout: 60_000, interval: 500 }).toBe(1);
  expect((await send(`${url}/sandbox/companies/${cnpj}`, { status: 'BAIXADA' }, 'PATCH')).status).toBe(200);
  const eventsOf = (messages: readonly { type: string; payload?: { data: { companyChanged: { cursor: string; company: object } } } }[]) =>
    messages.flatMap(({ type, payload }) => (type === 'next' && payload ? [payload.data.companyChanged] : []));
  const own = () =>
    sockets.map(({ messages }) => eventsOf(messages).filter(({ company }) => 'identifier' in company && company.identifier === cnpj));
  await expect.poll(() => own().map((events) => events.length), { timeout: 60_000 }).toEqual(sockets.map(() => 1));
  expect(new Set(own().flatMap((events) => events.map(({ cursor }) => cursor))).size).toBe(1);
}, 180_000);

describe('two workers with Redis', needsRedis, () => {
  it('share one rate of a key exactly', async () => {
    const redis = await redisOfTest();
    const plans = { standard: { kyb: { rate: { perMinute: 1, burst: 7 } } } };
    const { server, url } = await start({ QUIPU_PLANS: JSON.stringify(plans), REDIS_URL: redis.url });
    const sent = await Promise.all(Array.from({ length: 60 }, () => send(`${url}/v1/kyb`, { identifier: cnpj, country: 'BR' })));
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(53);
    await expect.poll(() => workersOf(server, '/v1/kyb').size, { timeout: 10_000 }).toBe(2);
  }, 120_000);
});

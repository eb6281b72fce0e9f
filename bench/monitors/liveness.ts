import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { BenchFailure } from '../harness/bench.ts';
import { changeLog, notification, type PublishChange, plainPosts, startReceivers } from './changes.ts';
import { type Latency, latency, liveCompanies, PER_KEY, type Side, toCrowd, toSockets, watchedBy } from './live.ts';
import { Marks } from './marks.ts';
import { BARE, type Compared, connect, type Play, POSTS, startQuipu } from './play.ts';

/** Number of keys and monitors while latency is measured. Each key has the maximum number of sockets. */
const KEYS = 5;
const SOCKETS = KEYS * PER_KEY;
const LONGEST_DRAIN_MS = 120_000;
const DURING = liveCompanies(97_000_000);
const CROWDED = liveCompanies(97_100_000);

/** Measures the latency of a change, and the memory of waiting subscribers. */
export async function liveness(play: Play): Promise<readonly Compared[]> {
  const { stage, url, sockets, progress } = play;
  const server = await startQuipu(play, 'telling');
  const bareServer = await stage.start({
    name: 'bare-graphql-ws',
    script: 'bench/servers/bare-graphql-ws.ts',
    env: { DATABASE_URL: url },
    readyPath: '/',
  });
  const log = await changeLog(url);
  const client = await connect(url);
  try {
    const keysFor = async (count: number) =>
      Promise.all(Array.from({ length: count }, async (_, i) => (await log.keyFor(`bench ${i}`)).key));
    const ours: Side = { server, keys: await keysFor(sockets / PER_KEY), publishChange: log.publishChange };
    const theirs: Side = { server: bareServer, keys: null, publishChange: notification(client) };
    progress(`${sockets} sockets`);
    const crowd = await crowds(play, ours, theirs, client);
    return [...(await latencies(play, { ...ours, keys: await keysFor(KEYS) }, theirs, client)), ...crowd];
  } finally {
    await client.end();
    await log.close();
    await bareServer.stop();
    await server.stop();
  }
}

/** Measures the latency to sockets, then to a webhook receiver that gets each change from every monitor. */
async function latencies({ options, progress }: Play, ours: Side, theirs: Side, client: pg.Client): Promise<readonly Compared[]> {
  const { rounds } = options;
  let marks = new Marks();
  const receivers = await startReceivers(KEYS, (mark) => marks.receive(mark));
  await client.query('CREATE UNLOGGED TABLE IF NOT EXISTS bench_changes (id bigint GENERATED ALWAYS AS IDENTITY, body text NOT NULL)');
  const posts = plainPosts(client, receivers.urls);
  await watchedBy(ours.server, ours.keys ?? [], DURING, receivers.urls);
  const hooked = (publishChange: PublishChange) => {
    marks = new Marks();
    return latency(publishChange, marks, KEYS, DURING, options);
  };
  const sockets: Pair<Latency> = { ours: [], theirs: [] };
  const hooks: Pair<Latency> = { ours: [], theirs: [] };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      sockets.ours.push(await toSockets(ours, SOCKETS, DURING, options));
      await drained(client);
      sockets.theirs.push(await toSockets(theirs, SOCKETS, DURING, options));
      hooks.ours.push(await hooked(ours.publishChange));
      await drained(client);
      hooks.theirs.push(await hooked(posts.publishChange));
      progress(`round ${round}/${rounds} · socket ${inWords(sockets)} · webhook ${inWords(hooks)}`);
    }
  } finally {
    await posts.close();
    receivers.close();
  }
  return [...percentiles(`change to ${SOCKETS} sockets`, BARE, sockets), ...percentiles(`change to ${KEYS} webhooks`, POSTS, hooks)];
}

async function crowds({ options: { rounds }, sockets }: Play, ours: Side, theirs: Side, client: pg.Client): Promise<readonly Compared[]> {
  const receivers = await startReceivers(KEYS, () => undefined);
  await watchedBy(ours.server, ours.keys ?? [], CROWDED, receivers.urls);
  const mine = await toCrowd(ours, sockets, CROWDED, rounds);
  await drained(client);
  const other = await toCrowd(theirs, sockets, CROWDED, rounds);
  receivers.close();
  return [
    {
      title: `memory of an idle subscriber among ${sockets}, KiB`,
      baseline: BARE,
      ours: [mine.bytesEach / 1_024],
      theirs: [other.bytesEach / 1_024],
      decimals: 1,
    },
    {
      title: `one change to ${sockets} subscribers, ms until the last has it`,
      baseline: BARE,
      ours: mine.lastMs,
      theirs: other.lastMs,
      decimals: 0,
    },
  ];
}

/** Waits until every webhook was sent, so that this run does not slow down the next one. @throws BenchFailure when that takes minutes */
async function drained(client: pg.Client): Promise<void> {
  const deadline = performance.now() + LONGEST_DRAIN_MS;
  while (performance.now() < deadline) {
    const { rows } = await client.query("SELECT EXISTS (SELECT FROM deliveries WHERE state IN ('pending', 'sending')) AS waiting");
    if (!rows[0].waiting) return;
    await delay(100);
  }
  throw new BenchFailure('webhooks still wait after two minutes');
}

interface Pair<T> {
  readonly ours: T[];
  readonly theirs: T[];
}

const percentiles = (what: string, baseline: string, { ours, theirs }: Pair<Latency>): readonly Compared[] =>
  (['p50Ms', 'p99Ms'] as const).map((which) => ({
    title: `${what}, ms, ${which.slice(0, 3)}`,
    baseline,
    ours: ours.map((one) => one[which]),
    theirs: theirs.map((one) => one[which]),
    decimals: 1,
  }));

const inWords = ({ ours, theirs }: Pair<Latency>): string =>
  [ours, theirs].map((runs) => `p50 ${runs.at(-1)?.p50Ms.toFixed(1)} p99 ${runs.at(-1)?.p99Ms.toFixed(1)} ms`).join(' / plain ');

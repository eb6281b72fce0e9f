import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { MODULES } from '../../src/domain/catalogue.ts';

/** What the service does once, and the files of `src` in which a function ran meanwhile. */
export interface Walk {
  readonly name: string;
  readonly files: readonly string[];
}

const root = path.resolve(import.meta.dirname, '../..');
const WAIT_MS = 60_000;
const REPEATS = 8;

/** Starts the service with embedded Postgres and sandbox sources, warms it, and walks. */
export async function takeWalks(): Promise<readonly Walk[]> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-structure-'));
  const settings = { QUIPU_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', QUIPU_TENDERS_MONTHS: '1', QUIPU_MONITOR_INTERVAL: '2s' };
  const coverage = await startCoverage();
  const app = await createApp(readConfig(settings));
  try {
    const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
    await app.lists.firstRound;
    const { key } = await app.keys.create({ name: 'structure', modules: MODULES });
    const sandbox = app.sandbox ?? fail('the sandbox does not run');
    const post = async (pathname: string, body: object) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const answer = await fetch(url + pathname, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) fail(`${pathname} answered ${answer.status}: ${await answer.text()}`);
      return answer;
    };
    const walk = async (name: string, act: () => Promise<unknown>): Promise<Walk> => {
      await coverage.files();
      await act();
      return { name, files: await coverage.files() };
    };
    /** Background jobs run in between: what belongs to the action runs every time. */
    const steady = async (name: string, act: () => Promise<unknown>): Promise<Walk> => {
      const walks: Walk[] = [];
      for (let i = 0; i < REPEATS; i += 1) walks.push(await walk(name, act));
      return { name, files: walks[0]?.files.filter((file) => walks.every(({ files }) => files.includes(file))) ?? [] };
    };

    const cnpj = sandbox.examples.debarred;
    const restCheck = () => post('/v1/compliance-br', { cnpj }).then((answer) => answer.text());
    const query = `{ companies(identifiers: ["${cnpj}"]) { name compliance { riskLevel riskReasons { message } } debarment { isDebarred records { source } } } }`;
    const graphqlList = () => post('/graphql', { query }).then((answer) => answer.text());
    await restCheck();
    await graphqlList();
    const checks = [await steady('a warm REST check', restCheck), await steady('a warm GraphQL list', graphqlList)];

    const inbox = `${sandbox.url}/_control/webhooks/structure`;
    const received = async () => ((await (await fetch(inbox)).json()) as { requests: readonly unknown[] }).requests.length;
    const events = await subscribe(url, key);
    await post('/v1/monitor/subscriptions', { identifiers: [cnpj], country: 'BR', webhook_url: inbox });
    await until(async () => (await app.db('watched_companies').whereNotNull('snapshot')).length > 0);
    let changes = 0;
    const change = await steady('one change, from check to webhook and subscription', async () => {
      const company = `${sandbox.url}/_control/companies/${cnpj}`;
      const size = changes % 2 === 0 ? 'MICRO EMPRESA' : 'DEMAIS';
      const patched = await fetch(company, { method: 'PATCH', body: JSON.stringify({ size }) });
      if (!patched.ok) fail(`the sandbox answered ${patched.status}: ${await patched.text()}`);
      changes += 1;
      await until(async () => (await received()) >= changes);
      await until(async () => events.text().split('companyChanged').length > changes);
    });
    events.close();
    return [...checks, change];
  } finally {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Reads an event stream of changes as text. */
async function subscribe(url: string, key: string) {
  const abort = new AbortController();
  const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' };
  const body = JSON.stringify({ query: 'subscription { companyChanged { identifier changedFields { field from to } } }' });
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body, signal: abort.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  return {
    text: () => text,
    close() {
      abort.abort();
      return reading;
    },
  };
}

async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** Files of `src` in which a function ran since the last call. */
    async files(): Promise<readonly string[]> {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const ran = result.filter(
        ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
      );
      const files = ran.map(({ url }) => path.relative(root, fileURLToPath(url.replace(/\?.*$/, ''))));
      return [...new Set(files)].filter((file) => file.startsWith('src/')).sort();
    },
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) fail(`not so after ${WAIT_MS} ms: ${condition}`);
    await sleep(50);
  }
}

function fail(message: string): never {
  throw new Error(message);
}

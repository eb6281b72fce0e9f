import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { monitorService } from '../../src/modules/monitor/service/monitor.ts';
import { webhookService } from '../../src/webhooks/service/webhooks.ts';

/*
 * Finds the files that the service runs for one action, by V8 coverage of functions. Everything else that runs meanwhile must stay out, on
 * a slow machine too:
 * - the process has no worker and its lists are not synced by a timer; an action calls the work of its jobs itself;
 * - a function that also runs while the service idles does not count, such as the probe of the database;
 * - an action is repeated after a first time, and only the files of every repetition count. That leaves out rare timers and what is
 *   created once. The last repetitions must find no file to leave out; otherwise there are more.
 * The sandbox runs in the same process, so a file of `src/domain` may be named because a simulator uses it.
 */

/** One action of the service, and the files of `src` in which a function ran for it. */
export interface Walk {
  readonly name: string;
  readonly files: readonly string[];
}

const root = path.resolve(import.meta.dirname, '../..');
/** Maximum time until an action is done. */
const WAIT_MS = 120_000;
const UNAVAILABLE = 503;
/** It is longer than the interval of each timer that matters: a process that has served a request, and a session, have several. */
const IDLE_MS = 13_000;
/** Number of consecutive repetitions that must leave out no file. */
const STEADY_REPEATS = 6;
const NEVER = new AbortController().signal;

/** An action that can be repeated. It resolves when all its work is done. */
type Action = () => Promise<unknown>;

/** Starts the service with embedded Postgres and sandbox sources, and takes the walks. Their order is that of docs/architecture.md. */
export async function takeWalks(): Promise<readonly Walk[]> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-structure-'));
  const settings = {
    QUIPU_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    QUIPU_ROLES: 'server',
    QUIPU_RECEITA_MODE: 'live',
    QUIPU_TENDERS_MONTHS: '1',
    QUIPU_LOOP_DELAY: '1000000', // no request is refused because the machine is busy
  };
  const coverage = await startCoverage();
  const app = await createApp(readConfig(settings), { patience: 10 });
  try {
    await app.lists.everyList;
    await app.lists.stop();
    const client = await clientOf(app);
    const idle = await client.subscribe('subscription { deliveryUpdated { id } }');
    await client.restCheck();
    await coverage.leaveOut(() => sleep(IDLE_MS));
    await idle.close();

    const changes = await client.subscribe('subscription { companyChanged { identifier changedFields { field from to } } }');
    const actions: readonly (readonly [string, Action])[] = [
      ['a warm REST check', client.restCheck],
      ['a warm GraphQL list', client.graphqlList],
      ['one version of a list, from download to swap', listLoad(app)],
      ['one change, from check to webhook and subscription', await companyChange(app, client, changes)],
    ];
    const walks: Walk[] = [];
    for (const [name, act] of actions) walks.push({ name, files: await coverage.steadyFiles(act) });
    await changes.close();
    return walks;
  } finally {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const sandboxOf = (app: App) => app.sandbox ?? fail('the sandbox does not run');

/** Sends a request to the control API of the sandbox. */
async function control(app: App, method: string, target: string, body?: object): Promise<Response> {
  const answer = await fetch(`${sandboxOf(app).url}/_control/${target}`, { method, body: JSON.stringify(body) });
  if (!answer.ok) fail(`the sandbox answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** The service as its callers reach it, with a key that has all modules. */
async function clientOf(app: App) {
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { key } = await app.keys.create({ name: 'structure', modules: MODULES });
  const cnpj = sandboxOf(app).examples.debarred;
  /** A busy machine exceeds the time limit of a statement. Such a request is sent again; it is one of several repetitions. */
  const post = async (pathname: string, body: object, headers: object = {}, signal?: AbortSignal): Promise<Response> => {
    const request = {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    };
    const deadline = Date.now() + WAIT_MS;
    let answer = await fetch(url + pathname, request);
    while (answer.status === UNAVAILABLE && Date.now() < deadline) answer = await sleep(100).then(() => fetch(url + pathname, request));
    if (!answer.ok) fail(`${pathname} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  return {
    post,
    restCheck: () => post('/v1/compliance-br', { cnpj }).then((answer) => answer.text()),
    graphqlList() {
      const query = `{ companies(identifiers: ["${cnpj}"]) { name compliance { riskLevel riskReasons { message } } debarment { isDebarred records { source } } } }`;
      return post('/graphql', { query }).then((answer) => answer.text());
    },
    /** Opens an event stream, and reads it as text until `close`. */
    async subscribe(query: string) {
      const abort = new AbortController();
      const { body } = await post('/graphql', { query }, { accept: 'text/event-stream' }, abort.signal);
      let text = '';
      const reading = (async () => {
        for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
      })().catch(() => undefined);
      return {
        text: () => text,
        close() {
          abort.abort();
          return reading;
        },
      };
    },
  };
}

type Client = Awaited<ReturnType<typeof clientOf>>;

/** Returns an action that publishes and loads another version of the list CEIS. */
function listLoad(app: App): Action {
  const list = app.sources.copies.find(({ name }) => name === 'CEIS') ?? fail('there is no list CEIS');
  const cnpj = sandboxOf(app).examples.portfolio.BR.at(-1) ?? fail('the portfolio has no company');
  let isListed = false;
  return async () => {
    isListed = !isListed;
    await control(app, isListed ? 'PUT' : 'DELETE', `lists/CEIS/${cnpj}`);
    const { outcome } = await list.sync();
    if (outcome !== 'loaded') fail(`the list was ${outcome}`);
  };
}

/** Monitors a company, and returns an action that changes its size and does the work of the jobs: the check and the sending. */
async function companyChange(app: App, client: Client, events: { text(): string }): Promise<Action> {
  const cnpj = sandboxOf(app).examples.debarred;
  const receiver = 'webhooks/structure';
  await client.post('/v1/monitor/subscriptions', {
    identifiers: [cnpj],
    country: 'BR',
    webhook_url: `${sandboxOf(app).url}/_control/${receiver}`,
  });
  const check = async () => {
    await app.db('watched_companies').update({ due_at: new Date(0) });
    await app.open(monitorService).checks.check('BR', NEVER);
  };
  await check(); // stores the first snapshot, which is no change
  const received = async () => ((await (await control(app, 'GET', receiver)).json()) as { requests: readonly unknown[] }).requests.length;
  const delivered = async () => Number((await app.db('deliveries').where({ state: 'delivered' }).count('* as count'))[0]?.count);
  let changes = 0;
  return async () => {
    const size = changes % 2 === 0 ? 'MICRO EMPRESA' : 'DEMAIS';
    changes += 1;
    await control(app, 'PATCH', `companies/${cnpj}`, { size });
    await check();
    await app.open(webhookService).sender.sendDue();
    await until(async () => (await received()) >= changes);
    await until(async () => (await delivered()) >= changes);
    await until(async () => events.text().split('companyChanged').length > changes);
  };
}

/** Functions are identified by their file and position. */
type Functions = ReadonlyMap<string, ReadonlySet<number>>;

async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const leftOut = new Map<string, ReadonlySet<number>>();

  /** Runs `act`, and returns the functions of `src` that ran meanwhile, by file. */
  async function functionsOf(act: Action): Promise<Functions> {
    await session.post('Profiler.takePreciseCoverage');
    await act();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url, functions }) => {
        const positions = functions.flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [range.startOffset] : []));
        return [path.relative(root, fileURLToPath(url.replace(/\?.*$/, ''))), new Set(positions)] as const;
      });
    return new Map(ran.filter(([file]) => file.startsWith('src/')));
  }

  async function filesOf(act: Action): Promise<readonly string[]> {
    const functions = await functionsOf(act);
    return [...functions].filter(([file, positions]) => [...positions].some((one) => !leftOut.get(file)?.has(one))).map(([file]) => file);
  }

  return {
    /** Leaves the functions that run during `act` out of all later results. */
    async leaveOut(act: Action): Promise<void> {
      for (const [file, positions] of await functionsOf(act)) leftOut.set(file, positions);
    },

    /** Repeats an action and returns the files that each repetition runs, sorted. */
    async steadyFiles(act: Action): Promise<readonly string[]> {
      await act(); // creates what is created once
      let files = await filesOf(act);
      for (let steady = 0; steady < STEADY_REPEATS; ) {
        const again = new Set(await filesOf(act));
        const both = files.filter((file) => again.has(file));
        steady = both.length === files.length ? steady + 1 : 0;
        files = both;
      }
      return files.toSorted();
    },
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) fail(`not so after ${WAIT_MS} ms: ${condition}`);
    await sleep(20);
  }
}

function fail(message: string): never {
  throw new Error(message);
}

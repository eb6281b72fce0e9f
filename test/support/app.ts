import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { MODULES, type ModuleName } from '../../src/domain/catalogue.ts';
import { type Clock, MINUTE_MS } from '../../src/domain/time.ts';
import { type TestDb, testDb } from './db.ts';
import { expectDocumented } from './documented.ts';
import { memoryLog } from './log.ts';
import { LIST_SETTINGS, testDbWithLists } from './sandbox-lists.ts';

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of a body
  readonly body: any;
}

/**
 * Maximum wait in ms for the lists. It is longer than that of the service, because on a busy machine lists take longer. Publishers that
 * hang end the wait.
 */
const LISTS_WAIT_MS = 30_000;

/** Factor for the time after which the database counts as unavailable, because tests run on machines that are busy with other tests. */
const PATIENCE = 10;

/** The whole service with its own database and the sandbox's sources over HTTP. Requests are injected: it opens no port. */
export interface TestApp extends App {
  readonly key: string;
  readonly lines: readonly Record<string, unknown>[];
  /** Folder of its usage journal. */
  readonly usageDir: string;
  /** Creates an API key with these modules. */
  keyFor(...modules: ModuleName[]): Promise<string>;
  /**
   * Sends a JSON POST with the key of all modules, another key, or none (null); from 127.0.0.1 or another address.
   * Answers of `/v1` are checked against the API description.
   */
  post(path: string, body: unknown, key?: string | null, from?: string): Promise<TestAnswer>;
  query(query: string, variables?: Record<string, unknown>, key?: string | null, from?: string): Promise<TestAnswer>;
}

export interface TestAppOptions {
  /** Database that the caller closes; by default a separate one. */
  readonly db?: Pick<TestDb, 'url'>;
  /** Settings that override the defaults of a sandbox. By default two months of tenders are indexed, and no jobs run, which is quicker. */
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: Clock;
  /** False for a server on which plain requests take the full path, too. */
  readonly shortPath?: boolean;
  /** 1, the value of production, for a test of the behaviour without the database. */
  readonly patience?: number;
  /** If false, it returns before each list was loaded or failed once. */
  readonly listsTried?: boolean;
}

/**
 * Creates the database of a service with these options. It has the lists of the sandbox already, so that the service loads none, except
 * for a service at another time or in live mode, which reads other files.
 */
export function databaseFor({ now = Date.now, env = {} }: TestAppOptions): Promise<TestDb> {
  const isOtherTime = Math.abs(now() - Date.now()) > MINUTE_MS;
  return isOtherTime || 'QUIPU_SOURCES' in env || Object.keys(LIST_SETTINGS).some((name) => name in env) ? testDb() : testDbWithLists();
}

export async function testApp({
  db,
  env = {},
  now,
  patience = PATIENCE,
  shortPath = true,
  listsTried = true,
}: TestAppOptions = {}): Promise<TestApp> {
  const { url, close: dropDb } = db ? { url: db.url, close: async () => undefined } : await databaseFor({ env, ...(now && { now }) });
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-app-'));
  const { log, lines } = memoryLog();
  const config = readConfig({
    DATABASE_URL: url,
    QUIPU_DATA_DIR: dataDir,
    PORT: '0',
    ...LIST_SETTINGS,
    QUIPU_ROLES: 'server',
    QUIPU_RECEITA_MODE: 'live', // a test that needs the own copy says so
    QUIPU_LOOP_DELAY: '1000000', // tests run on machines that are busy with other tests
    ...(env.QUIPU_SOURCES === 'live' && { QUIPU_KEY_SECRET: 'a-secret-of-the-tests' }),
    ...env,
  });
  const app = await createApp(config, { log, random: () => 0, patience, shortPath, ...(now && { now }) });
  if (listsTried) await Promise.race([app.lists.everyList, setTimeout(LISTS_WAIT_MS, undefined, { ref: false })]);
  const keyFor = async (...modules: ModuleName[]) => (await app.keys.create({ name: 'test', modules })).key;
  const all = await keyFor(...MODULES);

  async function post(url: string, body: unknown, key: string | null = all, from?: string): Promise<TestAnswer> {
    const headers = { 'content-type': 'application/json', ...(key === null ? {} : { 'x-api-key': key }) };
    const answer = await app.server.inject({
      method: 'POST',
      url,
      headers,
      ...(from !== undefined && { remoteAddress: from }),
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const decoded = answer.body === '' ? null : JSON.parse(answer.body);
    expectDocumented(url, answer.statusCode, decoded);
    return { status: answer.statusCode, headers: answer.headers, body: decoded };
  }

  return {
    ...app,
    key: all,
    lines,
    usageDir: config.usageDir,
    keyFor,
    post,
    query: (query, variables, key, from) => post('/graphql', { query, variables }, key, from),
    async close() {
      await app.close();
      await dropDb();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { importFolder, rollBackImport } from '../../../src/sources/receita-federal/copy/import.ts';
import { type TestAnswer, type TestApp, testApp } from '../../support/app.ts';
import { testDb } from '../../support/db.ts';
import { expectDocumented } from '../../support/documented.ts';
import { importParts } from '../../support/registry-copy.ts';
import { cnpjOf, company, dateInNames, folderOf, monthOf, partner, roots } from './support.ts';

/** No multiple of the number of requests for one company, so that every company gets each of them. */
const COMPANIES = 31;
const CNPJS = roots(COMPANIES).map((root) => cnpjOf(root));
/** Time by which the clock moves after a switch, so that the process reads the pointer again. */
const POINTER_MS = 6_000;

/** A plan without a limit that the requests could reach. */
const UNLIMITED = { standard: { graphql: { perMinute: 100_000_000, burst: 100_000_000 }, kyb: { rate: null }, owners: { rate: null } } };

/** Letters for the digits of a date, because a name of digits could be read as a tax id. */
const label = (date: string): string => date.replaceAll('-', '').replace(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)] ?? '');

/** A month whose names of companies and partners have the label of its extract date. */
const monthAt = (date: string): Promise<string> =>
  folderOf(
    {
      ...monthOf(COMPANIES),
      Empresas0: roots(COMPANIES).map((root) => company(root, `EMPRESA ${label(date)}`)),
      Socios0: roots(COMPANIES).map((root) => partner(root, `SOCIO ${label(date)}`)),
    },
    dateInNames(date),
  );

const COMPANY = 'id kyb { companyName freshness { dataAsOf } } owners { companyName owners { name } freshness { dataAsOf } }';

/** Sends a JSON POST with the key of all modules. */
type Post = (path: string, body: unknown) => Promise<Pick<TestAnswer, 'status' | 'body'>>;

/** Sends a request, and returns the texts of its answer that belong to a version. */
type Request = (post: Post, nth: number) => Promise<Seen>;

/** Requests for one company, in turn. */
const REQUESTS: readonly Request[] = [
  async (post, nth) => seenIn(await post('/v1/kyb', { identifier: CNPJS[nth % COMPANIES], country: 'BR' })),
  async (post, nth) => seenIn(await post('/v1/owners', { identifier: CNPJS[nth % COMPANIES], country: 'BR' })),
  async (post, nth) => seenIn(await post('/graphql', { query: `{ company(identifier: "${CNPJS[nth % COMPANIES]}") { ${COMPANY} } }` })),
];
/** Request for all companies. */
const requestAll: Request = async (post) =>
  seenIn(await post('/graphql', { query: `{ companies(identifiers: ${JSON.stringify(CNPJS)}) { ${COMPANY} } }` }));

/** Opens a port, and sends requests to it over connections that stay open. */
async function postOverHttp({ server, key }: TestApp): Promise<Post> {
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  return async (path, sent) => {
    const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(sent) });
    const body = await response.json();
    expectDocumented(path, response.status, body);
    return { status: response.status, body };
  };
}

interface Seen {
  /** Status and body of an answer that is an error; null for others. */
  readonly error: string | null;
  /** Labels of names, and the labels of dates, of each company of the answer. */
  readonly labels: readonly (readonly string[])[];
}

function seenIn({ status, body }: { readonly status: number; readonly body: unknown }): Seen {
  const { data } = body as { data?: { company?: unknown; companies?: readonly unknown[] } };
  const companies = data?.companies ?? [data?.company ?? body];
  const text = JSON.stringify(body);
  const error = status !== 200 || text.includes('"errors"') ? `${status} ${text.slice(0, 300)}` : null;
  return { error, labels: error === null ? companies.map(labelsIn) : [] };
}

const labelsIn = (one: unknown): readonly string[] => {
  const text = JSON.stringify(one);
  const names = [...text.matchAll(/(?:EMPRESA|SOCIO) ([A-J]{8})/g)].map(([, found = '']) => found);
  const dates = [...text.matchAll(/"(?:dataAsOf|data_as_of)":"(\d{4}-\d{2}-\d{2})"/g)].map(([, date = '']) => label(date));
  return [...new Set([...names, ...dates])];
};

/** Result of requests during switches. */
export interface Watched {
  readonly answers: number;
  readonly errors: readonly string[];
  /** Answers in which one company has texts of two versions, or of none. */
  readonly mixed: readonly (readonly string[])[];
  /** Number of versions that answered. */
  readonly versions: number;
  readonly perSecond: number;
}

export interface SwitchPlan {
  /** Number of switches. */
  readonly switches: number;
  /** Number of clients, each with one request at a time. */
  readonly clients: number;
  /** Requests that all clients send in a second; without it they send without a pause. */
  readonly perSecond?: number;
  /** Number of requests of which one is for all companies. */
  readonly listEvery: number;
  /** True for requests over HTTP; otherwise they are injected, which leaves more time of the process for their number. */
  readonly isOverHttp?: boolean;
}

/** Sends requests while versions are imported, and every third time an operator rolls back. */
export async function requestsDuringSwitches({
  switches,
  clients,
  perSecond,
  listEvery,
  isOverHttp = false,
}: SwitchPlan): Promise<Watched> {
  const db = await testDb();
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const parts = importParts({ db: db.knex, now });
  const first = Date.now() - 70 * DAY_MS;
  let imports = 0;
  const importNext = async () => {
    imports += 1;
    // Every text of every company changes, which the guard would refuse.
    await importFolder(await monthAt(isoDate(first + imports * DAY_MS)), parts, { force: true });
  };
  await importNext();
  const app = await testApp({ db, now, env: { QUIPU_RECEITA_MODE: 'copy', QUIPU_PLANS: JSON.stringify(UNLIMITED) } });

  const post = isOverHttp ? await postOverHttp(app) : app.post;

  const errors: string[] = [];
  const mixed: (readonly string[])[] = [];
  const versions = new Set<string>();
  let answers = 0;
  let isOver = false;
  const client = async (number: number): Promise<void> => {
    for (let nth = number; !isOver; nth += 1) {
      await turn();
      const request = nth % listEvery === 0 ? requestAll : (REQUESTS[nth % REQUESTS.length] as Request);
      const seen = await request(post, nth);
      answers += 1;
      if (seen.error !== null) errors.push(seen.error);
      for (const labels of seen.labels) {
        if (labels.length !== 1) mixed.push(labels);
        else versions.add(labels[0] ?? '');
      }
    }
  };

  const startedAt = performance.now();
  let seconds = 0;
  const turn = turnsOf(perSecond);
  try {
    const running = Array.from({ length: clients }, (_, number) => client(number));
    for (let n = 1; n <= switches; n += 1) {
      if (n % 3 === 0) await rollBackImport(parts);
      else await importNext();
      clock.ahead += POINTER_MS;
      const before = answers;
      while (answers < before + 2 * clients && errors.length === 0) await delay(10);
    }
    isOver = true;
    await Promise.all(running);
    seconds = (performance.now() - startedAt) / 1_000;
  } finally {
    isOver = true;
    await app.close();
    await db.close();
  }
  return { answers, errors, mixed, versions: versions.size, perSecond: answers / seconds };
}

/** Returns a function that waits until the next request is due. A request that is late is sent at once. */
function turnsOf(perSecond: number | undefined): () => Promise<void> {
  const startedAt = performance.now();
  let sent = 0;
  return async () => {
    if (perSecond === undefined) return;
    const dueInMs = startedAt + (sent * 1_000) / perSecond - performance.now();
    sent += 1;
    if (dueInMs > 0) await delay(dueInMs);
  };
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { chileanCompanies } from '../../sandbox/world/chile/world.ts';
import { colombianCompanies } from '../../sandbox/world/colombia.ts';
import { foreignCompanies } from '../../sandbox/world/foreign-companies.ts';
import { CHOSEN_SANCTIONS_LISTS, MODULES } from '../../src/domain/catalogue.ts';
import { OPTIONAL_DEBARMENT_LISTS } from '../../src/modules/debarment/domain.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { addressesOn, sandboxSettings } from '../support/app-with-faults.ts';
import { memoryLog } from '../support/log.ts';
import { sampleJson } from '../support/samples.ts';

/**
 * The fixture has the answers of commit 25d6429b, the last one before Chile and Colombia had a consolidated check and before callers could
 * choose lists. Its code read the simulators of 29 November 2026, so that the data are the same. The companies are all that Brazil had in the
 * sandbox on that day, and those of Chile and Colombia without the crowds. The fixture has no receipts: a caller asks for them, and their ids
 * and hashes differ in each run. An answer that the sandbox changes, for example by a listed party of a similar name, is edited in the fixture.
 *
 * Since that commit one answer has changed, although no caller asks for it: the names of a Colombian company are read from the commercial
 * register and compared, as the changelog says (`possibleMatches`). The fixture has it as `today`.
 */
const NOW = Date.parse('2026-11-20T15:00:00Z');
const { replies, answers } = sampleJson('contract-before-countries/answers.json') as {
  /** Statuses and headers, which answers name by their position. */
  readonly replies: readonly { readonly status: number; readonly headers: Readonly<Record<string, string>> }[];
  readonly answers: Readonly<Record<string, readonly Recorded[]>>;
};

/** One answer, and the requests that it answers. */
interface Recorded {
  /** Sources that answer with an error. */
  readonly failing?: readonly string[];
  /** Scenarios of the sandbox: one request about each of them. In the answer, `{identifier}` stands for the tax id. */
  readonly companies?: readonly string[];
  /** Further fields of these requests: one request about each company with each of them. */
  readonly with?: readonly object[];
  /** Other bodies: JSON values, or texts that are sent as they are. */
  readonly sends?: readonly unknown[];
  readonly method?: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** The key that is sent, if it is not one with all modules. `spent`: one that has no check of the burst left. */
  readonly key?: 'none' | 'unknown' | 'labor' | 'spent';
  readonly reply: number;
  readonly body: object;
  /** Fields that are different today. */
  readonly today?: object;
}

const PATHS = Object.keys(answers);
/** Sets of sources that fail together. */
const OUTAGES = [...new Set(PATHS.flatMap((path) => answers[path]!.flatMap(({ failing }) => failing?.join(', ') ?? [])))];
const ofOutage = (path: string, outage?: string) => answers[path]!.filter(({ failing }) => failing?.join(', ') === outage);

const taxIds = new Map<string, readonly [country: string, taxId: string]>([
  ...companies.map(({ scenario, cnpj }) => [scenario, ['BR', cnpj]] as const),
  ...chileanCompanies.map(({ scenario, rut }) => [scenario, ['CL', rut]] as const),
  ...colombianCompanies.map(({ scenario, nit }) => [scenario, ['CO', nit]] as const),
  ...foreignCompanies.map(({ scenario, country, taxId }) => [scenario, [country, taxId]] as const),
]);

function taxIdOf(scenario: string): readonly [country: string, taxId: string] {
  const found = taxIds.get(scenario);
  if (!found) throw new Error(`no such scenario: ${scenario}`);
  return found;
}

interface Request extends Pick<Recorded, 'method' | 'headers' | 'key'> {
  readonly path: string;
  readonly payload: string;
}

/** Returns the requests of a recorded answer, each with the answer that is expected. */
function requestsOf(path: string, { body, today, reply, companies = [], with: variants = [{}], sends = [], ...request }: Recorded) {
  const text = JSON.stringify({ ...body, ...today });
  const about = companies.flatMap((scenario) => {
    const [country, taxId] = taxIdOf(scenario);
    const named = path === '/v1/compliance-br' ? { cnpj: taxId } : { identifier: taxId, country };
    return variants.map((more) => ({ payload: JSON.stringify({ ...named, ...more }), text: text.replaceAll('{identifier}', taxId) }));
  });
  const others = sends.map((sent) => ({ payload: typeof sent === 'string' ? sent : JSON.stringify(sent), text }));
  return [...about, ...others].map(({ payload, text }) => ({
    request: { ...request, path, payload } satisfies Request,
    expected: { payload, ...replies[reply]!, text },
  }));
}

/** Headers that the contract of REST describes. The others are of a connection or of a single answer, such as `x-request-id`. */
const HEADERS = [...new Set(replies.flatMap(({ headers }) => Object.keys(headers)))];

/** Each request has a random id, which errors repeat. */
const withoutRequestId = (text: string): string => text.replace(/"request_id":"[0-9a-f-]{36}"/, '"request_id":"{request_id}"');

/**
 * Returns the key of a request. A key may ask for 20 consolidated checks in a burst, and the clock stands still: each of these requests has
 * its own key, except those with an Idempotency-Key, whose answers belong to a key.
 * @param common the key of the other requests
 */
async function keyOf(app: TestApp, { path, payload, headers, key }: Request, common: string): Promise<string | null> {
  if (key === 'none') return null;
  if (key === 'unknown') return 'qk_unknown';
  if (key === 'labor') return app.keyFor('labor');
  if (path !== '/v1/compliance-br' || headers?.['idempotency-key']) return common;
  const own = await app.keyFor(...MODULES);
  if (key === 'spent') for (let sent = 0; sent < 20; sent += 1) await app.post(path, payload, own);
  return own;
}

interface Answered {
  readonly payload: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function send(app: TestApp, request: Request, common: string): Promise<Answered> {
  const key = await keyOf(app, request, common);
  const answer = await app.server.inject({
    method: request.method ?? 'POST',
    url: request.path,
    headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }), ...request.headers },
    ...(request.method !== 'GET' && { payload: request.payload }),
  });
  const headers = Object.fromEntries(HEADERS.flatMap((name) => (name in answer.headers ? [[name, answer.headers[name]]] : [])));
  return { payload: request.payload, status: answer.statusCode, headers, text: withoutRequestId(answer.body) };
}

/** Sends the requests of recorded answers. Returns what the service answers, and what the fixture has. */
async function compare(app: TestApp, path: string, recorded: readonly Recorded[]) {
  const requests = recorded.flatMap((one) => requestsOf(path, one));
  const actual: Answered[] = [];
  const common = await app.keyFor(...MODULES);
  for (const { request } of requests) actual.push(await send(app, request, common));
  return { actual, expected: requests.map(({ expected }): Answered => expected) };
}

/** The sandbox allows further origins, so that `vary` differs in live mode. */
const withoutHeaders = ({ payload, status, text }: Answered) => ({ payload, status, text });

/** Waits until every list was loaded or has failed, which takes more than the 30 s of `testApp` on a machine that is busy with other tests. */
async function withLists(starting: Promise<TestApp>): Promise<TestApp> {
  const app = await starting;
  await app.lists.everyList;
  return app;
}

/** Starts the service while sources answer with an error. */
async function appWithout(sources: readonly string[]): Promise<TestApp> {
  const upstreams: Sandbox = await startSandbox({ simulators, log: memoryLog().log, now: () => NOW });
  for (const source of sources) upstreams.faults.set(source, { mode: 'status_500' });
  const env = { QUIPU_SOURCES: 'live', ...addressesOn(upstreams.url), ...sandboxSettings() };
  const app = await withLists(testApp({ env, now: () => NOW }));
  return { ...app, close: () => app.close().then(() => upstreams.close()) };
}

// A machine that is busy with other tests takes a minute for hundreds of requests.
describe('the contract before Chile and Colombia had checks', { timeout: 180_000 }, () => {
  describe('while all sources answer', () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await withLists(testApp({ now: () => NOW }));
    }, 180_000);
    afterAll(() => app.close());

    it.each(PATHS)('answers %s with the recorded status, headers and bytes, but for the change above', async (path) => {
      const { actual, expected } = await compare(app, path, ofOutage(path));
      expect(actual).toEqual(expected);
    });
  });

  describe.each(OUTAGES)('while %s cannot be read', (outage) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await appWithout(outage.split(', '));
    }, 180_000);
    afterAll(() => app.close());

    it.each(PATHS)('answers %s with the recorded status, headers and bytes, but for the change above', async (path) => {
      const { actual, expected } = await compare(app, path, ofOutage(path, outage));
      expect(actual).toEqual(expected);
    });
  });

  describe('while no list can be read that a caller chooses', () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await appWithout([...CHOSEN_SANCTIONS_LISTS, ...OPTIONAL_DEBARMENT_LISTS]);
    }, 180_000);
    afterAll(() => app.close());

    it.each([
      ['/v1/sanctions', { lists: CHOSEN_SANCTIONS_LISTS }],
      ['/v1/debarment', { include: OPTIONAL_DEBARMENT_LISTS }],
    ])('answers %s with 503 to a caller who chooses them', async (path, choice) => {
      const [country, identifier] = taxIdOf('clean');
      expect(await app.post(path, { identifier, country, ...choice })).toMatchObject({ status: 503 });
    });

    it.each(PATHS)('answers %s about every recorded company of Brazil with the recorded status and bytes', async (path) => {
      const plain = ofOutage(path).filter(({ companies, with: variants, key, headers }) => companies && !variants && !key && !headers);
      const brazilian = plain.map((one) => ({ ...one, companies: one.companies!.filter((name) => taxIdOf(name)[0] === 'BR') }));
      const { actual, expected } = await compare(app, path, brazilian);
      expect(actual.map(withoutHeaders)).toEqual(expected.map(withoutHeaders));
    });
  });
});

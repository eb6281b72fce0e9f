import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentHash } from '../../../src/auth/trusted-documents.ts';
import { MODULES } from '../../../src/domain/catalogue.ts';
import { acme, partner } from '../../sources/receita-answers.ts';
import { until } from '../../support/until.ts';
import { upstream } from '../../support/upstream.ts';
import { withoutJournal } from '../../support/usage-journal.ts';
import { CNPJ, CNPJS, COMPANY, OPERATIONS, VARIABLES } from './graphql-requests.ts';
import { bothPaths, type Listening, type Pair, pairOf, plainHeaders, plansOf, type Seen, type Sent, withHeaders } from './support.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await pairOf({ QUIPU_PLANS: plansOf({}) });
});
afterAll(() => pair.close());

const TYPENAME = '{ __typename }';
const MANY = 'query($i: [String!]!) { companies(identifiers: $i) { id compliance { riskLevel } } }';
const CHANGE = 'mutation { deleteMonitor(id: "mon_0") { __typename } }';

const sentBody = (body: unknown, key = pair.short.app.key): Sent => ({
  path: '/graphql',
  body: JSON.stringify(body),
  headers: plainHeaders(key),
});
const bodyOf = ({ body }: Seen) => JSON.parse(body);
const codesOf = (seen: Seen): readonly string[] =>
  bodyOf(seen).errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code) ?? [];

/** Sends the requests one after another to each server of a pair, with the same key. */
const sequences = (of: Pair, requests: (key: string) => readonly Sent[]): Promise<readonly (readonly Seen[])[]> =>
  Promise.all(
    [of.short, of.full].map(async ({ send }) => {
      const seen: Seen[] = [];
      for (const sent of requests(of.short.app.key)) seen.push(await send(sent));
      return seen;
    }),
  );

/** Runs a test with two servers of its own. */
async function withPair(env: Readonly<Record<string, string>>, test: (own: Pair) => Promise<void>): Promise<void> {
  const own = await pairOf(env);
  try {
    await test(own);
  } finally {
    await own.close();
  }
}

describe('an operation', () => {
  it.each<[string, unknown]>([
    ['a field without a source', { query: TYPENAME }],
    ['one company', { query: COMPANY }],
    ['variables', { query: 'query($identifier: String!) { company(identifier: $identifier) { id } }', variables: VARIABLES }],
    ['the name of one of two operations', { query: 'query A { a: __typename } query B { __typename }', operationName: 'B' }],
    ['an error of a field', { query: '{ company(identifier: "1") { id } }' }],
    ['500 companies', { query: MANY, variables: { i: Array(500).fill(CNPJ) } }],
  ])('takes the short path with %s', async (_, body) => {
    const { short, full, isShort } = await bothPaths(pair, sentBody(body));
    expect(short).toEqual(full);
    expect([short.status, isShort]).toEqual([200, true]);
  });

  it.each([undefined, '*/*', 'application/json', 'application/graphql-response+json, application/json;q=0.9'])(
    'takes the short path with Accept: %s',
    async (accept) => {
      expect((await bothPaths(pair, withHeaders(sentBody({ query: TYPENAME }), { accept }))).isShort).toBe(true);
    },
  );

  it.each<[string, unknown, Readonly<Record<string, string>>]>([
    ['a syntax error', { query: '{' }, {}],
    ['an invalid variable', { query: 'query($a: Int!) { __typename @skip(if: false) }', variables: { a: 'x' } }, {}],
    ['a mutation', { query: CHANGE }, {}],
    ['a subscription', { query: 'subscription { companyChanged { id } }' }, {}],
    ['the schema', { query: '{ __type(name: "Company") { name } }' }, {}],
    ['a hash', { query: TYPENAME, documentId: documentHash(TYPENAME) }, {}],
    ['an Idempotency-Key', { query: TYPENAME }, { 'idempotency-key': 'one' }],
    ['an event stream', { query: TYPENAME }, { accept: 'text/event-stream' }],
    ['an unusual Accept', { query: TYPENAME }, { accept: 'text/html, */*' }],
  ])('takes the full path with %s', async (_, body, own) => {
    expect((await bothPaths(pair, withHeaders(sentBody(body), own))).isShort).toBe(false);
  });

  it('takes the full path until its text was validated once', async () => {
    const sent = sentBody({ query: '{ validated: __typename }' });
    await pair.short.send(sentBody({ query: TYPENAME }));
    const before = pair.short.fullPaths();
    const counts: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      await pair.short.send(sent);
      counts.push(pair.short.fullPaths() - before);
    }
    expect(counts).toEqual([1, 1, 1]);
  });

  it('takes the full path with a key that is bound to trusted documents', async () => {
    const { key } = await pair.short.app.keys.create({ name: 'bound', modules: ['kyb'], trustedOnly: true });
    const { short, full, isShort } = await bothPaths(pair, sentBody({ query: TYPENAME }, key));
    expect(short).toEqual(full);
    expect([codesOf(short), isShort]).toEqual([['DOCUMENT_NOT_TRUSTED'], false]);
  });

  it('takes the full path where every key is bound to trusted documents', () =>
    withPair({ QUIPU_TRUSTED_DOCUMENTS_ONLY: 'true' }, async (bound) => {
      const { short, isShort } = await bothPaths(bound, sentBody({ query: TYPENAME }, bound.short.app.key));
      expect([codesOf(short), isShort]).toEqual([['DOCUMENT_NOT_TRUSTED'], false]);
    }));
});

describe('an operation that is refused', () => {
  it('has the same answer on both paths without the module', async () => {
    const other = await pair.short.app.keyFor('kyb');
    const { short, full, isShort } = await bothPaths(pair, sentBody({ query: COMPANY }, other));
    expect(short).toEqual(full);
    expect([codesOf(short), isShort]).toEqual([['MODULE_NOT_ENABLED'], true]);
  });

  it('is refused with a key that was just revoked', async () => {
    const issued = await pair.short.app.keys.create({ name: 'revoked', modules: ['kyb'] });
    const sent = sentBody({ query: TYPENAME }, issued.key);
    expect((await bothPaths(pair, sent)).isShort).toBe(true);
    await pair.short.app.keys.revoke(issued.id);
    expect((await pair.short.send(sent)).status).toBe(403);
  });

  it('has the same answers on both paths when the rate limit of a module is reached', () =>
    withPair({ QUIPU_PLANS: plansOf({ requests: 3 }) }, async (limited) => {
      const [short, full] = await sequences(limited, (key) => Array(5).fill(sentBody({ query: COMPANY }, key)));
      expect(short).toEqual(full);
      expect(short?.map((seen) => new Set(codesOf(seen)))).toEqual(
        [[], [], [], ['RATE_LIMITED'], ['RATE_LIMITED']].map((codes) => new Set(codes)),
      );
      expect(limited.short.fullPaths()).toBe(1); // the first request looks up the key and validates the text
    }));

  it('has the same answers on both paths when its cost is above the ceiling of the plan', () =>
    withPair({ QUIPU_PLANS: plansOf({ ceiling: 2 }) }, async (limited) => {
      const { short, full, isShort } = await bothPaths(limited, sentBody({ query: COMPANY }, limited.short.app.key));
      expect(short).toEqual(full);
      expect([short.status, codesOf(short), isShort]).toEqual([400, ['COST_TOO_HIGH'], true]);
    }));

  it('is charged once on both paths, until the key has no points left and owes some', () =>
    withPair({ QUIPU_PLANS: plansOf({ points: 60 }) }, async (limited) => {
      const bodies = [
        { query: TYPENAME },
        { query: COMPANY },
        { query: '{ nothing }' },
        { query: 'query($a: Int!) { company(identifier: "1") { id } x: monitors(first: $a) { nodes { id } } }', variables: { a: 'x' } },
        { query: MANY, variables: { i: CNPJS.slice(0, 3) } },
        { query: CHANGE },
        { query: '{ __type(name: "Company") { name } }' },
        { query: TYPENAME, documentId: documentHash(TYPENAME) },
      ];
      const [short, full] = await sequences(limited, (key) =>
        Array.from({ length: 60 }, (_, i) => sentBody(bodies[i % bodies.length], key)),
      );
      expect(short).toEqual(full);
      expect(new Set(short?.map(({ status }) => status))).toEqual(new Set([200, 400, 429]));
      expect(short?.filter(({ status, headers }) => status === 429 && !headers.includes('retry-after'))).toEqual([]);
      expect(bodyOf(short?.[0] as Seen).extensions.cost.remaining).toBe(59);
      expect(limited.short.fullPaths()).toBeLessThan(60);
    }));

  it('has the same answer on both paths when its usage cannot be recorded', () =>
    withPair({ QUIPU_PLANS: plansOf({}) }, async (own) => {
      const sent = sentBody({ query: COMPANY }, own.short.app.key);
      await Promise.all([own.short.send(sent), own.full.send(sent)]);
      const seen = await Promise.all(
        [own.short, own.full].map(async ({ app, send }) => {
          const during: Seen[] = [];
          await withoutJournal(app, async () => void during.push(await send(sent)));
          return during.map((one) => ({ ...one, lines: one.lines.map(({ why: _, ...line }) => line) })); // `why` names the folder
        }),
      );
      expect(seen[0]).toEqual(seen[1]);
      expect(seen[0]?.map((one) => [one.status, codesOf(one)])).toEqual([[503, ['SERVICE_UNAVAILABLE']]]);
      expect(own.short.fullPaths()).toBe(1);
    }));

  it('has the same answers on both paths while the server drains', () =>
    withPair({}, async (draining) => {
      const [short, full] = await Promise.all(
        [draining.short, draining.full].map(async ({ app, send }) => {
          const sent = sentBody({ query: COMPANY }, draining.short.app.key);
          await send(sent);
          app.server.startDraining();
          return send(sent);
        }),
      );
      expect(short).toEqual(full);
      expect(short?.headers).toContain('close');
    }));
});

it('an answer of more than 512 KiB is sent in chunks on both paths', async () => {
  const partners = Array.from({ length: 3_000 }, (_, i) => ({ ...partner, nome_socio: `SOCIO ${i} ${'X'.repeat(100)}` }));
  const registry = await upstream((path) => ({ body: { ...acme, cnpj: path.slice(1), qsa: partners } }));
  await withPair({ QUIPU_PLANS: plansOf({}), QUIPU_RECEITA_URL: registry.url }, async (own) => {
    const query = `{ company(identifier: "${CNPJ}") { owners { owners { name role entityType identifier entryDate } } } }`;
    const { short, full, isShort } = await bothPaths(own, sentBody({ query }, own.short.app.key));
    expect(short).toEqual(full);
    expect(short.body.length).toBeGreaterThan(512 * 1024);
    expect([short.headers.includes('chunked'), isShort]).toEqual([true, true]);
  });
});

describe('an operation that waits for a source', () => {
  /** Two servers whose registry accepts every request and answers none. */
  async function withSilence(env: Readonly<Record<string, string>>, test: (own: Pair, open: () => number) => Promise<void>) {
    const silent = await upstream(() => () => undefined);
    await withPair({ QUIPU_RECEITA_URL: silent.url, QUIPU_DEADLINE: '1s', ...env }, (own) => test(own, silent.open));
  }
  const kyb = (key: string, cnpj = CNPJ): Sent =>
    sentBody({ query: `{ company(identifier: "${cnpj}") { identifier kyb { status } } }` }, key);

  it('has the same answer on both paths when its deadline passes, and cancels its calls', () =>
    withSilence({}, async (own, open) => {
      const { short, full, isShort } = await bothPaths(own, kyb(own.short.app.key));
      expect(short).toEqual(full);
      expect([codesOf(short), bodyOf(short).data.company.identifier, isShort]).toEqual([['DEADLINE_EXCEEDED'], CNPJ, true]);
      await until(() => open() === 0);
    }));

  it('cancels its calls when the client hangs up', () =>
    withSilence({ QUIPU_DEADLINE: '14s' }, async ({ short }, open) => {
      const { body } = kyb(short.app.key);
      const headers = { 'content-type': 'application/json', 'x-api-key': short.app.key };
      for (let i = 0; i < 2; i += 1) {
        const leaving = new AbortController();
        const answer = fetch(`${short.url}/graphql`, { method: 'POST', headers, body: String(body), signal: leaving.signal });
        await until(() => open() > 0);
        leaving.abort();
        await expect(answer).rejects.toThrow();
        await until(() => open() === 0);
      }
      expect(short.fullPaths()).toBe(1); // the second request takes the short path
      expect(short.app.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    }));

  it('takes a slot of its key on both paths', () =>
    withSilence({ QUIPU_EXECUTIONS_PER_KEY: '1', QUIPU_DEADLINE: '3s' }, async (own) => {
      const statusesOf = async ({ send }: Listening) => {
        await send(kyb(own.short.app.key));
        const seen = await Promise.all(Array.from({ length: 5 }, () => send(kyb(own.short.app.key))));
        return seen.map(({ status }) => status).toSorted();
      };
      const refused = [200, 429, 429, 429, 429]; // one has the slot, one waits for it for a second, and the others are refused at once
      expect(await Promise.all([statusesOf(own.short), statusesOf(own.full)])).toEqual([refused, refused]);
    }));
});

describe('the usage of operations', () => {
  it.each(['short', 'full'] as const)('is counted once for each on the %s path', async (name) => {
    const { app, send } = pair[name];
    const own = await app.keyFor('kyb', 'compliance_br');
    for (let i = 0; i < 5; i += 1) expect((await send(sentBody({ query: COMPANY }, own))).headers).toContain('kyb=1, compliance_br=1');
    const usage = await app.server.inject({ url: '/v1/usage', headers: { 'x-api-key': own } });
    expect(
      usage
        .json()
        .usage.map(({ module, used }: { module: string; used: number }) => [module, used])
        .toSorted(),
    ).toEqual([
      ['compliance_br', 5],
      ['kyb', 5],
    ]);
  });

  it('is equal on both paths after all operations of the documentation', async () => {
    const [short, full] = await Promise.all(
      [pair.short, pair.full].map(async ({ app, send }) => {
        const own = await app.keyFor(...MODULES);
        for (const [, query] of OPERATIONS) await send(sentBody({ query, variables: VARIABLES }, own));
        return (await app.server.inject({ url: '/v1/usage', headers: { 'x-api-key': own } })).json();
      }),
    );
    expect(short).toEqual(full);
    expect(short.usage.length).toBeGreaterThan(5);
  }, 60_000);
});

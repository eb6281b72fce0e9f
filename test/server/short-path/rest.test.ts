import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { modules } from '../../../src/modules/index.ts';
import { SHORT_PATHS } from '../../../src/server/short-path/rest.ts';
import { bothPaths, type OwnHeaders, type Pair, pairOf, plainHeaders, plansOf, type Sent, withHeaders } from './support.ts';

const CNPJ = companyByScenario('clean').cnpj;
const RUT = chileanByScenario('cl-clean').rut;
const routes = modules.flatMap((module) => module.routes).filter(({ method, path }) => method === 'POST' && !path.includes(':'));
const VALID: Readonly<Record<string, object>> = {
  '/v1/compliance-br': { cnpj: CNPJ },
  '/v1/tax-health': { identifier: RUT, country: 'CL' },
  '/v1/tenders/awarded': { rut: RUT },
  '/v1/tenders/search': { country: 'CL', keyword: 'hospital' },
  '/v1/validate/email': { email: 'a@gmail.com' },
  '/v1/tech': { domain: 'pagina-sencilla.cl' },
  '/v1/monitor/subscriptions': { identifiers: [CNPJ], country: 'BR' },
  '/v1/screenings': { identifiers: ['not a tax id'] },
};
const validOf = (path: string): object => VALID[path] ?? { identifier: CNPJ, country: 'BR' };

/** Bodies beside the valid one of a route, each with the reason. */
const BODIES: readonly (readonly [string, (valid: object) => string | Buffer])[] = [
  ['valid', (valid) => JSON.stringify(valid)],
  ['valid with blanks', (valid) => ` ${JSON.stringify(valid, null, 2)}\n`],
  ['valid after a byte order mark', (valid) => `\u{feff}${JSON.stringify(valid)}`],
  ['with an unknown field', (valid) => JSON.stringify({ ...valid, more: true })],
  ['with texts outside of ASCII', (valid) => JSON.stringify({ ...valid, more: 'São João ✓ \u{1F600}' })],
  ['with a company that has entries', (valid) => JSON.stringify({ ...valid, cnpj: companyByScenario('sanctioned').cnpj })],
  ['without fields', () => '{}'],
  ['with a malformed tax id', () => JSON.stringify({ cnpj: '1', rut: '1', identifier: '1', country: 'BR', email: 'x', domain: '-' })],
  ['with wrong types', () => JSON.stringify({ cnpj: 1, rut: [], identifier: null, country: {}, email: 4, domain: 5 })],
  ['with another country', (valid) => JSON.stringify({ ...valid, country: 'PE' })],
  ['a list', () => '[]'],
  ['null', () => 'null'],
  ['a text', () => '"text"'],
  ['a number', () => '1'],
  ['cut off', (valid) => JSON.stringify(valid).slice(0, -1)],
  ['with a second value', (valid) => `${JSON.stringify(valid)}{}`],
  ['empty', () => ''],
  ['blank', () => '  '],
  ['with __proto__', (valid) => `{"__proto__":{"a":1},${JSON.stringify(valid).slice(1)}`],
  ['with an escaped __proto__', (valid) => `{"\\u005f_proto__":{"a":1},${JSON.stringify(valid).slice(1)}`],
  ['with constructor.prototype', (valid) => `{"constructor":{"prototype":1},${JSON.stringify(valid).slice(1)}`],
  ['nested too deeply', (valid) => `{"deep":${'['.repeat(120)}${']'.repeat(120)},${JSON.stringify(valid).slice(1)}`],
  [
    'with bytes that are not UTF-8',
    (valid) => Buffer.concat([Buffer.from(`{"more":"`), Buffer.from([0xff, 0xc3]), Buffer.from(`",${JSON.stringify(valid).slice(1)}`)]),
  ],
  ['refused, with bytes that are not UTF-8', () => Buffer.concat([Buffer.from('{"more":"'), Buffer.from([0xff]), Buffer.from('"}')])],
  ['of 20 kB', (valid) => JSON.stringify({ ...valid, more: 'x'.repeat(20_000) })],
];

const HEADERS: readonly (readonly [string, OwnHeaders])[] = [
  ['no key', { 'x-api-key': undefined }],
  ['an empty key', { 'x-api-key': '' }],
  ['a malformed key', { 'x-api-key': 'sk_nothing' }],
  ['an unknown key', { 'x-api-key': `sk_${'0'.repeat(38)}` }],
  ['two keys', { 'x-api-key': ['sk_a', 'sk_b'] }],
  ['a blank after the type', { 'content-type': 'application/json ' }],
  ['a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ['a type in upper case', { 'content-type': 'Application/JSON' }],
  ['a plain text', { 'content-type': 'text/plain' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['no type', { 'content-type': undefined }],
  ['a foreign origin', { origin: 'https://other.example' }],
  ['an allowed origin', { origin: 'http://localhost:3000' }],
  ['a malformed Idempotency-Key', { 'idempotency-key': 'two words' }],
  ['Accept of HTML', { accept: 'text/html' }],
  ['Accept-Encoding', { 'accept-encoding': 'gzip' }],
  ['Content-Encoding', { 'content-encoding': 'gzip' }],
  ['no keep-alive', { connection: 'close' }],
  ['Expect', { expect: '100-continue' }],
  ['chunks', { 'transfer-encoding': 'chunked' }],
  ['an upgrade', { connection: 'upgrade', upgrade: 'h2c' }],
  ['a forwarded address', { 'x-forwarded-for': '203.0.113.9' }],
];

let pair: Pair;
let key: string;
beforeAll(async () => {
  pair = await pairOf({ QUIPU_PLANS: plansOf({}) });
  key = pair.short.app.key;
});
afterAll(() => pair.close());

const plain = (path: string, body: string | Buffer = JSON.stringify(validOf(path)), own: Sent['headers'] = {}): Sent => ({
  path,
  body,
  headers: { ...plainHeaders(key), ...own },
});

describe('a request to /v1', () => {
  describe.each(routes.map(({ path }) => path))('POST %s', (path) => {
    it.each(BODIES)('has the same answer and log lines on both paths with a body: %s', async (_, bodyOf) => {
      const { short, full } = await bothPaths(pair, plain(path, bodyOf(validOf(path))));
      expect(short).toEqual(full);
    });
  });

  it.each(HEADERS)('has the same answer on both paths with %s', async (_, own) => {
    const { short, full } = await bothPaths(pair, withHeaders(plain('/v1/compliance-br'), own));
    expect(short).toEqual(full);
  });

  it.each([
    '/v1/compliance-br/',
    '/v1/compliance-br?x=1',
    `/v1/compliance-br?api_key=sk_${'0'.repeat(38)}`,
    '/v1/Compliance-br',
    '//v1/compliance-br',
    '/v1/nothing',
  ])('has the same answer on both paths at %s', async (path) => {
    const { short, full } = await bothPaths(pair, { ...plain('/v1/compliance-br'), path });
    expect(short).toEqual(full);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('has the same answer on both paths with the method %s', async (method) => {
    const { short, full } = await bothPaths(pair, { ...plain('/v1/compliance-br'), method });
    expect(short).toEqual(full);
  });
});

describe('a plain request', () => {
  it.each([...SHORT_PATHS])('takes the short path at %s', async (path) => {
    const { short, isShort } = await bothPaths(pair, plain(path));
    expect(short.status).toBe(200);
    expect(isShort).toBe(true);
  });

  it.each(routes.map(({ path }) => path).filter((path) => !SHORT_PATHS.has(path)))('takes the full path at %s', async (path) => {
    expect((await bothPaths(pair, plain(path))).isShort).toBe(false);
  });

  it('has a route without limits of its own at each of the short paths', () => {
    const short = routes.filter(({ path }) => SHORT_PATHS.has(path));
    expect(short.map(({ path }) => path).toSorted()).toEqual([...SHORT_PATHS].toSorted());
    expect(short.filter(({ rate, maxBodyBytes, file }) => rate ?? maxBodyBytes ?? file)).toEqual([]);
  });
});

describe('a request that is refused', () => {
  it('has the same answer on both paths without the module', async () => {
    const other = await pair.short.app.keyFor('kyb');
    const { short, full, isShort } = await bothPaths(pair, plain('/v1/compliance-br', undefined, { 'x-api-key': other }));
    expect(short).toEqual(full);
    expect(short.status).toBe(403);
    expect(isShort).toBe(true);
  });

  it('is refused with a key that was just revoked', async () => {
    const issued = await pair.short.app.keys.create({ name: 'revoked', modules: ['compliance_br'] });
    const sent = plain('/v1/compliance-br', undefined, { 'x-api-key': issued.key });
    expect((await bothPaths(pair, sent)).short.status).toBe(200);
    await pair.short.app.keys.revoke(issued.id);
    expect((await pair.short.send(sent)).status).toBe(403);
  });

  it('has the same answers on both paths when the rate limit is reached', async () => {
    const limited = await pairOf({ QUIPU_PLANS: plansOf({ requests: 3 }) });
    try {
      const sent = { ...plain('/v1/kyb'), headers: { ...plain('/v1/kyb').headers, 'x-api-key': limited.short.app.key } };
      const [short, full] = await Promise.all(
        [limited.short, limited.full].map(async ({ send }) => [await send(sent), await send(sent), await send(sent), await send(sent)]),
      );
      expect(short).toEqual(full);
      expect(short?.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(limited.short.fullPaths()).toBe(1); // the first request looks up the key
    } finally {
      await limited.close();
    }
  });

  it('has the same answers on both paths while the server drains', async () => {
    const draining = await pairOf();
    try {
      const sent = { ...plain('/v1/kyb'), headers: { ...plain('/v1/kyb').headers, 'x-api-key': draining.short.app.key } };
      const [short, full] = await Promise.all(
        [draining.short, draining.full].map(async ({ app, send }) => {
          await send(sent);
          app.server.startDraining();
          return send(sent);
        }),
      );
      expect(short).toEqual(full);
      expect(short?.headers).toContain('close');
    } finally {
      await draining.close();
    }
  });
});

describe('the usage of plain requests', () => {
  it.each(['short', 'full'] as const)('is counted once for each on the %s path', async (name) => {
    const { app, send } = pair[name];
    const own = await app.keyFor('compliance_br');
    const sent = plain('/v1/compliance-br', undefined, { 'x-api-key': own });
    for (let i = 0; i < 5; i += 1) expect((await send(sent)).headers).toContain('compliance_br=1');
    const usage = await app.server.inject({ url: '/v1/usage', headers: { 'x-api-key': own } });
    expect(usage.json().usage).toEqual([expect.objectContaining({ module: 'compliance_br', used: 5 })]);
  });
});

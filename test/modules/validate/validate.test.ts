import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../sandbox/server/server.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { dnsServer, zoneReply } from '../../support/dns-server.ts';

let app: TestApp;
let sandbox: Sandbox;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  if (!app.sandbox) throw new Error('the sandbox is on by default');
  sandbox = app.sandbox;
});
afterEach(() => sandbox.faults.clear());
afterAll(() => app.close());

const validate = (email: unknown, key?: string) => app.post('/v1/validate/email', { email }, key);
const FIELDS = `email valid formatValid mxValid verdict reason mailServers { host preference } disposable freeProvider roleAccount smtpUtf8
  domain asciiDomain suggestion`;
const graph = (email: string, fields = FIELDS, key?: string) =>
  app.query(`query ($email: String!) { validateEmail(email: $email) { ${fields} } }`, { email }, key);

const ordinary = {
  valid: true,
  format_valid: true,
  mx_valid: true,
  disposable: false,
  free_provider: false,
  suggestion: null,
};

describe('POST /v1/validate/email', () => {
  it.each<readonly [string, object]>([
    ['  Ana.Perez@GMAIL.com\t\u00a0', { ...ordinary, email: 'ana.perez@gmail.com', free_provider: true, domain: 'gmail.com' }],
    ['ventas@marraqueta-ficticia.cl', { ...ordinary, email: 'ventas@marraqueta-ficticia.cl', domain: 'marraqueta-ficticia.cl' }],
    ['a@VIÑAÑANDU-ficticia.cl', { ...ordinary, email: 'a@viñañandu-ficticia.cl', domain: 'viñañandu-ficticia.cl' }],
    ['a@alias-ficticia.cl', { ...ordinary, email: 'a@alias-ficticia.cl', domain: 'alias-ficticia.cl' }],
    ['a@mailinator.com', { ...ordinary, email: 'a@mailinator.com', disposable: true, domain: 'mailinator.com' }],
    ['a@sinmx-ficticia.cl', { ...ordinary, email: 'a@sinmx-ficticia.cl', domain: 'sinmx-ficticia.cl' }],
    ...[
      'noexiste-ficticia.cl',
      'correonulo-ficticia.cl',
      'privada-ficticia.cl',
      'vacia-ficticia.cl',
      'mxinexistente-ficticia.cl',
      '[192.0.2.1]',
      'servidor.local',
    ].map((domain) => [`a@${domain}`, { ...ordinary, email: `a@${domain}`, valid: false, mx_valid: false, domain }] as const),
    ['a@gmial.con', { ...ordinary, email: 'a@gmial.con', valid: false, mx_valid: false, domain: 'gmial.con', suggestion: 'gmail.com' }],
    ...(
      [
        ['', '', '', null],
        ['Nobody', 'nobody', '', null],
        ['test@', 'test@', '', null],
        ['A@B@C.cl', 'a@b@c.cl', 'c.cl', null],
        ['Ana@gmail,com', 'ana@gmail,com', 'gmail,com', 'gmail.com'],
        ['ana@gmail.com\r\nBcc: x@y.cl', 'ana@gmail.com\r\nbcc: x@y.cl', 'y.cl', null],
        [`${'x'.repeat(4_000)}@gmail.com`, `${'x'.repeat(4_000)}@gmail.com`, 'gmail.com', null],
      ] as const
    ).map(
      ([text, email, domain, suggestion]) =>
        [text, { ...ordinary, email, valid: false, format_valid: false, mx_valid: false, domain, suggestion }] as const,
    ),
  ])('answers %j with every field of the specification and no other', async (text, expected) => {
    const { status, body } = await validate(text);
    expect([status, body]).toEqual([200, expected]);
  });

  it.each([
    ['missing', {}],
    ['null', { email: null }],
    ['a number', { email: 7 }],
    ['a list', { email: ['a@b.cl'] }],
    ['absurdly long', { email: `${'x'.repeat(5_000)}@b.cl` }],
  ])('is 422 for an address that is %s', async (_, body) => {
    expect(await app.post('/v1/validate/email', body)).toMatchObject({
      status: 422,
      body: { code: 'invalid_input', errors: [{ field: 'email', message: expect.any(String) }] },
    });
  });

  it('is 403 for a key without the module, in GraphQL too', async () => {
    const key = await app.keyFor('kyb');
    expect(await validate('a@gmail.com', key)).toMatchObject({ status: 403, body: { code: 'module_not_enabled' } });
    expect((await graph('a@gmail.com', 'valid', key)).body).toMatchObject({
      data: { validateEmail: null },
      errors: [{ path: ['validateEmail'], extensions: { code: 'MODULE_NOT_ENABLED', module: 'VALIDATE' } }],
    });
  });

  it.each(['servfail', 'refused', 'timeout'])(
    'UP-03 is 503 where the DNS fails by %s, and null beside an error in GraphQL',
    async (kind) => {
      const email = `a@${kind}-ficticia.cl`;
      const [rest, query] = await Promise.all([validate(email), graph(email)]);
      expect(rest).toMatchObject({ status: 503, headers: { 'retry-after': '30' }, body: { code: 'source_unavailable' } });
      expect(query.body).toMatchObject({
        data: { validateEmail: null },
        errors: [{ extensions: { code: 'SOURCE_UNAVAILABLE', source: 'DNS' } }],
      });
    },
  );

  it.each([
    ['hung', 'hotmail.com'],
    ['malformed', 'outlook.com'],
    ['wrong_shape', 'live.com'],
    ['html_200', 'live.cl'],
    ['status_500', 'yahoo.com'],
    ['rate_limited', 'yahoo.cl'],
    ['gzip_bomb', 'bol.com.br'],
  ] as const)('UP-03 has no verdict while the name server plays %s, and has one when it is well again', async (mode, domain) => {
    sandbox.faults.set('dns', { mode });
    expect(await validate(`a@${domain}`)).toMatchObject({ status: 503, body: { code: 'source_unavailable' } });
    sandbox.faults.clear();
    expect(await validate(`a@${domain}`)).toMatchObject({ status: 200, body: { valid: true } });
  });

  it('needs no DNS for a malformed text, a literal address or a reserved name', async () => {
    sandbox.faults.set('dns', { mode: 'status_500' });
    for (const email of ['nobody', 'a@[192.0.2.1]', 'a@b.localhost', 'a@b.arpa', 'a@b.onion']) {
      expect(await validate(email)).toMatchObject({ status: 200, body: { valid: false } });
    }
  });
});

describe('validateEmail', () => {
  it('gives the reason, the mail servers and the kind of mailbox', async () => {
    const { body } = await graph('Info+Chile@gmail.com');
    expect(body.data.validateEmail).toEqual({
      email: 'info+chile@gmail.com',
      valid: true,
      formatValid: true,
      mxValid: true,
      verdict: 'DELIVERABLE',
      reason: null,
      mailServers: [
        { host: 'gmail-smtp-in.l.google.com', preference: 5 },
        { host: 'alt1.gmail-smtp-in.l.google.com', preference: 10 },
        { host: 'alt2.gmail-smtp-in.l.google.com', preference: 20 },
      ],
      disposable: false,
      freeProvider: true,
      roleAccount: true,
      smtpUtf8: false,
      domain: 'gmail.com',
      asciiDomain: 'gmail.com',
      suggestion: null,
    });
  });

  it.each([
    ['a@sinmx-ficticia.cl', 'DELIVERABLE_FALLBACK', null],
    ['a@sinmx-ficticia.com.br', 'DELIVERABLE_FALLBACK', null],
    ['a@noexiste-ficticia.cl', 'UNDELIVERABLE', 'NO_SUCH_DOMAIN'],
    ['a@correonulo-ficticia.cl', 'UNDELIVERABLE', 'REFUSES_MAIL'],
    ['a@example.com', 'UNDELIVERABLE', 'REFUSES_MAIL'],
    ['a@vacia-ficticia.cl', 'UNDELIVERABLE', 'NO_MAIL_SERVER'],
    ['a@mxinexistente-ficticia.cl', 'UNDELIVERABLE', 'NO_MAIL_SERVER'],
    ['a@privada-ficticia.cl', 'UNDELIVERABLE', 'PRIVATE_ADDRESS'],
    ['a@noenvia-ficticia.cl', 'UNDELIVERABLE', 'SENDS_NO_MAIL'],
    ['a@servidor.local', 'UNDELIVERABLE', 'RESERVED_NAME'],
    ['a@[IPv6:2001:db8::1]', 'UNDELIVERABLE', 'ADDRESS_LITERAL'],
    ['a@b@c', 'MALFORMED', null],
  ])('of %s is %s because of %s', async (email, verdict, reason) => {
    const { body } = await graph(email, 'verdict reason');
    expect([body.errors, body.data]).toEqual([undefined, { validateEmail: { verdict, reason } }]);
  });

  it('is as old as the DNS answer, and new when the DNS was not queried', async () => {
    await validate('a@vtr.net');
    const { body } = await graph('otro@vtr.net', 'freshness { cached stale dataAsOf fetchedAt expiresAt }');
    const { fetchedAt, expiresAt, ...kept } = body.data.validateEmail.freshness;
    expect([kept, Date.parse(expiresAt) - Date.parse(fetchedAt)]).toEqual([{ cached: true, stale: false, dataAsOf: null }, 3_600_000]);
    const fresh = await graph('nobody', 'freshness { cached expiresAt }');
    expect(fresh.body.data.validateEmail.freshness).toEqual({ cached: false, expiresAt: null });
  });

  it('asks the DNS once for many addresses of one domain, side by side for several', async () => {
    const asked = () => sandbox.requestsTo('dns').filter((path) => path.endsWith('/MX')).length;
    const before = asked();
    const emails = ['a@une.net.co', 'b@une.net.co', 'c@UNE.net.co', 'a@terra.com.br', 'b@terra.com.br', 'a@icloud.com'];
    const { body } = await app.query(`{ ${emails.map((email, i) => `e${i}: validateEmail(email: "${email}") { valid }`).join(' ')} }`);
    expect(Object.values(body.data)).toEqual(emails.map(() => ({ valid: true })));
    expect(asked() - before).toBe(3);
  });
});

describe('the sandbox', () => {
  it('has mail servers for every Chilean company with a website', async () => {
    for (const scenario of ['cl-clean', 'cl-large', 'cl-accents', 'cl-supplier']) {
      expect((await validate(`contacto@${chileanByScenario(scenario).domain}`)).body).toMatchObject({ valid: true, free_provider: false });
    }
  });

  it('shows the name servers among the sources', async () => {
    const { body } = await app.query('{ sources { name origin usable attribution } }');
    expect(body.data.sources).toContainEqual({ name: 'DNS', origin: 'SANDBOX', usable: true, attribution: expect.any(String) });
  });

  it('PR-02 leaves no address in the log', () => {
    const log = JSON.stringify(app.lines);
    expect(log).toContain('name servers failed');
    expect(log).not.toMatch(/[\w+"]@[\w-]+\.\w/);
  });
});

describe('QUIPU_DNS_SERVERS', () => {
  it('queries the name servers of the operator, as set', async () => {
    const server = await dnsServer(
      zoneReply({
        'empresa.cl': [{ type: 'MX', data: { preference: 10, exchange: 'mx.empresa.cl' } }],
        'mx.empresa.cl': [{ type: 'A', data: '203.0.113.31' }],
      }),
    );
    const other = await testApp({ env: { QUIPU_DNS_SERVERS: server.address }, listsTried: false });
    onTestFinished(() => other.close());
    expect((await other.post('/v1/validate/email', { email: 'a@empresa.cl' })).body).toMatchObject({ valid: true });
    expect((await other.post('/v1/validate/email', { email: 'a@gmail.com' })).body).toMatchObject({ valid: false });
    expect((await other.query('{ sources { name origin } }')).body.data.sources).toContainEqual({ name: 'DNS', origin: 'GIVEN' });
  });
});

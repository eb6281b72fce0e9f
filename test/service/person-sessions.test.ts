import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../src/audit/audit-log.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import { CHANGES, listening, rawSocket, subscribe } from '../server/sockets/support.ts';
import { PUBLIC_URL, type SignInRun, startSignIn, TestBrowser } from '../support/sign-in.ts';

const { cnpj } = companyByScenario('clean');
const ME = '{ apiKey { role person { name } } }';
const NOTE = (text: string) => `mutation { addCompanyNote(input: { identifier: "${cnpj}", text: "${text}" }) { note { writtenByName } } }`;
const CREATE_WEBHOOK = `mutation { createMonitor(input: { country: BR, identifiers: ["${cnpj}"], webhookUrl: "https://example.com/hook" }) { monitor { id } } }`;

let run: SignInRun;
let passedMs = 0;
beforeAll(async () => {
  run = await startSignIn({ now: () => Date.now() + passedMs });
}, 60_000);
afterAll(() => run.close());
beforeEach(() => {
  run.issuer.faults = {};
});

/** Signs a person with these values of the role claim in. */
async function signedIn(...roles: readonly string[]): Promise<TestBrowser> {
  run.issuer.faults = { claims: { roles } };
  const browser = new TestBrowser(run);
  await browser.signIn();
  return browser;
}

const codeOf = async (answer: ReturnType<TestBrowser['query']>): Promise<string | undefined> => (await answer).errors?.[0]?.extensions.code;

describe('the role of a person', () => {
  it('is the highest one of her values', async () => {
    const { data } = await (await signedIn('visitors', 'staff', 'quipu-admins', 'analysts')).query(ME);
    expect(data.apiKey.role).toBe('ADMINISTER');
  });

  it('states what she may change', async () => {
    const [reader, analyst, admin] = [await signedIn('staff'), await signedIn('analysts'), await signedIn('quipu-admins')];
    expect(await codeOf(reader.query(NOTE('A reader writes nothing.')))).toBe('ROLE_NOT_ALLOWED');
    expect(await codeOf(analyst.query(CREATE_WEBHOOK))).toBe('ROLE_NOT_ALLOWED');
    expect(await codeOf(admin.query(CREATE_WEBHOOK))).not.toBe('ROLE_NOT_ALLOWED');
  });

  it('is no higher than that of the key', async () => {
    const admin = await signedIn('quipu-admins');
    await run.app.keys.update(run.keyId, { role: 'read' });
    passedMs += 5 * SECOND_MS;
    const { data } = await admin.query(ME);
    await run.app.keys.update(run.keyId, { role: 'administer' });
    expect(data.apiKey.role).toBe('READ');
    passedMs += 5 * SECOND_MS;
    expect((await admin.query(ME)).data.apiKey.role).toBe('ADMINISTER');
  });
});

it('what a person writes carries her name, and the audit log her pseudonym', async () => {
  const analyst = await signedIn('analysts');
  const since = Date.now() + passedMs - MINUTE_MS;
  const { data } = await analyst.query(NOTE('The bank account is confirmed.'));
  expect(data.addCompanyNote.note.writtenByName).toBe('Ana Pérez');
  const entries = await auditLog(run.app.db, { since });
  const [person] = await run.db.knex('person_sessions').distinct('person_id').where({ name: 'Ana Pérez' });
  expect(entries.at(-1)).toMatchObject({ action: 'note.added', actor: `key ${run.keyId} person ${person.person_id}` });
  expect(entries.filter(({ action }) => action === 'person.signed_in').at(-1)).toMatchObject({
    actor: `person ${person.person_id}`,
    facts: { key: run.keyId, role: 'decide' },
  });
  expect(JSON.stringify(entries)).not.toContain('Ana');
});

it('a stored answer is not given to another person who acts through the key', async () => {
  const analyst = await signedIn('analysts');
  run.issuer.faults = { claims: { sub: 'person-2', name: 'Bia Souza', roles: ['staff'] } };
  const reader = new TestBrowser(run);
  await reader.signIn();
  const key = { 'idempotency-key': 'note-of-ana' };
  const first = await analyst.query(NOTE('Written once.'), key);
  expect(first.data.addCompanyNote.note.writtenByName).toBe('Ana Pérez');
  expect(await analyst.query(NOTE('Written once.'), key)).toEqual(first);
  const other = await reader.query(NOTE('Written once.'), key);
  expect([other.data, other.code ?? other.errors?.[0]?.extensions.code]).toEqual([undefined, 'IDEMPOTENCY_KEY_REUSED']);
});

it('the answers of a person are counted for the key', async () => {
  const used = async (browser: TestBrowser): Promise<number> =>
    (await browser.query('{ apiKey { usage { used } } }')).data.apiKey.usage.reduce(
      (sum: number, module: { used: number }) => sum + module.used,
      0,
    );
  const browser = await signedIn('staff');
  const before = await used(browser);
  await browser.query('{ validateEmail(email: "nobody") { valid } }');
  expect(await used(browser)).toBe(before + 1);
});

describe('AK-08 a cookie alone', () => {
  it('authenticates nothing: the page must ask for its session by a header', async () => {
    const browser = await signedIn('analysts');
    const { status, body } = await browser.send('POST', '/graphql', { body: { query: ME }, headers: { origin: PUBLIC_URL } });
    expect([status, JSON.parse(body).errors[0].extensions.code]).toEqual([403, 'MISSING_API_KEY']);
    expect((await browser.send('GET', '/v1/usage', { headers: { origin: PUBLIC_URL } })).status).toBe(403);
  });

  it.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a neighbouring host', { origin: 'http://shop.quipu.test', 'sec-fetch-site': 'same-site' }],
    ['an allowed origin, which needs a key', { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }],
    ['a page without an origin', { origin: 'null' }],
  ])('authenticates no request of %s, not even with the header', async (_, headers) => {
    const browser = await signedIn('analysts');
    const answer = await browser.query(ME, { 'sec-fetch-site': 'same-origin', ...headers });
    expect([answer.status, answer.errors[0].extensions.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  });

  it('does not let another site sign a person out', async () => {
    const browser = await signedIn('analysts');
    for (const headers of [
      { 'x-api-key': 'session', origin: 'https://evil.example' },
      { 'x-api-key': '', origin: PUBLIC_URL },
    ])
      expect((await browser.send('POST', '/auth/sign-out', { headers })).status).toBe(403);
    expect((await browser.query(ME)).status).toBe(200);
  });

  it('is no API key', async () => {
    const browser = await signedIn('analysts');
    const key = browser.cookies.get('quipu-session') ?? '';
    expect(await codeOf(new TestBrowser(run).query(ME, { 'x-api-key': key }))).toBe('INVALID_API_KEY');
  });
});

describe('AK-08 a session ends', () => {
  it('after an hour without a request, but not before', async () => {
    const browser = await signedIn('staff');
    for (let i = 0; i < 3; i += 1) {
      passedMs += 50 * MINUTE_MS;
      expect((await browser.query(ME)).status).toBe(200);
    }
    passedMs += HOUR_MS + SECOND_MS;
    expect(await codeOf(browser.query(ME))).toBe('SESSION_ENDED');
  });

  it('twelve hours after the sign-in, however much it is used', async () => {
    const browser = await signedIn('staff');
    for (let i = 0; i < 23; i += 1) {
      passedMs += 30 * MINUTE_MS;
      expect((await browser.query(ME)).status).toBe(200);
    }
    passedMs += 30 * MINUTE_MS + SECOND_MS;
    expect(await codeOf(browser.query(ME))).toBe('SESSION_ENDED');
  });

  it('while its key is expired, and for ever once the key is revoked', async () => {
    const browser = await signedIn('staff');
    await run.app.keys.update(run.keyId, { expiresAt: Date.now() + passedMs - SECOND_MS });
    passedMs += 5 * SECOND_MS;
    expect(await codeOf(browser.query(ME))).toBe('SESSION_ENDED');
    const refused = await new TestBrowser(run).signIn();
    expect([refused.status, /Code: (\w+)/.exec(refused.body)?.[1]]).toEqual([503, 'KEY_NOT_VALID']);
    await run.app.keys.update(run.keyId, { expiresAt: null });
    passedMs += 5 * SECOND_MS;
    expect((await browser.query(ME)).status).toBe(200);
  });

  it('when the person has twenty newer ones', async () => {
    const first = await signedIn('staff');
    for (let i = 0; i < 20; i += 1) {
      passedMs += MINUTE_MS;
      await signedIn('staff');
    }
    passedMs += 5 * SECOND_MS;
    expect(await codeOf(first.query(ME))).toBe('SESSION_ENDED');
  });
});

it('counts unknown sessions against their address, as it does invalid keys', async () => {
  const browser = new TestBrowser(run, '198.51.100.7');
  const codes: (string | undefined)[] = [];
  for (let i = 0; i < 22; i += 1) {
    browser.cookies.set('quipu-session', `${String(i).padStart(2, '0')}${'A'.repeat(41)}`);
    codes.push(await codeOf(browser.query(ME)));
  }
  expect(codes.slice(0, 20)).toEqual(Array(20).fill('SESSION_ENDED'));
  expect(codes.slice(20)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
});

describe('AK-08 live connections', () => {
  const open = async (browser: TestBrowser, origin = PUBLIC_URL) => {
    const socket = rawSocket(await listening(run.app), { headers: { host: new URL(origin).host, origin, cookie: browser.cookie } });
    await socket.opened;
    socket.send({ type: 'connection_init', payload: { 'X-API-Key': 'session' } });
    return socket;
  };

  it('follow changes over a socket with the session, until it ends', async () => {
    const browser = await signedIn('staff');
    const socket = await open(browser);
    expect(await socket.received()).toEqual({ type: 'connection_ack' });
    socket.send(subscribe('changes', CHANGES));
    await browser.send('POST', '/auth/sign-out', { headers: { 'x-api-key': 'session', origin: PUBLIC_URL } });
    expect(await socket.closed).toEqual({ code: 4403, reason: 'SESSION_ENDED' });
  });

  it('open no socket for a page of another site, or without a session', async () => {
    const evil = await open(await signedIn('staff'), 'http://evil.example');
    expect(await evil.closed).toEqual({ code: 4403, reason: 'ORIGIN_NOT_ALLOWED' });
    expect(await (await open(new TestBrowser(run))).closed).toEqual({ code: 4403, reason: 'SESSION_ENDED' });
  });

  it('follow changes by an event stream with the session, until it ends', async () => {
    const browser = await signedIn('staff');
    const answer = await fetch(`http://${await listening(run.app)}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-api-key': 'session',
        origin: PUBLIC_URL,
        cookie: browser.cookie,
      },
      body: JSON.stringify({ query: CHANGES }),
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await browser.send('POST', '/auth/sign-out', { headers: { 'x-api-key': 'session', origin: PUBLIC_URL } });
    expect(await answer.text()).toContain('SESSION_ENDED');
  });
});

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../src/domain/time.ts';
import { CLIENT_ID } from '../support/issuer.ts';
import { PUBLIC_URL, type SignInRun, startSignIn, TestBrowser } from '../support/sign-in.ts';

let run: SignInRun;
beforeAll(async () => {
  run = await startSignIn();
});
afterAll(() => run.close());

const ME = '{ apiKey { id name role person { name email } } }';

describe('a person who signs in', () => {
  it('comes back to her page, and acts with her name and role through the key', async () => {
    const browser = new TestBrowser(run);
    const answer = await browser.signIn('/dashboard/candidates');
    expect(answer).toMatchObject({ status: 303, location: '/dashboard/candidates' });
    expect(await browser.query(ME)).toEqual({
      status: 200,
      data: {
        apiKey: {
          id: run.keyId,
          name: 'people of Acme',
          role: 'DECIDE',
          person: { name: 'Ana Pérez', email: 'ana@example.com' },
        },
      },
      extensions: expect.anything(),
    });
  });

  it('has a cookie that scripts cannot read, and that ends with the browser', async () => {
    const { headers } = await new TestBrowser(run).signIn();
    const cookies = [headers['set-cookie']].flat().map(String);
    expect(cookies.find((one) => one.startsWith('quipu-session='))).toMatch(/^quipu-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('who signs in again in the same browser has one session: the former one ends', async () => {
    const browser = new TestBrowser(run);
    await browser.signIn();
    const { cookie } = browser;
    await browser.signIn();
    expect((await browser.query(ME)).status).toBe(200);
    expect((await browser.query(ME, { cookie })).errors[0].extensions.code).toBe('SESSION_ENDED');
  });

  it('has cookies of this host only, sent over https only, where the service is reached by https', async () => {
    const secure = await startSignIn({ env: { QUIPU_PUBLIC_URL: 'https://quipu.test' } });
    onTestFinished(() => secure.close());
    const browser = new TestBrowser(secure);
    const begun = await browser.send('GET', '/auth/sign-in');
    expect(String(begun.headers['set-cookie'])).toMatch(
      /^__Host-quipu-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const { headers } = await browser.send('GET', await browser.atIssuer(begun.location));
    expect([headers['set-cookie']].flat().at(-1)).toMatch(/^__Host-quipu-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('is signed out: the cookie of before is worth nothing, and the row is gone', async () => {
    const browser = new TestBrowser(run);
    await browser.signIn();
    const { cookie } = browser;
    expect(JSON.parse((await browser.send('GET', '/auth/session')).body)).toEqual({ issuer: 'Acme', signed_in: true });
    const before = await run.db.knex('person_sessions').count();
    const answer = await browser.send('POST', '/auth/sign-out', { headers: { 'x-api-key': 'session', origin: PUBLIC_URL } });
    expect(answer.status).toBe(204);
    expect(browser.cookies.has('quipu-session')).toBe(false);
    expect(Number((await run.db.knex('person_sessions').count())[0]?.count)).toBe(Number(before[0]?.count) - 1);
    expect(JSON.parse((await browser.send('GET', '/auth/session')).body)).toEqual({ issuer: 'Acme', signed_in: false });
    const { status, errors } = await browser.query(ME, { cookie });
    expect([status, errors[0].extensions.code]).toEqual([403, 'SESSION_ENDED']);
  });
});

describe('a sign-out at an issuer that publishes where its sessions end', () => {
  const signOut = (browser: TestBrowser) =>
    browser.send('POST', '/auth/sign-out', { headers: { 'x-api-key': 'session', origin: PUBLIC_URL } });
  let passedMs = 0;
  async function signedIn(sessionsEndAt = '/logout') {
    const own = await startSignIn({ now: () => Date.now() + passedMs });
    onTestFinished(() => own.close());
    own.issuer.sessionsEndAt = new URL(sessionsEndAt, own.issuer.url).href;
    const browser = new TestBrowser(own);
    await browser.signIn();
    return { own, browser };
  }

  it('ends the session here, and sends the browser there and back to the dashboard', async () => {
    const { own, browser } = await signedIn();
    const { status, body, headers } = await signOut(browser);
    expect([status, headers['cache-control'], browser.cookies.has('quipu-session')]).toEqual([200, 'no-store', false]);
    const { status: ended, headers: back } = await fetch(JSON.parse(body).continue_at, { redirect: 'manual' });
    expect([ended, back.get('location')]).toEqual([302, `${PUBLIC_URL}/dashboard`]);
    expect(own.issuer.ended).toEqual([{ client_id: CLIENT_ID, post_logout_redirect_uri: `${PUBLIC_URL}/dashboard` }]);
    expect(await own.db.knex('person_sessions')).toEqual([]);
  });

  it('ends the session here also while the issuer cannot be read', async () => {
    const { own, browser } = await signedIn();
    own.issuer.faults = { answers: { status: 502, body: 'bad gateway' } };
    passedMs += 2 * HOUR_MS; // its document was read an hour ago at least, so it is read again
    expect((await signOut(browser)).status).toBe(204);
    expect(await own.db.knex('person_sessions')).toEqual([]);
    expect(own.app.lines).toContainEqual(expect.objectContaining({ msg: 'a person was signed out here only', code: 'ISSUER_UNAVAILABLE' }));
  });

  it('sends no browser to an address that is none of the web', async () => {
    const { own, browser } = await signedIn('javascript:alert(1)');
    expect((await signOut(browser)).status).toBe(204);
    expect(await own.db.knex('person_sessions')).toEqual([]);
  });
});

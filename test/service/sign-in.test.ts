import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

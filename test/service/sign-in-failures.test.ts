import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BrowserAnswer, type SignInRun, startSignIn, TestBrowser } from '../support/sign-in.ts';

let run: SignInRun;
let addresses = 0;
beforeAll(async () => {
  run = await startSignIn();
});
afterAll(() => run.close());
beforeEach(() => {
  run.issuer.faults = {};
});

/** A browser at an address of its own, so that no test uses up the attempts of another one. */
const newBrowser = () => {
  addresses += 1;
  return new TestBrowser(run, `192.0.2.${addresses}`);
};

/** The status and the code of the page that an answer shows. */
const refusal = ({ status, body, headers }: BrowserAnswer) => {
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  return [status, /Code: (\w+)/.exec(body)?.[1]];
};

const sessions = async () => Number((await run.db.knex('person_sessions').count())[0]?.count);

/** Expects that a sign-in is refused with this status and code, and that no session exists afterwards. */
async function expectRefused(signIn: () => Promise<BrowserAnswer>, expected: readonly [number, string]): Promise<void> {
  const before = await sessions();
  expect(refusal(await signIn())).toEqual(expected);
  expect(await sessions()).toBe(before);
}

describe('AK-08 the callback refuses', () => {
  it('a state of another attempt, and a browser that began none', async () => {
    const [browser, other] = [newBrowser(), newBrowser()];
    const [back, ofOther] = [await browser.authorize(), await other.authorize()];
    await expectRefused(() => browser.send('GET', ofOther), [400, 'SIGN_IN_EXPIRED']);
    await expectRefused(() => newBrowser().send('GET', back), [400, 'SIGN_IN_EXPIRED']);
    await expectRefused(() => newBrowser().send('GET', '/auth/callback'), [400, 'SIGN_IN_EXPIRED']);
  });

  it('a damaged attempt', async () => {
    const browser = newBrowser();
    const back = await browser.authorize();
    browser.cookies.set('quipu-sign-in', `${browser.cookies.get('quipu-sign-in')?.slice(0, -4)}AAAA`);
    await expectRefused(() => browser.send('GET', back), [400, 'SIGN_IN_EXPIRED']);
  });

  it('a code that was used before', async () => {
    const browser = newBrowser();
    const back = await browser.authorize();
    const attempt = browser.cookies.get('quipu-sign-in') ?? '';
    expect((await browser.send('GET', back)).status).toBe(303);
    browser.cookies.set('quipu-sign-in', attempt);
    await expectRefused(() => browser.send('GET', back), [400, 'SIGN_IN_EXPIRED']);
  });

  it('a code for another verifier of PKCE', async () => {
    const [browser, thief] = [newBrowser(), newBrowser()];
    const stolen = new URLSearchParams((await browser.authorize()).split('?')[1]).get('code') ?? '';
    const own = new URLSearchParams((await thief.authorize()).split('?')[1]);
    own.set('code', stolen);
    await expectRefused(() => thief.send('GET', `/auth/callback?${own}`), [400, 'SIGN_IN_EXPIRED']);
  });

  it('a person whom the issuer refuses, with the state of her attempt', async () => {
    const browser = newBrowser();
    const state = new URLSearchParams((await browser.authorize()).split('?')[1]).get('state');
    const answer = () => browser.send('GET', `/auth/callback?error=access_denied&error_description=Ana%20cancelled&state=${state}`);
    await expectRefused(answer, [403, 'SIGN_IN_REFUSED']);
  });

  const soon = Math.floor(Date.now() / 1000);
  it.each([
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['another client', { aud: 'another-client' }],
    ['another issuer', { iss: 'https://issuer.example' }],
    ['an end in the past', { iat: soon - 900, exp: soon - 600 }],
    ['no identifier of the person', { sub: undefined }],
  ])('an ID token with %s', async (_, claims) => {
    run.issuer.faults = { claims };
    await expectRefused(() => newBrowser().signIn(), [502, 'ISSUER_ANSWER_INVALID']);
  });

  it('an ID token that is signed with an unknown key', async () => {
    run.issuer.faults = { signsWithOtherKey: true };
    await expectRefused(() => newBrowser().signIn(), [502, 'ISSUER_ANSWER_INVALID']);
  });

  it('a person without a role of this service, and one without the claim', async () => {
    run.issuer.faults = { claims: { roles: ['visitors'] } };
    await expectRefused(() => newBrowser().signIn(), [403, 'ROLE_NOT_ASSIGNED']);
    run.issuer.faults = { claims: { roles: undefined } };
    await expectRefused(() => newBrowser().signIn(), [403, 'ROLE_NOT_ASSIGNED']);
  });

  it('a person without a name', async () => {
    run.issuer.faults = { claims: { name: undefined, email: undefined } };
    await expectRefused(() => newBrowser().signIn(), [502, 'ISSUER_ANSWER_INVALID']);
  });

  it.each([
    ['a failure', { status: 503, body: '{"error":"temporarily_unavailable"}' }, [503, 'ISSUER_UNAVAILABLE']],
    ['a page', { status: 200, body: '<html>' }, [502, 'ISSUER_ANSWER_INVALID']],
    ['broken JSON', { status: 200, body: '{"access_token":' }, [502, 'ISSUER_ANSWER_INVALID']],
    ['no ID token', { status: 200, body: '{"access_token":"a","token_type":"Bearer"}' }, [502, 'ISSUER_ANSWER_INVALID']],
    ['more than a megabyte', { status: 200, body: `{"a":"${'a'.repeat(1_100_000)}"}` }, [503, 'ISSUER_UNAVAILABLE']],
    ['a refusal of this client', { status: 401, body: '{"error":"invalid_client"}' }, [502, 'ISSUER_ANSWER_INVALID']],
  ] as const)('a token endpoint that answers with %s', async (_, answers, expected) => {
    const browser = newBrowser();
    const back = await browser.authorize();
    run.issuer.faults = { answers, at: '/token' };
    await expectRefused(() => browser.send('GET', back), expected);
  });
});

it('accepts a clock of the issuer that is half a minute wrong', async () => {
  const now = Math.floor(Date.now() / 1000);
  run.issuer.faults = { claims: { iat: now + 30, nbf: now + 30, exp: now + 330 } };
  expect((await newBrowser().signIn()).status).toBe(303);
  run.issuer.faults = { claims: { iat: now - 330, exp: now - 30 } };
  expect((await newBrowser().signIn()).status).toBe(303);
});

it('takes claims that only the userinfo endpoint sends', async () => {
  const { person } = run.issuer;
  run.issuer.person = { sub: 'person-9', claims: {}, inUserinfo: { name: 'Luz Rojas', roles: 'quipu-admins' } };
  const browser = newBrowser();
  await browser.signIn();
  run.issuer.person = person;
  const { data } = await browser.query('{ apiKey { role person { name email } } }');
  expect(data.apiKey).toEqual({ role: 'ADMINISTER', person: { name: 'Luz Rojas', email: null } });
});

it('stores and shows no CPF, which some issuers use as the name of a user', async () => {
  const { person } = run.issuer;
  run.issuer.person = { sub: '52998224725', claims: { preferred_username: '52998224725', roles: ['staff'] } };
  const browser = newBrowser();
  await browser.signIn();
  run.issuer.person = person;
  const { data } = await browser.query('{ apiKey { person { name } } }');
  expect(data.apiKey.person.name).toBe('***982247**');
  const rows = await run.db.knex.raw('SELECT p::text AS text FROM person_sessions p');
  expect(JSON.stringify(rows.rows)).not.toContain('52998224725');
});

it('leads back to pages of the dashboard only', async () => {
  for (const to of [
    'https://evil.example',
    '//evil.example',
    '/dashboard?//evil.example',
    '/dashboard?a=<b>',
    `/dashboard?${'a'.repeat(1_500)}`,
    '/dashboard/../auth/sign-in',
    '/dashboard//evil.example',
    '/dashboardx',
  ])
    expect((await newBrowser().signIn(to)).location).toBe('/dashboard');
  const longest = `/dashboard/candidates?q=${'%C3%A9'.repeat(245)}`;
  for (const page of ['/dashboard/company/BR/99030001000146', '/dashboard/candidates?q=padaria+%26+caf%C3%A9&state=open', longest])
    expect((await newBrowser().signIn(page)).location).toBe(page);
  for (const query of [`after=${'a'.repeat(1_500)}`, 'q=//evil.example'])
    expect((await newBrowser().signIn(`/dashboard/candidates?${query}`)).location).toBe('/dashboard/candidates');
});

it('writes why a sign-in failed, and no token, code or secret, to the log', async () => {
  run.issuer.faults = { claims: { aud: 'another-client' } };
  await newBrowser().signIn();
  const lines = JSON.stringify(run.app.lines);
  expect(run.app.lines).toContainEqual(expect.objectContaining({ msg: 'a person was not signed in', code: 'ISSUER_ANSWER_INVALID' }));
  expect(run.issuer.secrets.length).toBeGreaterThan(10);
  for (const secret of [...run.issuer.secrets, 'a-client-secret-of-the-tests']) expect(lines).not.toContain(secret);
});

it('refuses an address that begins very many sign-ins, with the time after which it may', async () => {
  const browser = newBrowser();
  const answers: BrowserAnswer[] = [];
  for (let i = 0; i < 62; i += 1) answers.push(await browser.send('GET', '/auth/callback'));
  const last = answers.at(-1) ?? expect.fail();
  expect(refusal(last)).toEqual([429, 'RATE_LIMITED']);
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  expect(refusal(await newBrowser().send('GET', '/auth/callback'))).toEqual([400, 'SIGN_IN_EXPIRED']);
});

it('writes its pages in the language of the person', async () => {
  const page = await newBrowser().send('GET', '/auth/callback', { headers: { 'accept-language': 'pt-BR' } });
  expect(page.body).toContain('<html lang="pt">');
  expect(page.body).toContain('Comece de novo.');
});

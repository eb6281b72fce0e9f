import { afterEach, expect, it } from 'vitest';
import { type SignInRun, startSignIn, TestBrowser } from '../support/sign-in.ts';

let run: SignInRun;
afterEach(() => run.close());

const codeOf = (body: string) => /Code: (\w+)/.exec(body)?.[1];

it('answers with a page while the issuer fails, and signs people in once it answers again', async () => {
  run = await startSignIn();
  run.issuer.faults = { answers: { status: 502, body: 'bad gateway' } };
  const browser = new TestBrowser(run);
  const failed = await browser.send('GET', '/auth/sign-in');
  expect([failed.status, codeOf(failed.body)]).toEqual([503, 'ISSUER_UNAVAILABLE']);
  expect(failed.body).toContain('Acme does not answer right now.');
  run.issuer.faults = {};
  expect((await browser.signIn()).status).toBe(303);
});

it('ends the wait for an issuer that does not answer', async () => {
  run = await startSignIn();
  run.issuer.faults = { answers: 'never' };
  const answer = await new TestBrowser(run).send('GET', '/auth/sign-in');
  expect([answer.status, codeOf(answer.body)]).toEqual([503, 'ISSUER_UNAVAILABLE']);
});

it('refuses the document of another issuer', async () => {
  run = await startSignIn();
  const body = JSON.stringify({ issuer: 'https://issuer.example', authorization_endpoint: 'https://issuer.example/authorize' });
  run.issuer.faults = { answers: { status: 200, body }, at: '/.well-known/openid-configuration' };
  const answer = await new TestBrowser(run).send('GET', '/auth/sign-in');
  expect([answer.status, codeOf(answer.body)]).toEqual([502, 'ISSUER_ANSWER_INVALID']);
});

it('offers no sign-in without an issuer: the routes do not exist, and a session is refused', async () => {
  run = await startSignIn({ env: { QUIPU_OIDC_ISSUER: '' } });
  const browser = new TestBrowser(run);
  expect(JSON.parse((await browser.send('GET', '/auth/session')).body)).toEqual({ issuer: null, signed_in: false });
  expect((await browser.send('GET', '/auth/sign-in')).status).toBe(404);
  const { status, errors } = await browser.query('{ apiKey { id } }');
  expect([status, errors[0].extensions.code]).toEqual([403, 'SESSION_ENDED']);
});

import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createMailer } from '../../src/auth/mail.ts';
import { pem, startSmtp, type TestSmtp } from '../support/smtp.ts';

const usual = tls.getCACertificates('default');
const trust = () => tls.setDefaultCACertificates([...usual, pem('ca')]);

let server: TestSmtp | undefined;
afterEach(async () => {
  tls.setDefaultCACertificates(usual);
  await server?.close();
  server = undefined;
});

async function serve(options: Parameters<typeof startSmtp>[0] = {}): Promise<TestSmtp> {
  server = await startSmtp(options);
  return server;
}

const SECRET = 'sk_not-to-be-told';
const MAIL = { to: 'ana@acme.example', subject: 'Your key', text: `Dear Ana,\n\n${SECRET}\n` };
const from = 'Quipu <keys@quipu.example>';
/** Sends the mail. Returns null, or the message of its error. */
const send = (smtpUrl: string) =>
  createMailer({ smtpUrl, from })
    .send(MAIL)
    .then(
      () => null,
      (error: Error) => JSON.stringify([error.message, error]),
    );

describe('a mail', () => {
  it('is plain text from the configured sender and arrives unchanged', async () => {
    const { port, mails } = await serve();
    expect(await send(`smtp://127.0.0.1:${port}`)).toBeNull();
    expect(mails).toMatchObject([{ from: 'keys@quipu.example', to: ['ana@acme.example'] }]);
    expect(mails[0]?.raw).toMatch(/^From: Quipu <keys@quipu.example>$/m);
    expect(mails[0]?.raw).toMatch(/^Subject: Your key$/m);
    expect(mails[0]?.raw).toMatch(/^Content-Type: text\/plain/m);
    expect(mails[0]?.raw).toContain(`Dear Ana,\r\n\r\n${SECRET}\r\n`);
  });

  it('is sent with the user name of the URL', async () => {
    const { port, mails } = await serve();
    expect(await send(`smtp://user%40acme:p%40ss@127.0.0.1:${port}`)).toBeNull();
    expect(mails).toMatchObject([{ user: 'user@acme' }]);
  });

  it.each([
    { how: 'begun with TLS (smtps)', scheme: 'smtps', options: { secure: true } },
    { how: 'upgraded to TLS (smtp, STARTTLS)', scheme: 'smtp', options: { starttls: true } },
  ])('is sent over a connection $how', async ({ scheme, options }) => {
    const { port, mails } = await serve(options);
    trust();
    expect(await send(`${scheme}://127.0.0.2:${port}`)).toBeNull();
    expect(mails).toMatchObject([{ secure: true }]);
  });

  it.each([
    { what: 'a certificate of nobody we trust', url: 'smtps://127.0.0.2', options: { secure: true }, trusted: false },
    { what: 'a certificate of another host', url: 'smtps://127.0.0.1', options: { secure: true }, trusted: true },
    { what: 'a bad certificate behind STARTTLS', url: 'smtp://127.0.0.2', options: { starttls: true }, trusted: false },
    { what: 'no TLS, on another machine', url: 'smtp://0.0.0.0', options: {}, trusted: true },
  ])('is not sent to a server with $what', async ({ url, options, trusted }) => {
    const { port, mails } = await serve(options);
    if (trusted) trust();
    expect(await send(`${url}:${port}`)).toMatch(/The mail could not be sent \(E[A-Z]+( \d+)?\)\./);
    expect(mails).toEqual([]);
  });

  it('is sent without TLS when the setting allows it', async () => {
    const { port, mails } = await serve();
    expect(await send(`smtp://0.0.0.0:${port}?requireTLS=false`)).toBeNull();
    expect(mails).toMatchObject([{ secure: false }]);
  });

  it.each([
    {
      what: 'does not know the password',
      options: { onAuth: (_auth: unknown, _session: unknown, done: (error: Error) => void) => done(new Error('no such user: hunter2')) },
      says: /\(EAUTH 535\)/,
    },
    {
      what: 'does not know the receiver',
      options: { onRcptTo: (_to: unknown, _session: unknown, done: (error: Error) => void) => done(new Error('who is ana@acme.example?')) },
      says: /\(EENVELOPE 550\)/,
    },
    {
      what: 'refuses the mail and quotes it',
      options: {
        onData: (stream: NodeJS.ReadableStream, _session: unknown, done: (error: Error) => void) => {
          stream.resume().on('end', () => done(new Error(`spam: ${SECRET}`)));
        },
      },
      says: /\(EMESSAGE 450\)/,
    },
  ])('to a server that $what fails with an error code, without the mail, the password or the reply', async ({ options, says }) => {
    const { port } = await serve(options as Parameters<typeof startSmtp>[0]);
    const said = await send(`smtp://user:hunter2@127.0.0.1:${port}`);
    expect(said).toMatch(says);
    expect(said).not.toMatch(/sk_|hunter2|ana@|spam|who is/);
  });

  it('to a closed port fails with an error code', async () => {
    const { port, close } = await startSmtp();
    await close();
    expect(await send(`smtp://127.0.0.1:${port}`)).toMatch(/could not be sent \((ESOCKET|ECONNECTION)\)/);
  });
});

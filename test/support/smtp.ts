import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const FIXTURES = path.resolve(import.meta.dirname, '../sources/outbound/fixtures');
export const pem = (name: string): string => readFileSync(path.join(FIXTURES, `${name}.pem`), 'utf8');

/** A mail that the test server accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, unchanged. */
  readonly raw: string;
  /** True when it came over TLS. */
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface TestSmtp {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  close(): Promise<void>;
}

/** Starts an SMTP server on loopback. Its certificate is valid for 127.0.0.2 and signed by `ca.pem`. `starttls`: offers STARTTLS. */
export async function startSmtp({
  starttls = false,
  ...options
}: SMTPServerOptions & { readonly starttls?: boolean } = {}): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    key: pem('key'),
    cert: pem('site'),
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: starttls ? [] : ['STARTTLS'],
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData(stream, { envelope, secure, user }, done) {
      void text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, secure, user: user as string | undefined });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // a client that does not trust the certificate closes the connection
  await new Promise<void>((listening) => void server.listen(0, '0.0.0.0', listening));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, close: () => new Promise((closed) => server.close(() => closed())) };
}

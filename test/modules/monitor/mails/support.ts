import { monitorJobs } from '../../../../src/modules/monitor/jobs.ts';
import { monitorService } from '../../../../src/modules/monitor/service/monitor.ts';
import { type TestApp, type TestAppOptions, testApp } from '../../../support/app.ts';
import type { TestSmtp } from '../../../support/smtp.ts';

export const PUBLIC_URL = 'https://quipu.example';

/** The service, with a mail server and a public address. */
export const mailApp = (smtp: TestSmtp, { env, ...options }: TestAppOptions = {}): Promise<TestApp> =>
  testApp({
    ...options,
    env: {
      QUIPU_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      QUIPU_MAIL_FROM: 'Quipu <mail@quipu.example>',
      QUIPU_PUBLIC_URL: PUBLIC_URL,
      ...env,
    },
  });

export const SAVE = `mutation ($input: SaveMailSubscriptionInput!) { saveMailSubscription(input: $input) {
  mailSubscription { id email language timeZone hour everyDay confirmedAt nextAt lastSentAt lastError } } }`;

export const LIST = '{ mailSubscriptions { id email language hour confirmedAt nextAt lastSentAt lastError } }';

/** Runs the jobs about mails that wait, once each, as a worker does. A job that fails stays in the queue. @returns the failures */
export async function runMailJobs(app: TestApp): Promise<readonly Error[]> {
  const { rows } = await app.db.raw(
    `SELECT j.id, t.identifier, j.payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
     WHERE t.identifier IN ('monitor.mail', 'monitor.invite') ORDER BY j.id`,
  );
  const failures: Error[] = [];
  for (const { id, identifier, payload } of rows) {
    const job = monitorJobs.find(({ name }) => name === identifier);
    const parts = { db: app.db, now: Date.now, open: app.open, log: app.log, signal: new AbortController().signal };
    const failure = await job?.run(job.payload.parse(payload), parts).then(
      () => null,
      (error: Error) => error,
    );
    if (failure) failures.push(failure);
    else await app.db.raw('DELETE FROM graphile_worker._private_jobs WHERE id = ?', [id]);
  }
  return failures;
}

/** Enqueues the due mails and runs their jobs. */
export async function sendDueMails(app: TestApp): Promise<readonly Error[]> {
  await app.open(monitorService).digests.tick();
  return runMailJobs(app);
}

/** Decodes the body of a mail, whose parts are quoted-printable or plain. */
export const bodyOf = (raw: string): string =>
  Buffer.from(
    raw
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replaceAll('\r\n', '\n'),
    'latin1',
  ).toString('utf8');

/** Returns the path of the first link of a mail to `/mail/`. */
export function linkIn(raw: string, n = 0): string {
  const found = [...bodyOf(raw).matchAll(/https:\/\/quipu\.example(\/mail\/[\w-]+)/g)].map(([, path = '']) => path);
  return found[n] ?? '';
}

/** Opens a page, or sends its form, without an API key. */
export const page = (app: TestApp, method: 'GET' | 'POST', url: string, payload = 'List-Unsubscribe=One-Click') =>
  app.server.inject({
    method,
    url,
    ...(method === 'POST' && { headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload }),
  });

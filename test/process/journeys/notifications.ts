import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { MAIL_TICK } from '../../../src/modules/monitor/service/digests.ts';
import { SHOWN } from '../../support/dashboard.ts';
import { type Received, receiver } from '../../support/receiver.ts';
import { englishTexts } from '../../support/shown-texts.ts';
import { expectGoodPage, expectReadable } from './checks.ts';
import { type Journey, openPage, type Step } from './journey.ts';

const emailOf = ({ variant: { language, width } }: Journey): string => `ana.${language}.${width}@acme.example`;

interface SentMail {
  readonly subject: string;
  readonly text: string;
}

/** The mails to the person, oldest first. */
async function mailsOf(journey: Journey): Promise<readonly SentMail[]> {
  const { requests } = (await (await fetch(`${journey.run.sandbox}/_control/webhooks/mails`)).json()) as {
    readonly requests: readonly { readonly body: string }[];
  };
  return requests.flatMap(({ body }) => (body.includes(emailOf(journey)) ? [JSON.parse(body) as SentMail] : []));
}

/** Waits for the n-th mail to the person, which is in the language of the person. */
async function nthMail(journey: Journey, n: number): Promise<SentMail> {
  await expect.poll(async () => (await mailsOf(journey)).length, SHOWN).toBe(n);
  const mail = (await mailsOf(journey)).at(-1) ?? { subject: '', text: '' };
  if (journey.variant.language !== 'en') expect(englishTexts([mail.subject, ...mail.text.split('\n')])).toEqual([]);
  return mail;
}

/** Makes the next mail to the person due, and has the service look for such mails, which it does once a minute otherwise. */
async function letMorningCome(journey: Journey): Promise<void> {
  const { knex } = journey.run.db;
  await knex('mail_subscriptions')
    .where({ email: emailOf(journey) })
    .update({ due_at: new Date() });
  await knex.raw(
    'SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs WHERE task_identifier = ?',
    [MAIL_TICK],
  );
}

async function askForMail(journey: Journey): Promise<void> {
  const { run, page, keyboard, text } = journey;
  await openPage(journey, 'nav.deliveries');
  const form = page.getByRole('region', { name: text('mail.title') });
  await keyboard.type(form.getByLabel(text('mail.email')), emailOf(journey));
  await keyboard.press(form.getByLabel(text('mail.everyDay')), 'Space');
  await keyboard.press(form.getByRole('button', { name: text('mail.save') }));
  await form.getByRole('status').getByText(text('mail.saved')).waitFor(SHOWN);
  await expectGoodPage(journey);
  const [link = ''] = /https?:\/\/\S+\/mail\/\S+/.exec((await nthMail(journey, 1)).text) ?? [];
  await page.goto(run.url + new URL(link).pathname);
  await keyboard.press(page.getByRole('button').first());
  await expect.poll(() => page.getByRole('button').count(), SHOWN).toBe(0);
  await expectReadable(journey);
  await letMorningCome(journey);
  await page.goto(`${run.url}/dashboard/deliveries`);
  const person = form.getByRole('listitem').filter({ hasText: emailOf(journey) });
  await person.getByText(text('mail.confirmed'), { exact: true }).waitFor(SHOWN);
  await keyboard.focus(person.getByRole('button', { name: text('mail.delete', { email: emailOf(journey) }) }));
}

async function receiveMail(journey: Journey): Promise<void> {
  const { subject, text: body } = await nthMail(journey, 2);
  expect(subject).not.toBe('');
  expect(body).toContain(emailOf(journey).split('@')[0] ?? '');
}

/** Returns true if a secret has signed what was received. */
function signs(secret: string, { body, headers }: Received): boolean {
  try {
    return Boolean(new Webhook(secret).verify(body, headers));
  } catch {
    return false;
  }
}

async function useWebhook(journey: Journey): Promise<void> {
  const { page, keyboard, text } = journey;
  const { url, received } = await receiver();
  const form = page.getByRole('region', { name: text('webhook.create') });
  await keyboard.type(form.getByLabel(text('webhook.url')), url);
  await keyboard.type(form.getByLabel(text('webhook.identifiers')), companyByScenario('clean').cnpj);
  await keyboard.press(form.getByRole('button', { name: text('webhook.create') }));
  const first = await form.getByRole('status').locator('code').innerText(SHOWN);
  const endpoint = page.locator('[data-endpoint]', { hasText: url });
  await keyboard.press(endpoint.getByRole('button', { name: text('deliveries.sendTest') }));
  await expect.poll(() => received.some((request) => signs(first, request)), SHOWN).toBe(true);
  await expectGoodPage(journey);
  await keyboard.press(endpoint.getByRole('button', { name: text('deliveries.rotate') }));
  const second = await endpoint.getByRole('status').locator('code').innerText(SHOWN);
  expect(second).not.toBe(first);
  await keyboard.press(endpoint.getByRole('button', { name: text('deliveries.sendTest') }));
  await expect.poll(() => received.some((request) => signs(second, request)), SHOWN).toBe(true);
}

/** A person gets what has changed by mail and by webhook. */
export const notificationSteps: readonly Step[] = [
  ['asks for a mail each morning, and confirms the address', askForMail],
  ['creates, tests and rotates a webhook', useWebhook],
  ['receives the mail', receiveMail],
];

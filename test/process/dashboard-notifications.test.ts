import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { holdQueries, needsBrowser, requestsOf, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';
import { receiver } from '../support/receiver.ts';

describe('webhooks and mails of the dashboard, in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();

  it('creates a webhook for the watched companies, tests it, changes its address and deletes it', async () => {
    const first = await receiver((response) => response.writeHead(204).end());
    const second = await receiver((response) => response.writeHead(204).end());
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/deliveries`);
    const form = page.getByRole('region', { name: 'Create a webhook' });
    await form.getByLabel('Address (https)').fill(first.url);
    await form.getByLabel('Tax ids').fill(companyByScenario('clean').cnpj);
    await form.getByLabel('Format').selectOption('SLACK');
    await form.getByRole('button', { name: 'Create a webhook' }).click();
    await form.getByRole('status').getByText('Send a test event.').waitFor();
    const endpoint = page.locator('[data-endpoint]', { hasText: first.url });
    await endpoint.getByText('· Slack message').waitFor();
    await endpoint.getByRole('button', { name: 'Send a test event' }).click();
    await expect.poll(() => first.received.map(({ body }) => JSON.parse(body).text), SOON).toEqual([expect.stringMatching(/^Test event/)]);
    await endpoint.getByText('Settings', { exact: true }).click();
    await endpoint.getByLabel('Address (https)').fill(second.url);
    await endpoint.getByRole('button', { name: 'Save the settings' }).click();
    const moved = page.locator('[data-endpoint]', { hasText: second.url });
    await moved.getByLabel('Format').selectOption('TEAMS');
    await moved.getByRole('button', { name: 'Save the settings' }).click();
    await moved.getByText('· Teams message').waitFor();
    await moved.getByRole('button', { name: 'Send a test event' }).click();
    await expect.poll(() => second.received.map(({ body }) => JSON.parse(body).type), SOON).toEqual(['message']);
    const remove = moved.getByRole('button', { name: 'Delete the webhook', exact: true });
    await remove.click();
    await page.keyboard.press('Escape');
    await moved.getByRole('group', { name: /^Deliveries that wait are dropped/ }).waitFor({ state: 'detached' });
    expect(await remove.evaluate((button) => button === document.activeElement)).toBe(true);
    await remove.click();
    await moved.getByRole('button', { name: 'Yes, delete the webhook' }).click();
    await moved.waitFor({ state: 'detached' });
  });

  it('creates no webhook for a part of the watched companies while they are being read', async () => {
    const page = await run.signedIn();
    const created = await requestsOf(page, 'mutation CreateWebhook(');
    const portfolio = await holdQueries(page, /query (?!Session)/);
    await page.evaluate('localStorage.clear()');
    await page.goto(`${run.url}/dashboard/deliveries`);
    await portfolio.first;
    const form = page.getByRole('region', { name: 'Create a webhook' });
    await form.getByLabel('Address (https)').fill('https://receiver.example/');
    await form.getByRole('button', { name: 'Create a webhook' }).click();
    await form.getByRole('alert').getByText('The watched companies are not all read yet.').waitFor();
    expect(created.sent).toBe(0);
    portfolio.release();
  });

  it('adds a person who gets a mail each morning, and asks the person to confirm the address', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/deliveries`);
    const form = page.getByRole('region', { name: 'E-mail each morning' });
    await form.getByText('Nobody gets this e-mail yet.').waitFor();
    await form.getByLabel('E-mail address').fill('ana@acme.example');
    await form.getByRole('button', { name: 'Add the person' }).click();
    await form.getByRole('status').waitFor();
    const person = form.getByRole('listitem').filter({ hasText: 'ana@acme.example' });
    await person.getByText('Not confirmed yet').waitFor();
    const mails = async () => (await (await fetch(`${run.sandbox}/_control/webhooks/mails`)).json()).requests;
    await expect.poll(mails, SOON).toHaveLength(1);
    const [, link = ''] = /(https?:\/\/\S+\/mail\/\S+)/.exec(JSON.parse((await mails())[0].body).text) ?? [];
    await page.goto(run.url + new URL(link).pathname);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Confirmed. The next e-mail comes at 07:00').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${run.url}/dashboard/deliveries`);
    await person.getByText('Confirmed', { exact: true }).waitFor();
    await person.getByRole('button', { name: 'Delete ana@acme.example' }).click();
    await person.getByText('ana@acme.example will get no e-mail any more.').waitFor();
    expect(await person.count()).toBe(1);
    await person.getByRole('button', { name: 'Yes, delete' }).click();
    await person.waitFor({ state: 'detached' });
  });
});

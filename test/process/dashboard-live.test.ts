import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { appendChanges } from '../../src/modules/monitor/store/change-log.ts';
import { type DashboardRun, needsBrowser, type Requests, requestsOf, SOON, useDashboard } from '../support/dashboard.ts';

/** How long a page, or the server, takes to start on a busy machine. */
const START = { timeout: 60_000 };

/** Creates a monitor whose webhook the sandbox receives. @returns its id */
async function createMonitor(run: DashboardRun): Promise<string> {
  const input = `country: BR, identifiers: ["${companyByScenario('clean').cnpj}"], webhookUrl: "${run.sandbox}/_control/webhooks/live"`;
  const { createMonitor } = await run.query<{ createMonitor: { monitor: { id: string } } }>(
    `mutation { createMonitor(input: { ${input} }) { monitor { id } } }`,
  );
  return createMonitor.monitor.id;
}

const sendTestEvent = (run: DashboardRun, monitor: string): Promise<unknown> =>
  run.query(`mutation { testMonitor(input: { id: "${monitor}" }) { delivery { id } } }`);

const blockSockets = (page: Page): Promise<void> => page.routeWebSocket('**/graphql', (socket) => void socket.close());

describe('what the dashboard follows by subscription, in Chromium', { timeout: 180_000, ...needsBrowser }, () => {
  const run = useDashboard();

  describe.each(['websocket', 'event stream'])('by %s', (transport) => {
    async function open(path: string): Promise<{ page: Page; deliveries: Requests }> {
      const page = await run.signedIn();
      if (transport === 'event stream') await blockSockets(page);
      const deliveries = await requestsOf(page, 'query Deliveries(');
      await page.goto(run.url + path);
      return { page, deliveries };
    }

    it('shows a delivery from the queue to its receiver, with its attempt, without reading the deliveries again', async () => {
      const monitor = await createMonitor(run);
      const { page, deliveries } = await open('/dashboard/deliveries');
      const endpoint = page.locator(`[data-endpoint=${monitor}]`);
      await endpoint.getByText('Nothing was sent yet.').waitFor();
      await expect.poll(() => deliveries.sent, START).toBe(3); // twice more while the subscription begins
      deliveries.fail = true;
      await sendTestEvent(run, monitor);
      const row = endpoint.locator('.deliveries > li', { hasText: 'Test event' });
      await row.getByText('Attempts: 1').waitFor();
      await row.getByText('Delivered').waitFor();
      await endpoint.getByText(/Delivered: 100% of the last 1/).waitFor();
      expect([await row.count(), deliveries.sent]).toEqual([1, 3]);
    });

    it('shows the progress of a screening, while the query still says that it is queued', async () => {
      const { page } = await open('/dashboard/portfolio');
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('query Screenings{')) return route.fallback();
        const response = await route.fetch();
        const answer = await response.json();
        for (const screening of answer.data.screenings.nodes) Object.assign(screening, { state: 'QUEUED', done: 0, failed: 0 });
        return route.fulfill({ response, json: answer });
      });
      await page
        .getByLabel('Tax ids (CNPJ, RUT, NIT)')
        .fill([companyByScenario('debarred-ceis').cnpj, companyByScenario('clean').cnpj].join('\n'));
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('button', { name: 'Screen 2 companies now' }).click();
      await page
        .locator('[data-screening=DONE]', { hasText: '2 of 2 checked' })
        .getByRole('button', { name: 'Results as csv' })
        .first()
        .waitFor({ timeout: 50_000 });
    });
  });

  /** Changes each subscription of a page before it reaches the server, and counts them. @param change of the JSON of its variables and text */
  async function changeSubscriptions(page: Page, name: string, transport: string, change: (sent: string) => string): Promise<Requests> {
    const subscriptions: Requests = { sent: 0, fail: false };
    const changed = (sent: string): string => {
      if (!sent.includes(`subscription ${name}`)) return sent;
      subscriptions.sent += 1;
      return change(sent);
    };
    if (transport === 'event stream') await blockSockets(page);
    else
      await page.routeWebSocket('**/graphql', (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((sent) => server.send(changed(String(sent))));
      });
    await page.route('**/graphql', (route) => {
      const sent = route.request().postData() ?? '';
      return sent.includes('"query":"subscription ') ? route.continue({ postData: changed(sent) }) : route.fallback();
    });
    return subscriptions;
  }

  /** Ends every pause before a next attempt, and gives the page the time for one: another page of it is read. */
  async function letItTryAgain(page: Page): Promise<void> {
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.locator('.usage tbody tr').first().waitFor();
  }

  describe.each(['websocket', 'event stream'])('a subscription that the server refuses, by %s', (transport) => {
    it('says why the changes are not followed, and does not try again', async () => {
      const page = await run.openPage();
      const subscriptions = await changeSubscriptions(page, 'CompanyChanged', transport, (sent) =>
        sent.replace(/"after":"[^"]*"/, '"after":"not a cursor"'),
      );
      await page.goto(`${run.url}/dashboard#key=${run.key}`);
      const strip = page.getByRole('region', { name: 'Connection' });
      await strip.getByText('Changes are not followed').waitFor(START);
      expect(await strip.innerText()).toMatch(/cursor/i);
      await letItTryAgain(page);
      expect(subscriptions.sent).toBe(1);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.locator('.companies li').first().waitFor();
    });

    it('says on the page Deliveries what was refused, and goes on reading by query', async () => {
      const monitor = await createMonitor(run);
      const page = await run.signedIn();
      const subscriptions = await changeSubscriptions(page, 'DeliveryUpdated', transport, (sent) =>
        sent.replace('monitor{', 'monitor{nothing '),
      );
      await page.goto(`${run.url}/dashboard/deliveries`);
      await page
        .getByRole('alert')
        .getByText(/Not followed live: Cannot query field/)
        .waitFor(START);
      await sendTestEvent(run, monitor);
      const endpoint = page.locator(`[data-endpoint=${monitor}]`);
      await endpoint.locator('.deliveries > li', { hasText: 'Test event' }).getByText('Delivered').waitFor();
      await letItTryAgain(page);
      expect(subscriptions.sent).toBe(1);
    });
  });

  /** Adds changes of a watched company to the log: one more page of the API than a catch-up reads at once. */
  async function addChanges(count: number): Promise<void> {
    const monitor = await run.db.knex('monitors').whereNull('cancelled_at').where({ country: 'BR' }).first();
    const taxId = companyByScenario('clean').cnpj;
    const change = {
      monitorId: monitor.id,
      keyId: monitor.key_id,
      company: { country: 'BR', taxId },
      identifier: taxId,
      source: 'receita_federal',
      fields: [{ field: 'size', from: 'small', to: 'large' }],
    } as const;
    const now = Date.now();
    await run.db.knex.transaction((trx) =>
      appendChanges(
        trx,
        Array.from({ length: count }, () => ({
          ...change,
          id: randomUUID(),
          observationId: randomUUID(),
          detectedAt: now,
          observedAt: now,
        })),
      ),
    );
  }

  /** Holds the second page of missed changes back until the strip says how many are left, then waits until the page is live. */
  async function expectChangesLeft(page: Page, open: () => Promise<unknown>): Promise<void> {
    const release = Promise.withResolvers<void>();
    let isOpen = false;
    let answered = 0; // an attempt while the server is away has no answer
    await page.route('**/graphql', async (route) => {
      if (!isOpen || !route.request().postData()?.includes('query ChangesAfter(')) return route.fallback();
      if (answered === 1) await release.promise;
      const response = await route.fetch().catch(() => null);
      if (!response) return route.abort();
      if (response.ok()) answered += 1;
      return route.fulfill({ response });
    });
    isOpen = true;
    await open();
    const strip = page.locator('[data-connection=catching-up]');
    await strip.getByText(/^Catching up \(1[5-9]\d left\)$/).waitFor(START);
    release.resolve();
    await page.locator('[data-connection=live]').waitFor(START);
  }

  it('says how many changes are left while it reads those that it missed while it was closed', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/status`);
    await addChanges(250);
    await expectChangesLeft(page, () => page.goto(`${run.url}/dashboard`));
    await page.getByText(/While you were away: 2[5-9]\d/).waitFor();
  });

  it('says how many changes are left after the server was away', async () => {
    const page = await run.signedIn();
    await page.getByRole('link', { name: 'Sandbox' }).click();
    const change = page.getByRole('button', { name: 'Apply' }).first();
    await expect.poll(() => change.isEnabled(), SOON).toBe(true);
    run.service.child.kill('SIGKILL');
    await run.service.ended;
    await page.locator('[data-connection=offline]').waitFor();
    expect(await change.isEnabled()).toBe(false); // what it missed would pass for the change that is sent
    await addChanges(250);
    await expectChangesLeft(page, () => run.start(new URL(run.url).port));
    await expect.poll(() => change.isEnabled(), SOON).toBe(true);
  });

  it('reads the deliveries every few seconds where no subscription opens', async () => {
    const monitor = await createMonitor(run);
    const page = await run.signedIn();
    await blockSockets(page);
    const subscriptions = await requestsOf(page, 'subscription DeliveryUpdated');
    subscriptions.fail = true;
    await page.goto(`${run.url}/dashboard/deliveries`);
    const endpoint = page.locator(`[data-endpoint=${monitor}]`);
    await endpoint.getByText('Nothing was sent yet.').waitFor();
    await sendTestEvent(run, monitor);
    await endpoint.locator('.deliveries > li', { hasText: 'Test event' }).getByText('Delivered').waitFor();
    expect(subscriptions.sent).toBeGreaterThan(0);
  });
});

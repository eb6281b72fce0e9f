import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

const LOADED = { timeout: 120_000 };

/** Requests of a page that are under way. */
const pending = new WeakMap<Page, Set<Request>>();

/** Follows the requests that a page begins from now on, so that `settled` knows whether one is under way. */
export function countRequests(page: Page): void {
  const underWay = new Set<Request>();
  pending.set(page, underWay);
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql') && request.method() === 'POST') underWay.add(request);
  });
  page.on('requestfinished', (request) => underWay.delete(request)).on('requestfailed', (request) => underWay.delete(request));
}

/** Waits for the second frame from now: a page sends the requests of what it shows after it was drawn. */
const drawn = (page: Page) => page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

/** Waits until a page has read everything and says nowhere that it loads. */
export const settled = (page: Page) =>
  expect
    .poll(async () => {
      await drawn(page);
      return [pending.get(page)?.size ?? 0, await page.getByText(/^(Loading|Cargando|Carregando)…$/).count()];
    }, LOADED)
    .toEqual([0, 0]);

/** Names of buttons that read more for a page without changing anything. */
const READS = /^(Read|Show|Search|Leer|Ler|Mostrar|Ver|Buscar) /;

/** Opens an address, and reads what its page reads on demand. */
export async function look(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('main').first().waitFor(LOADED);
  await settled(page);
  await page
    .locator('main')
    .getByRole('button', { name: READS })
    .evaluateAll((buttons) => {
      for (const button of buttons as unknown as readonly { click(): void }[]) button.click();
    });
  await settled(page);
}

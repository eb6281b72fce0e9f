import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

const LOADED = { timeout: 120_000 };

/** Requests of a page that are not answered yet. */
const pending = new WeakMap<Page, number>();

/** Counts the requests of a page from now on, so that `settled` knows whether one is under way. */
export function countRequests(page: Page): void {
  const add = (number: number) => (request: Request) => {
    if (request.url().endsWith('/graphql') && request.method() === 'POST') pending.set(page, (pending.get(page) ?? 0) + number);
  };
  page.on('request', add(1)).on('requestfinished', add(-1)).on('requestfailed', add(-1));
}

/** Waits until a page has read everything and says nowhere that it loads. */
export const settled = (page: Page) =>
  expect
    .poll(async () => [pending.get(page) ?? 0, await page.getByText(/^(Loading|Cargando|Carregando)…$/).count()], LOADED)
    .toEqual([0, 0]);

/** Names of buttons that read more for a page without changing anything. */
const READS = /^(Read|Show|Leer|Ler|Mostrar|Ver) /;

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

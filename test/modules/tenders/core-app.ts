import { setTimeout as sleep } from 'node:timers/promises';
import type { Copy } from '../../../src/sources/copy.ts';
import { type TestApp, testApp } from '../../support/app.ts';

/** The whole service, once the made-up world is in its copies: the start itself waits for large ones no longer than 30 s. */
export async function tendersApp(): Promise<TestApp> {
  const app = await testApp({ env: { QUIPU_TENDERS_MONTHS: '6' } });
  await Promise.all(app.sources.copies.filter(({ name }) => /^(mercadopublico|pncp|sii)$/.test(name)).map(whole));
  return app;
}

/** Waits until a copy was read whole, by the service itself or by this. */
async function whole(copy: Copy): Promise<void> {
  for (let result = await copy.sync(); !('version' in result); result = await copy.sync()) {
    if (result.outcome === 'refused') throw new Error(`${copy.name} was refused: ${result.reason}`);
    await sleep(200);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Copy } from '../../../src/sources/source.ts';
import { type TestApp, testApp } from '../../support/app.ts';

/** Starts the loadCompletely service and waits until its copies hold the simulated data. The start itself waits at most 30 s for large copies. */
export async function tendersApp(): Promise<TestApp> {
  const app = await testApp({ env: { QUIPU_TENDERS_MONTHS: '6' } });
  await Promise.all(app.sources.copies.filter(({ name }) => /^(mercadopublico|pncp|sii)$/.test(name)).map(loadCompletely));
  return app;
}

/** Waits until a copy is loaded completely, by the service or by this call. */
async function loadCompletely(copy: Copy): Promise<void> {
  for (let result = await copy.sync(); !('version' in result); result = await copy.sync()) {
    if (result.outcome === 'refused') throw new Error(`${copy.name} was refused: ${result.reason}`);
    await sleep(200);
  }
}

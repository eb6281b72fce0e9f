import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../support/app.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';

const HELD = 90;
const OTHERS = 10;

/** Well-formed CNPJs that no registry knows, so that each request is a call. */
const cnpjs = cnpjsFrom(98_000_000, HELD + OTHERS);

it('UP-08 a key with 90 requests at a slow registry takes no answer from another key', async () => {
  const app = await testApp();
  onTestFinished(() => app.close());
  const [noisy, quiet] = [await app.keyFor('kyb'), await app.keyFor('kyb')];
  app.sandbox?.faults.set('receita_federal', { mode: 'slow', ms: 700 });
  const ask = async (cnpj: string | undefined, key: string) => (await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' }, key)).status;

  const held = cnpjs.slice(0, HELD).map((cnpj) => ask(cnpj, noisy));
  await expect.poll(() => app.sandbox?.requestsTo('receita_federal').length, { interval: 10 }).toBe(16);
  const answers = await Promise.all(cnpjs.slice(HELD).map((cnpj) => ask(cnpj, quiet)));

  expect(answers).toEqual(Array(OTHERS).fill(200));
  const ofNoisy = Map.groupBy(await Promise.all(held), (status) => status);
  // 16 calls and 64 waiting places for 100 requests: who has the most waiting gives way.
  expect([ofNoisy.get(200)?.length, ofNoisy.get(503)?.length]).toEqual([16 + 64 - OTHERS, HELD - 16 - 64 + OTHERS]);
});

import { expect, it, onTestFinished } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { appWithFaults } from '../support/app-with-faults.ts';
import { cnpjOf } from '../support/made-up-cnpjs.ts';
import { rounds } from '../support/rounds.ts';

const HANGING = 100;
/** Shorter than the 6 s timeout of the registry. */
const LOAD_MS = 4_000;
const PER_SECOND = 200;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let lastRoot = 0;
/** Asks for a company that nobody asked for before. */
function ask(app: TestApp, path: string) {
  lastRoot += 1;
  return app.post(path, { identifier: cnpjOf(lastRoot), country: 'BR' });
}

/** Sends requests that do not use the registry at a constant rate; returns the ms of each answer. */
async function load(app: TestApp): Promise<readonly number[]> {
  const answers: Promise<number>[] = [];
  const until = performance.now() + LOAD_MS;
  while (performance.now() < until) {
    answers.push(timed(app));
    await pause(1_000 / PER_SECOND);
  }
  return Promise.all(answers);
}

async function timed(app: TestApp): Promise<number> {
  const started = performance.now();
  const { status } = await ask(app, '/v1/labor');
  expect(status).toBe(200);
  return performance.now() - started;
}

const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;

/** The answer times of one service without other load, and during a hundred requests to a hung registry. */
async function round(): Promise<{ readonly alone: readonly number[]; readonly beside: readonly number[] }> {
  const app = await appWithFaults({ receita_federal: 'hung' });
  onTestFinished(() => app.close());
  await load(app); // the first answers of a process are slow and are not measured
  const alone = await load(app);

  let refused = 0;
  const hanging = Array.from({ length: HANGING }, async () => {
    const { status } = await ask(app, '/v1/kyb');
    refused += 1;
    return status;
  });
  await expect.poll(() => app.upstreams.requestsTo('receita_federal').length).toBe(16);
  const beside = await load(app);
  expect(refused).toBe(HANGING - 16 - 64);
  expect(app.upstreams.requestsTo('receita_federal')).toHaveLength(16);
  expect(new Set(await Promise.all(hanging))).toEqual(new Set([503]));
  return { alone, beside };
}

it('UP-08 a hung source does not slow requests to another source beyond three times or 100 ms', async () => {
  const measured: Awaited<ReturnType<typeof round>>[] = [];
  for (let i = 0; i < rounds(5); i += 1) measured.push(await round());
  const alone = p95(measured.flatMap((one) => one.alone));
  const beside = p95(measured.flatMap((one) => one.beside));
  // The promise is 20 %, which is measurable only on an idle machine; a blocked service waits for seconds.
  expect(beside).toBeLessThan(Math.max(3 * alone, 100));
});

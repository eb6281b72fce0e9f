import { createDb } from '../../../src/db/knex.ts';
import { createTenderIndex, type IndexRow } from '../../../src/modules/tenders/store.ts';
import { orderRow, toySlice } from './core-toy.ts';

/**
 * A separate process that replaces a slice and blocks at one point until it is killed.
 * Arguments: database URL, point. It prints `there` when it reaches the point.
 */
const [databaseUrl = '', point = ''] = process.argv.slice(2);

const stand = (): Promise<never> => {
  process.stdout.write('there\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
};

async function* rows(): AsyncGenerator<IndexRow> {
  for (let n = 1; n <= 3_000; n += 1) {
    yield orderRow(`${n}`, { name: 'new' });
    if (point === `row ${n}`) await stand();
  }
}

/** Called inside the transaction that replaces the slice. */
const approve = (): void => {
  if (point !== 'approved') return;
  process.stdout.write('there\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

await createTenderIndex(createDb(databaseUrl), 'mercadopublico', 'sandbox').replace(toySlice('orders/2026-09'), rows(), { approve });
if (point === 'committed') await stand();
process.exit(0);

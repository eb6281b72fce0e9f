import { createDb } from '../../src/db/knex.ts';
import type { ListFile } from '../../src/sources/registry/list-file.ts';
import { toyRegistry, toySpec } from './toy-list.ts';

/**
 * A process of its own that imports the toy list and stops for ever at one point, to be killed there.
 * Arguments: database URL, temp folder, list URL, point. It prints `there` once it stands at the point.
 */
const [databaseUrl = '', tempDir = '', url = '', point = ''] = process.argv.slice(2);

const stand = (): Promise<never> => {
  process.stdout.write('there\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
};

async function* read(file: ListFile) {
  if (point === 'downloaded') await stand();
  const reading = toySpec.read(file);
  let rows = 0;
  for (;;) {
    const step = await reading.next();
    if (step.done) {
      if (point === 'read') await stand();
      return step.value;
    }
    yield step.value;
    rows += 1;
    if (point === `row ${rows}`) await stand();
  }
}

/** The clock is first asked when the edition, read whole, is about to be written down. */
const now = (): number => {
  if (point === 'judged') {
    process.stdout.write('there\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  return Date.now();
};

await toyRegistry({ db: createDb(databaseUrl), tempDir, url, now, spec: { read } }).sync();
if (point === 'committed') await stand();
process.exit(0);

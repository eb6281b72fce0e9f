import { createDb } from '../../src/db/knex.ts';
import type { ListFile } from '../../src/sources/registry/list-file.ts';
import { toyRegistry, toySpec } from './toy-list.ts';

/**
 * Child process that imports the toy list and blocks at one point until it is killed.
 * Arguments: database URL, temp folder, list URL, point. It prints `there` when it reaches the point.
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

/** The import first reads the clock after it has read the whole list, before it stores the version. */
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

import { createDb } from '../../../src/db/knex.ts';
import { siiOn } from './support.ts';

/**
 * A process of its own that imports the registry's files and stops for ever at one point, to be killed there: at the nth report
 * of a step, when the edition is judged, or after it was committed. It prints `there` once it stands at the point.
 * Arguments: database URL, temp folder, address settings as JSON, step, n.
 */
const [databaseUrl = '', tempDir = '', urls = '{}', point = '', nth = '1'] = process.argv.slice(2);

function stand(): void {
  process.stdout.write('there\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

let seen = 0;
function pass(step: string): void {
  if (step !== point) return;
  seen += 1;
  if (seen === Number(nth)) stand();
}

const now = (): number => {
  pass('judged');
  return Date.now();
};
const copy = siiOn({ db: createDb(databaseUrl), tempDir, urls: JSON.parse(urls), now });
await copy.sync({ onProgress: ({ step }) => pass(step) });
pass('committed');
process.exit(0);

import { expect, it } from 'vitest';
import { type Kill, killedImport, uninterruptedImport } from '../sources/receita-copy/killed-imports.ts';
import { copyDb } from '../sources/receita-copy/support.ts';
import { OWN } from '../support/own-numbers.ts';
import { randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';

const db = copyDb();
/** Maximum time between a progress report and the kill. Some kills hit the step of the report, others the steps after it. */
const MAX_DELAY_MS = 40;

it('CG-01 an import that is killed at 20 moments continues, loads no file twice, and has the result of an uninterrupted one', async () => {
  const random = randomOf(20_261_128);
  const kills = rounds(OWN['CG-01'].kills);
  const whole = await uninterruptedImport(db);
  const moments = Array.from(
    { length: kills },
    (_, i): Kill => ({ report: Math.floor((whole.reports * (i + 0.5)) / kills), delayMs: random() * MAX_DELAY_MS }),
  );
  for (const moment of moments) {
    const { content, loadedTwice, datesMeanwhile } = await killedImport(db, moment);
    expect([moment, loadedTwice]).toEqual([moment, []]);
    expect([moment, datesMeanwhile]).toEqual([moment, [whole.earlierDate]]);
    expect([moment, content]).toEqual([moment, whole.content]);
  }
});

import { expect, it } from 'vitest';
import { SECOND_MS } from '../../src/domain/time.ts';
import { changeLog } from '../modules/monitor/support.ts';
import { OWN } from '../support/own-numbers.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { COMPANIES, checking, startSweepers } from './sweepers.ts';

const PROCESSES = 3;
/** All processes but one are killed in each. */
const KILLED_SWEEPS = rounds(OWN['MO-03'].kills / (PROCESSES - 1));

// A takeover waits for leases: one sweep takes a minute and a half.
it(`MO-03 in each of ${KILLED_SWEEPS} sweeps of ${COMPANIES} companies two of three processes are killed during a check: the third one finishes, in a full run within 60 s, skips no company and checks none that another one holds`, {
  timeout: 2_400_000,
}, async () => {
  const { db, state, processes, start, startSweep, areChecked } = await startSweepers(PROCESSES);
  for (let sweep = 0; sweep < KILLED_SWEEPS; sweep += 1) {
    const startedAt = await startSweep();
    const killed = new Set<number>();
    let killedAt = 0;
    while (killed.size < PROCESSES - 1) {
      const after = (COMPANIES / 5) * (killed.size + Math.random());
      await until(() => state.lookups.length > after && checking(state.ofProcess, killed) !== undefined);
      const victim = checking(state.ofProcess, killed) ?? 0;
      processes[victim]?.child.kill('SIGKILL');
      killedAt = performance.now();
      killed.add(victim);
    }
    await until(() => areChecked(startedAt));
    if (isFull) expect(performance.now() - killedAt).toBeLessThanOrEqual(OWN['MO-03'].takeoverSeconds * SECOND_MS);
    expect(new Set(state.lookups).size).toBe(COMPANIES);
    for (const number of killed) processes[number] = await start(number);
  }
  expect(state.mostAtOnce).toBe(1);
  expect(await changeLog(db)).toEqual([]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SECOND_MS } from '../../src/domain/time.ts';
import { changeLog } from '../modules/monitor/support.ts';
import { OWN } from '../support/own-numbers.ts';
import { isQuick, rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { ANSWER_MS, checking, startSweepers } from './sweepers.ts';

/** Longer than the lease of a check, which is 40 s. */
const SUSPENDED_MS = (isQuick ? 60 : OWN['MO-04'].suspendedSeconds) * SECOND_MS;
/** Processes suspended at once: as many as check companies of one country in parallel. */
const SUSPENDED = 3;
const SERVICES = isQuick ? 1 : 2;
const ROUNDS = rounds(OWN['MO-04'].suspensions / (2 * SUSPENDED));

describe(`a process that was suspended for ${SUSPENDED_MS / SECOND_MS} s during a check`, () => {
  it(`MO-04 writes nothing that it read before, ${SERVICES * ROUNDS * SUSPENDED} times`, async () => {
    await Promise.all(Array.from({ length: SERVICES }, suspendProcesses));
  }, 2_400_000);
});

/** Suspends all processes but one, which finishes their checks, and continues them. */
async function suspendProcesses(): Promise<void> {
  const { db, state, processes, rows, startSweep, areChecked } = await startSweepers(SUSPENDED + 1);
  onTestFinished(() => {
    for (const { child } of processes) child.kill('SIGCONT'); // a suspended process would not notice SIGTERM
  });
  for (let round = 1; round <= ROUNDS; round += 1) {
    const startedAt = await startSweep();
    const suspended = new Set<number>();
    while (suspended.size < SUSPENDED) {
      await until(() => checking(state.ofProcess, suspended) !== undefined);
      const number = checking(state.ofProcess, suspended) ?? 0;
      processes[number]?.child.kill('SIGSTOP');
      suspended.add(number);
    }
    const suspendedAt = performance.now();
    await sleep(2 * ANSWER_MS); // the answers that they wait for are sent
    state.activity = `Padaria ${round}`;
    await until(() => areChecked(startedAt));
    await sleep(Math.max(0, suspendedAt + SUSPENDED_MS - performance.now()));
    const before = { rows: await rows(), log: await changeLog(db) };
    for (const number of suspended) processes[number]?.child.kill('SIGCONT');
    await sleep(10 * SECOND_MS);
    expect({ rows: await rows(), log: await changeLog(db) }).toEqual(before);
    expect(before.log.some(({ fields }) => fields[0]?.to === state.activity)).toBe(true);
  }
}

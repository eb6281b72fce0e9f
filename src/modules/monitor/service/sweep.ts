import { enqueue } from '../../../jobs/job.ts';
import { defineService } from '../../../service.ts';
import { tickMs } from '../domain/schedule.ts';
import type { WatchedCountry } from '../domain/watched.ts';
import { bringForward, countDue } from '../store/due.ts';
import { BATCH, type Check, createCheck } from './check.ts';
import { JUDGE_LIST, listNewsService } from './list-news.ts';
import { DELIVER } from './publish.ts';
import { monitorSettings, readMonitorSettings } from './settings.ts';

/** The jobs of the sweep. */
export const TICK = 'monitor.tick';
export const CHECK = 'monitor.check';

/** Looks at what is watched, over and over. */
export interface Sweep {
  /** Puts what is due into the queue, and itself again. @throws when the queue itself fails */
  tick(): Promise<void>;
  readonly check: Check;
}

/** Lines of the queue, so the most jobs that check side by side. */
const LINES = { BR: [0, 1, 2], CL: [3] } as const satisfies Record<WatchedCountry, readonly number[]>;

export const sweepService = defineService<Sweep>({
  name: 'sweep',
  module: 'monitor',
  settings: monitorSettings,
  create(deps) {
    const { db, now, log, open } = deps;
    const { intervalMs } = readMonitorSettings(deps);

    async function look(): Promise<void> {
      await bringForward(db, now(), intervalMs);
      const { companies, lanes } = await countDue(db, now());
      if (lanes) await enqueue(db, DELIVER, {}, { key: DELIVER });
      for (const country of Object.keys(BATCH) as WatchedCountry[]) {
        const batches = Math.ceil(companies[country] / BATCH[country]);
        for (const line of LINES[country].slice(0, batches)) {
          const name = `${CHECK}:${line}`;
          await enqueue(db, CHECK, { country }, { key: name, line: name });
        }
      }
      for (const list of await open(listNewsService).waiting()) {
        await enqueue(db, JUDGE_LIST, { list }, { key: `${JUDGE_LIST}:${list}`, line: JUDGE_LIST });
      }
    }

    return {
      check: createCheck(deps),

      async tick() {
        await look().catch((error: Error) => log.error({ err: error }, 'a look at what is due failed'));
        await enqueue(db, TICK, {}, { key: TICK, runAt: now() + tickMs(intervalMs) });
      },
    };
  },
});

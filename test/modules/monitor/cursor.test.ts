import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atPosition, type Epoch, type LogPosition, requireKept } from '../../../src/modules/monitor/domain/log-position.ts';

/** A change log as a database and its backups have it: what stands at each position, and where its epochs begin. */
interface Log {
  readonly entries: readonly string[];
  readonly epochs: readonly Epoch[];
}

type Step = readonly ['append'] | readonly ['back up'] | readonly ['restore', number];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(['append'] as const) },
  { weight: 2, arbitrary: fc.constant(['back up'] as const) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('restore' as const), fc.nat()) },
);

const headOf = ({ entries, epochs }: Log) => ({ position: entries.length, keptFrom: 1, epochs });

const isRefused = (at: LogPosition, log: Log): boolean => {
  try {
    requireKept(at, headOf(log), ({ position, epoch }) => `${position} ${epoch}`);
    return false;
  } catch {
    return true;
  }
};

describe('a cursor of a change log that is restored again and again', () => {
  it('is accepted only if everything up to it is in the log; the cursor that its error offers is accepted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let log: Log = { entries: [], epochs: [] };
        const backups: Log[] = [log];
        const read: { at: LogPosition; entries: readonly string[] }[] = [];
        let made = 0;
        for (const [action, which = 0] of steps) {
          made += 1;
          if (action === 'append') log = { ...log, entries: [...log.entries, `change ${made}`] };
          else if (action === 'back up') backups.push(log);
          else {
            const { entries, epochs } = backups[which % backups.length] ?? log;
            log = { entries, epochs: [...epochs, { id: `epoch ${made}`, after: entries.length }] };
          }
          read.push({ at: atPosition(log.entries.length, headOf(log)), entries: log.entries });
        }
        for (const { at, entries } of read) {
          const isPrefix = entries.every((entry, i) => log.entries[i] === entry);
          expect(isRefused(at, log)).toBe(!isPrefix);
        }
        const { epochs } = log;
        const offered = atPosition(epochs.at(-1)?.after ?? 0, { epochs });
        expect(isRefused(offered, log)).toBe(false);
      }),
    );
  });

  it('is refused in an epoch that the log does not have, and the oldest stored change is offered', () => {
    const refuse = () =>
      requireKept({ position: 4, epoch: 'lost' }, { position: 9, keptFrom: 3, epochs: [] }, ({ position }) => `#${position}`);
    expect(refuse).toThrow(expect.objectContaining({ code: 'CURSOR_TOO_OLD', facts: { cursor: '#2' } }));
  });
});

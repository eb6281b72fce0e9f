import { describe, expect, it } from 'vitest';
import { createProgress } from '../../src/cli/progress.ts';
import type { SyncProgress } from '../../src/sources/source.ts';

/** A progress on a stream that keeps the written text, with its own clock. */
function stage(isTTY: boolean) {
  let text = '';
  const clock = { ms: 1_000 };
  const stream = {
    isTTY,
    columns: 120,
    write: (chunk: string | Uint8Array) => {
      text += chunk;
      return true;
    },
  };
  const { report, stop } = createProgress(stream, () => clock.ms);
  return {
    stop,
    text: () => text,
    later(ms: number, progress: Partial<SyncProgress>) {
      clock.ms += ms;
      report({ step: 'empresas.txt', rows: 0, share: null, ...progress });
    },
  };
}

describe('progress', () => {
  it('is written as plain lines for each step and at intervals when the stream is no terminal', () => {
    const { later, stop, text } = stage(false);
    later(0, {});
    later(2_000, { rows: 200_000, share: 0.1 });
    later(3_000, { rows: 500_000, share: 0.25 });
    later(1_000, { rows: 600_000, share: 0.3 });
    later(14_000, { rows: 2_000_000, share: 1 });
    later(0, { rows: 2_000_000, share: 1 });
    later(0, { step: 'merge' });
    stop();
    expect(text().split('\n')).toEqual([
      'empresas.txt: …',
      'empresas.txt: 500,000 rows, 100,000 rows/s, 25 %, 15 s left',
      'empresas.txt: 2,000,000 rows, 100,000 rows/s, 100 %',
      'merge: …',
      '',
    ]);
  });

  it('counts rate and remaining time of a continued step from where it continues', () => {
    const { later, text } = stage(false);
    later(0, { rows: 400_000, share: 0.5 });
    later(5_000, { rows: 500_000, share: 0.625 });
    expect(text().split('\n')[1]).toBe('empresas.txt: 500,000 rows, 20,000 rows/s, 62 %, 15 s left');
  });

  it('has no rate in a report without elapsed time', () => {
    const { later, text } = stage(false);
    later(0, { rows: 40, share: 0.5 });
    expect(text()).toBe('empresas.txt: 40 rows, 50 %\n');
  });

  it('is written as a bar with rows, rate and remaining time on a terminal', () => {
    const { later, stop, text } = stage(true);
    later(0, {});
    later(4_000, { rows: 400_000, share: 0.5 });
    later(0, { step: 'merge' });
    stop();
    expect(text()).toContain('empresas.txt |');
    expect(text()).toContain('400,000 rows, 100,000 rows/s, 50 %, 4 s left');
    expect(text()).toContain('merge |');
  });

  it('writes nothing when nothing was reported', () => {
    const { stop, text } = stage(true);
    stop();
    expect(text()).toBe('');
  });
});

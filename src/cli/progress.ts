import { Presets, SingleBar } from 'cli-progress';
import { SECOND_MS } from '../domain/time.ts';
import type { SyncProgress } from '../sources/source.ts';

/** Shows the progress of a long sync. */
export interface ProgressReporter {
  /** Callback for the option `onProgress` of `sync`. */
  readonly report: (progress: SyncProgress) => void;
  /** Ends the last line. */
  stop(): void;
}

/** The stream for progress: stderr, which may be a terminal. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean };

/** Time between plain lines. */
const LINE_EVERY_MS = 5 * SECOND_MS;
const FORMAT = '{step} |{bar}| {facts}';
const SCALE = 1_000;

/**
 * Creates a reporter that shows a bar on a terminal, and elsewhere plain lines: one for each step and one every 5 s. Each shows rows,
 * rows/s and the time left.
 */
export const createProgress = (stream: ProgressStream, now = performance.now.bind(performance)): ProgressReporter =>
  stream.isTTY ? bars(stream as NodeJS.WriteStream, now) : lines(stream, now);

function bars(stream: NodeJS.WriteStream, now: () => number): ProgressReporter {
  let bar: SingleBar | null = null;
  let pace = paceOf({ step: '', rows: 0, share: null }, now);
  return {
    report(progress) {
      if (progress.step !== pace.step || !bar) {
        bar?.stop();
        pace = paceOf(progress, now);
        bar = new SingleBar({ stream, format: FORMAT, hideCursor: true, linewrap: false, fps: 5 }, Presets.shades_classic);
        bar.start(SCALE, 0, { step: progress.step, facts: '' });
      }
      bar.update(Math.floor((progress.share ?? 0) * SCALE), { step: progress.step, facts: pace.facts(progress) });
    },
    stop: () => bar?.stop(),
  };
}

function lines(stream: ProgressStream, now: () => number): ProgressReporter {
  let pace = paceOf({ step: '', rows: 0, share: null }, now);
  let saidAt = Number.NEGATIVE_INFINITY;
  let last = '';
  const say = (text: string): void => {
    saidAt = now();
    if (text !== last) stream.write(`${text}\n`);
    last = text;
  };
  return {
    report(progress) {
      const isNew = progress.step !== pace.step;
      if (isNew) pace = paceOf(progress, now);
      if (isNew || progress.share === 1 || now() - saidAt >= LINE_EVERY_MS) say(`${progress.step}: ${pace.facts(progress) || '…'}`);
    },
    stop: () => undefined,
  };
}

/** Time in s before which a rate is too inexact to be shown. */
const MIN_SECONDS = 0.5;

/** Measures the rate of a step since its first report, because a continued step may begin with rows. */
function paceOf({ step, rows: rowsBefore, share: shareBefore }: SyncProgress, now: () => number) {
  const startedAt = now();
  return {
    step,
    /** Returns text such as `350,000 rows, 120,000 rows/s, 35 %, 5 s left`; empty while nothing is known. */
    facts({ rows, share }: SyncProgress): string {
      const seconds = (now() - startedAt) / SECOND_MS;
      const facts: string[] = [];
      if (rows > 0) facts.push(`${whole(rows)} rows`);
      if (rows > rowsBefore && seconds >= MIN_SECONDS) facts.push(`${whole((rows - rowsBefore) / seconds)} rows/s`);
      if (share !== null) facts.push(`${Math.floor(share * 100)} %`);
      const gained = (share ?? 0) - (shareBefore ?? 0);
      if (share !== null && gained > 0 && share < 1 && seconds >= MIN_SECONDS)
        facts.push(`${whole(Math.ceil((seconds * (1 - share)) / gained))} s left`);
      return facts.join(', ');
    },
  };
}

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');

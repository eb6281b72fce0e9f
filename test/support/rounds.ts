import { needs } from './needs.ts';

const SHARE = Number(process.env.QUIPU_LONG_SHARE ?? 1);

/** Number of rounds of a long test, scaled by QUIPU_LONG_SHARE (0–1, default 1); at least one. */
export const rounds = (full: number): number => Math.max(1, Math.round(full * SHARE));

/** A number of a test that is not long: of the promise in a full run (QUIPU_LONG_SHARE=1 is set), a smaller one else. */
export const inFullRun = (full: number, usual: number): number => (process.env.QUIPU_LONG_SHARE === '1' ? full : usual);

/** True below a share of 0.1. Tests that take minutes whatever their rounds are skipped then. */
export const isQuick = SHARE < 0.1;

/** True for all rounds. Tests of load assert rates and times then only: a machine that runs a share does other work meanwhile. */
export const isFull = SHARE >= 1;

/** Options of a test that takes minutes whatever its rounds. */
export const needsMinutes = needs(!isQuick, 'it takes minutes, and QUIPU_LONG_SHARE is below 0.1');

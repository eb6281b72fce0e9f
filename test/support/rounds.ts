import { needs } from './needs.ts';

const SHARE = Number(process.env.QUIPU_LONG_SHARE ?? 1);

/** Returns the number of rounds of a long test, scaled by QUIPU_LONG_SHARE (0–1, default 1); at least one. */
export const rounds = (full: number): number => Math.max(1, Math.round(full * SHARE));

/** Returns a number for a test that is not long: that of the promise in a full run (QUIPU_LONG_SHARE=1 is set), else a smaller one. */
export const inFullRun = (full: number, usual: number): number => (process.env.QUIPU_LONG_SHARE === '1' ? full : usual);

/** True below a share of 0.1. Tests that take minutes whatever their rounds are skipped then. */
export const isQuick = SHARE < 0.1;

/** True for all rounds. Only then tests of load assert rates and times, because a machine that runs a share does other work meanwhile. */
export const isFull = SHARE >= 1;

/** Options of a test that takes minutes whatever its rounds. */
export const needsMinutes = needs(!isQuick, 'it takes minutes, and QUIPU_LONG_SHARE is below 0.1');

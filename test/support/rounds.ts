/** Number of rounds of a long test, scaled by QUIPU_LONG_SHARE (0–1, default 1); at least one. */
export const rounds = (full: number): number => Math.max(1, Math.round(full * Number(process.env.QUIPU_LONG_SHARE ?? 1)));

/** True below a share of 0.1. Tests that take minutes whatever their rounds are skipped then. */
export const isQuick = Number(process.env.QUIPU_LONG_SHARE ?? 1) < 0.1;

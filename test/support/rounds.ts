/** Rounds of a long test, scaled by QUIPU_LONG_SHARE (0–1, default 1); at least one. */
export const rounds = (full: number): number => Math.max(1, Math.round(full * Number(process.env.QUIPU_LONG_SHARE ?? 1)));

/** For tests that take their minutes whatever the rounds: true where the share asks for quick ones only. */
export const isQuick = Number(process.env.QUIPU_LONG_SHARE ?? 1) < 0.1;

/** The result of one check. `off`: not in use, or not known because of a problem above it. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'off';
  readonly found: string;
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });
export const off = (check: string, found: string): Finding => ({ check, state: 'off', found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({ check, state: 'warning', found, advice });
export const problem = (check: string, found: string, advice: string): Finding => ({ check, state: 'problem', found, advice });

/** The result of one check. `off` means that it is not in use, or not known because of an earlier problem. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'off';
  readonly found: string;
  /** Advice on the problem; null if there is nothing to do. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });
export const off = (check: string, found: string): Finding => ({ check, state: 'off', found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({ check, state: 'warning', found, advice });
export const problem = (check: string, found: string, advice: string): Finding => ({ check, state: 'problem', found, advice });

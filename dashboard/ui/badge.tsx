import type { ReactNode } from 'react';
import type { RiskLevel } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';

export type Tone = 'high' | 'medium' | 'low' | 'none';

/** One shape a tone, so that no state is shown by colour alone. */
const SHAPES: Readonly<Record<Tone, ReactNode>> = {
  high: <path d="M6 1 11.5 11h-11z" />,
  medium: <path d="M6 .6 11.4 6 6 11.4.6 6z" />,
  low: <circle cx="6" cy="6" r="5" />,
  none: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" />,
};

export function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg width="11" height="11" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`badge ${tone}`}>
      <Shape tone={tone} />
      {children}
    </span>
  );
}

export const toneOf = (level: RiskLevel | null): Tone =>
  level === null ? 'none' : ({ HIGH: 'high', MEDIUM: 'medium', LOW: 'low' } as const)[level];

/** A risk level; null for a company that was not assessed. */
export function RiskBadge({ level }: { readonly level: RiskLevel | null }) {
  const texts = useTexts();
  return <Badge tone={toneOf(level)}>{texts(`risk.${level ?? 'NONE'}`)}</Badge>;
}

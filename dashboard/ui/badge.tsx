import type { ReactNode } from 'react';
import type { Completeness, RiskLevel } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';

export type Tone = 'high' | 'medium' | 'low' | 'none';

/** Shapes by tone, so that no state is shown by colour alone. */
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

/** A name in the colour and with the shape of a tone. Unlike a badge, it may be long: it breaks into lines. */
export function Flag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <strong className={`flag ${tone}`}>
      <Shape tone={tone} /> {children}
    </strong>
  );
}

/** Returns the tone of a level. A low level that lacks a source has none. */
export const toneOf = ({ riskLevel, completeness }: Level): Tone =>
  riskLevel === 'LOW' && completeness !== 'COMPLETE' ? 'none' : ({ HIGH: 'high', MEDIUM: 'medium', LOW: 'low' } as const)[riskLevel];

interface Level {
  readonly riskLevel: RiskLevel;
  readonly completeness: Completeness;
}

/** A risk level, with its completeness if a source is missing; null for a company that was not assessed. */
export function RiskBadge({ verdict }: { readonly verdict: Level | null }) {
  const texts = useTexts();
  if (!verdict) return <Badge tone="none">{texts('risk.NONE')}</Badge>;
  const { riskLevel, completeness } = verdict;
  return (
    <Badge tone={toneOf(verdict)}>
      {texts(`risk.${riskLevel}`)}
      {completeness !== 'COMPLETE' && `, ${texts(`completeness.${completeness}`)}`}
    </Badge>
  );
}

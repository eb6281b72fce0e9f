import type { ReactNode } from 'react';
import { stepProps } from './step.ts';

interface Props {
  /** False at the end of what it moves through. */
  readonly isPossible: boolean;
  readonly onStep: () => void;
  readonly children: ReactNode;
}

/**
 * A button that moves through something with ends, such as the pages of a list. At an end it says that it does nothing and keeps the focus,
 * which a disabled button loses.
 */
export function StepButton({ isPossible, onStep, children }: Props) {
  return (
    <button type="button" {...stepProps(isPossible, onStep)}>
      {children}
    </button>
  );
}

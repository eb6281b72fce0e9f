import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { plainKey } from '../../ui/keys.ts';

interface Props {
  readonly children: ReactNode;
}

/** A list of candidates or of decisions about them. The keys up and down, or k and j, move through it. */
export function CandidateList({ children }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[plainKey(event) ?? ''];
    if (step === undefined || event.target instanceof HTMLInputElement) return;
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[data-candidate]') ?? [])];
    const at = all.findIndex((one) => one.contains(event.target as Node));
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
    event.preventDefault();
  };
  return (
    <ul className="deliveries" ref={list} onKeyDown={onKeyDown}>
      {children}
    </ul>
  );
}

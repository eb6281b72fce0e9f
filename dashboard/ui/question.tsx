import { useState } from 'react';
import { useTexts } from '../texts/texts.ts';

interface Props {
  /** A sentence that says what the action does. */
  readonly text: string;
  /** The button that does it. */
  readonly yes: string;
  readonly isBusy: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Gives an element the focus when it is shown. */
const takeFocus = (element: HTMLElement | null): void => element?.focus();

/**
 * Asks before an action that cannot be taken back. *No* has the focus at first; it, and Escape, return the focus to the button that asked.
 */
export function Question({ text, yes, isBusy, onYes, onNo }: Props) {
  const texts = useTexts();
  const [asker] = useState(() => document.activeElement);
  const refuse = (): void => {
    onNo();
    if (asker instanceof HTMLElement) asker.focus();
  };
  return (
    <fieldset className="notice row spread" aria-label={text} onKeyDown={({ key }) => key === 'Escape' && refuse()}>
      <span>{text}</span>
      <span className="row">
        <button type="button" className="primary" disabled={isBusy} onClick={onYes}>
          {yes}
        </button>
        <button ref={takeFocus} type="button" disabled={isBusy} onClick={refuse}>
          {texts('ask.no')}
        </button>
      </span>
    </fieldset>
  );
}

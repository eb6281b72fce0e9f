import { type FormEvent, useEffect, useRef } from 'react';
import { useTexts } from '../../texts/texts.ts';

/** The decision for which the person is asked for a reason. */
export type Asked = 'dismiss' | 'confirm';

interface Props {
  readonly asked: Asked;
  readonly isBusy: boolean;
  readonly onSubmit: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks for the reason for which the party is another one, or the company. */
export function ReasonForm({ asked, isBusy, onSubmit, onCancel }: Props) {
  const texts = useTexts();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const reason = field.current?.value.trim() ?? '';
    if (reason !== '') onSubmit(reason);
  };
  const label = texts(`candidates.why.${asked}`);
  return (
    <form className="row" onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && onCancel()}>
      <input ref={field} required maxLength={1_000} aria-label={label} placeholder={label} />
      <button type="submit" className="primary" disabled={isBusy}>
        {texts(`candidates.${asked}`)}
      </button>
      <button type="button" className="plain" onClick={onCancel}>
        {texts('candidates.cancel')}
      </button>
    </form>
  );
}

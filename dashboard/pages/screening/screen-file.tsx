import { type FormEvent, useRef, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { MAX_FILE_BYTES, screenFile } from '../../state/screening-files.ts';
import { useWork } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';
import { open, screeningPath } from '../../ui/route.ts';
import { useIsShown } from '../../ui/use-is-shown.ts';

/** Starts the screening of a CSV file, and opens its page unless a person has left this one meanwhile. */
export function ScreenFile({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const { isBusy, problem, act } = useWork();
  const [missing, setMissing] = useState<'screened.noFile' | 'screened.tooLarge' | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const isShown = useIsShown();
  const screen = async (file: File): Promise<void> => {
    const id = await screenFile(client, file);
    if (isShown()) open(screeningPath(id));
  };
  const start = (event: FormEvent): void => {
    event.preventDefault();
    const file = input.current?.files?.[0];
    const isTooLarge = (file?.size ?? 0) > MAX_FILE_BYTES;
    setMissing(file ? (isTooLarge ? 'screened.tooLarge' : null) : 'screened.noFile');
    if (file && !isTooLarge) void act(() => screen(file));
  };
  const message = missing ? texts(missing) : problem && problemText(problem, texts);
  return (
    <form className="panel body column" onSubmit={start}>
      <label htmlFor="screened-file">{texts('screened.file')}</label>
      <div className="row">
        <input ref={input} id="screened-file" type="file" accept=".csv,.txt,text/csv" disabled={isBusy} />
        <button type="submit" className="primary" disabled={isBusy}>
          {texts('screened.start')}
        </button>
      </div>
      <p className="quiet small">{texts('screened.kept')}</p>
      {message && (
        <p className="notice" role="alert">
          {message}
        </p>
      )}
    </form>
  );
}

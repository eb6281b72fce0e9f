import { useRef, useState } from 'react';
import { QuipuError } from '../../../clients/typescript/src/error.ts';
import { requireNoError } from '../../api/client.ts';
import { StartScreening } from '../../api/operations.ts';
import { type CsvCell, readCsv } from '../../state/csv.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { type Given, MAX_PASTED, type PastedRow, readPasted, screenedIds, splitPasted, watchRows } from '../../state/paste.ts';
import { useMay } from '../../state/role.ts';
import { decoded } from '../../state/screening-files.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { momentText } from '../../ui/date.ts';
import { problemText } from '../../ui/problem.ts';
import { FileField } from './file-field.tsx';
import { PastedTable } from './pasted-table.tsx';

/** Maximum size of a file: 5,000 rows of a hundred columns. */
const MAX_FILE_BYTES = 5_000_000;

interface Props {
  readonly dashboard: Dashboard;
  /** Called when a screening was started. */
  readonly onScreened: () => void;
}

/**
 * Adds companies by their tax ids, pasted or in a CSV file. Each one is read and shown first; then one click watches them, or checks them
 * once in the background.
 */
export function ImportCompanies({ dashboard, onScreened }: Props) {
  const texts = useTexts();
  const [rows, setRows] = useState<readonly PastedRow[]>([]);
  const [file, setFile] = useState<File | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const account = useStore(dashboard.store, (state) => state.account);
  const mayWatch = useMay('DECIDE');
  const ready = rows.filter(({ state }) => state === 'ready');
  const identifiers = screenedIds(rows);

  async function act(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof QuipuError)) throw error;
      setProblem(problemText(error, texts));
    } finally {
      setBusy(false);
    }
  }

  async function checkAll(given: readonly Given[]): Promise<void> {
    if (given.length > MAX_PASTED) setProblem(texts('portfolio.tooMany', { n: given.length, most: MAX_PASTED }));
    else if (given.length > 0) setRows(await readPasted(dashboard, given));
    else setProblem(texts('portfolio.nothing'));
  }

  /** Checks the pasted tax ids and those of the chosen file. Earlier results are not shown beside a problem. */
  const check = (chosen: File | null): Promise<void> =>
    act(async () => {
      setDone(0);
      setRows([]);
      const pasted = splitPasted(field.current?.value ?? '').map((given) => ({ given, line: null, country: null }));
      if (chosen && chosen.size > MAX_FILE_BYTES) return setProblem(texts('portfolio.tooLarge'));
      const cells = chosen ? await cellsOf(chosen) : [];
      if (cells === null) return setProblem(texts('portfolio.unreadable', { name: chosen?.name ?? '' }));
      await checkAll([...pasted, ...cells.map(({ line, text, country }) => ({ given: text, line, country }))]);
    });

  function choose(chosen: File | null): void {
    setFile(chosen);
    if (chosen) void check(chosen);
  }

  const watch = (): Promise<void> =>
    act(async () => {
      await watchRows(dashboard.client, ready);
      setDone(ready.length);
      setRows([]);
      await dashboard.portfolio.load();
    });

  const screen = (): Promise<void> =>
    act(async () => {
      requireNoError(await dashboard.client.ask(StartScreening, { identifiers, name: momentText(Date.now(), texts.language) }));
      onScreened();
    });

  return (
    <>
      <form
        className="panel body column"
        aria-labelledby="import-title"
        onSubmit={(event) => {
          event.preventDefault();
          void check(file);
        }}
      >
        <h2 id="import-title">{texts('import.title')}</h2>
        <p className="quiet small">{texts('portfolio.hint')}</p>
        <label htmlFor="pasted">{texts('portfolio.label')}</label>
        <textarea id="pasted" ref={field} rows={6} spellCheck={false} />
        <FileField file={file} isBusy={isBusy} onChoose={choose} />
        <div className="row">
          <button type="submit" disabled={isBusy}>
            {texts('portfolio.check')}
          </button>
        </div>
        <p role="status" className={done > 0 ? undefined : 'hidden'}>
          {done > 0 && texts('portfolio.done', { n: done })}
        </p>
        {problem && (
          <p className="notice" role="alert">
            {problem}
          </p>
        )}
      </form>
      {rows.length > 0 && (
        <PastedTable rows={rows}>
          {ready.length > 0 && mayWatch && (
            <button type="button" className="primary" disabled={isBusy} onClick={() => void watch()}>
              {texts('portfolio.watch', { n: ready.length })}
            </button>
          )}
          {identifiers.length > 0 && mayWatch && account?.modules.includes('SCREENING') && (
            <button type="button" disabled={isBusy} onClick={() => void screen()}>
              {texts('screening.start', { n: identifiers.length })}
            </button>
          )}
        </PastedTable>
      )}
    </>
  );
}

/** Reads the cells of a file with tax ids; null for a file that cannot be read, or is not CSV. */
const cellsOf = (file: File): Promise<readonly CsvCell[] | null> =>
  file
    .arrayBuffer()
    .then((bytes) => readCsv(decoded(bytes)))
    .catch(() => null);

import { type DragEvent, useRef, useState } from 'react';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type CsvCell, readCsv } from '../state/csv.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { type Given, MAX_PASTED, type PastedRow, readPasted, splitPasted, watchRows } from '../state/paste.ts';
import { useMay } from '../state/role.ts';
import { useStore } from '../state/store.ts';
import { type Texts, useTexts } from '../texts/texts.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { problemText } from '../ui/problem.ts';
import { Screenings } from './screenings.tsx';

/** Maximum size of a file: 5,000 rows of a hundred columns. */
const MAX_FILE_BYTES = 5_000_000;
const TONES: Readonly<Record<PastedRow['state'], Tone>> = {
  ready: 'low',
  already: 'none',
  repeated: 'none',
  unsupported: 'medium',
  wrong: 'high',
};

/**
 * Adds companies by their tax ids, pasted or in a CSV file. Each one is read and shown before it is watched, or checked once in the
 * background.
 */
export function PortfolioPage({ dashboard }: { readonly dashboard: Dashboard }) {
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
  const identifiers = rows.flatMap(({ company, state }) => (company && state !== 'repeated' ? [company.identifier] : []));

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

  return (
    <>
      <header>
        <h1>{texts('nav.portfolio')}</h1>
        <p className="quiet">{texts('portfolio.hint')}</p>
      </header>
      <form
        className="panel body column"
        onSubmit={(event) => {
          event.preventDefault();
          void check(file);
        }}
      >
        <label htmlFor="pasted">{texts('portfolio.label')}</label>
        <textarea id="pasted" ref={field} rows={6} spellCheck={false} />
        <FileField file={file} isBusy={isBusy} onChoose={choose} />
        <div className="row">
          <button type="submit" disabled={isBusy}>
            {texts('portfolio.check')}
          </button>
          {ready.length > 0 && mayWatch && (
            <button type="button" className="primary" disabled={isBusy} onClick={() => void watch()}>
              {texts('portfolio.watch', { n: ready.length })}
            </button>
          )}
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
      {rows.length > 0 && <PastedTable rows={rows} />}
      {account?.modules.includes('SCREENING') && <Screenings client={dashboard.client} identifiers={identifiers} />}
    </>
  );
}

/** Reads the cells of a file with tax ids; null for a file that cannot be read, or is not CSV. */
const cellsOf = (file: File): Promise<readonly CsvCell[] | null> =>
  file
    .text()
    .then(readCsv)
    .catch(() => null);

interface FileProps {
  readonly file: File | null;
  readonly isBusy: boolean;
  readonly onChoose: (file: File | null) => void;
}

/** Field for a CSV file, which also accepts a dropped file. It shows the chosen file until it is removed. */
function FileField({ file, isBusy, onChoose }: FileProps) {
  const texts = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer;
    if (isBusy || !input.current || files.length === 0) return;
    input.current.files = files;
    onChoose(files[0] ?? null);
  };
  const remove = (): void => {
    if (input.current) input.current.value = '';
    onChoose(null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field in it does the same by keyboard
    <div
      className={`drop column${isOver ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label htmlFor="file">{texts('portfolio.file')}</label>
      <div className="row">
        <input
          ref={input}
          id="file"
          type="file"
          accept=".csv,.txt,text/csv"
          disabled={isBusy}
          onChange={({ target }) => onChoose(target.files?.[0] ?? null)}
        />
        {file && (
          <button type="button" className="plain" disabled={isBusy} onClick={remove}>
            {texts('portfolio.remove')}
          </button>
        )}
      </div>
      <p className="quiet small">{texts('portfolio.drop')}</p>
    </div>
  );
}

/** Maximum number of wrong rows that the summary names. */
const MAX_NAMED = 50;

/** Returns the reason for which a row is wrong: the sentence of the API, or that the service does not support its country. */
const reasonOf = ({ message, country }: PastedRow, texts: Texts): string =>
  message ?? (country === null ? texts('record.WRONG') : texts('portfolio.noCountry', { country }));

/** Shows the numbers of valid, wrong and repeated rows, and the wrong rows with their reasons. */
function Summary({ rows }: { readonly rows: readonly PastedRow[] }) {
  const texts = useTexts();
  const wrong = rows.filter(({ state }) => state === 'wrong');
  const repeated = rows.filter(({ state }) => state === 'repeated').length;
  return (
    <header>
      <p role="status">
        <strong>
          {[
            texts('portfolio.valid', { n: rows.length - wrong.length - repeated }),
            texts('portfolio.wrong', { n: wrong.length }),
            texts('portfolio.repeats', { n: repeated }),
          ].join(', ')}
        </strong>
      </p>
      <ul className="records small">
        {wrong.slice(0, MAX_NAMED).map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are those of one paste, in its order
          <li key={at}>
            {row.line !== null && `${texts('portfolio.line', { n: row.line })} `}
            {row.given}
            {`: ${reasonOf(row, texts)}`}
          </li>
        ))}
      </ul>
      {wrong.length > MAX_NAMED && <p className="quiet small">{texts('portfolio.moreWrong', { n: wrong.length - MAX_NAMED })}</p>}
    </header>
  );
}

function PastedTable({ rows }: { readonly rows: readonly PastedRow[] }) {
  const texts = useTexts();
  return (
    <section className="panel" aria-label={texts('portfolio.result')}>
      <Summary rows={rows} />
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{texts('portfolio.given')}</th>
            <th scope="col">{texts('portfolio.result')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are those of one paste, in its order
            <tr key={at} data-state={row.state}>
              <td>
                {row.line !== null && <span className="quiet small">{texts('portfolio.line', { n: row.line })} </span>}
                {row.given}
                <div className="quiet small">{row.company && `${row.company.country} ${row.company.formattedIdentifier}`}</div>
              </td>
              <td>
                <Badge tone={TONES[row.state]}>{row.state === 'wrong' ? texts('record.WRONG') : texts(`portfolio.${row.state}`)}</Badge>
                {row.state === 'wrong' && <div className="small">{reasonOf(row, texts)}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

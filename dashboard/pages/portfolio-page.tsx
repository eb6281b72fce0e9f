import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { readCsv } from '../state/csv.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { MAX_PASTED, type PastedRow, readPasted, splitPasted, watchRows } from '../state/paste.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { problemText } from '../ui/problem.ts';
import { Screenings } from './screenings.tsx';

/** 5,000 rows of a hundred columns. */
const MAX_FILE_BYTES = 5_000_000;
const TONES: Readonly<Record<PastedRow['state'], Tone>> = {
  ready: 'low',
  already: 'none',
  repeated: 'none',
  unsupported: 'medium',
  wrong: 'high',
};

/** Adds companies by their tax ids, pasted or in a CSV file: each is read and shown before anything is watched, or checked once in the background. */
export function PortfolioPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const [rows, setRows] = useState<readonly PastedRow[]>([]);
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const account = useStore(dashboard.store, (state) => state.account);
  const ready = rows.filter(({ state }) => state === 'ready');
  const identifiers = rows.flatMap(({ company, state }) => (company && state !== 'repeated' ? [company.identifier] : []));

  async function act(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(problemText(error, texts));
    } finally {
      setBusy(false);
    }
  }

  function checkAll(given: readonly Pick<PastedRow, 'given' | 'line'>[]): void {
    setDone(0);
    if (given.length > MAX_PASTED) setProblem(texts('portfolio.tooMany', { n: given.length, most: MAX_PASTED }));
    else if (given.length > 0) void act(async () => setRows(await readPasted(dashboard, given)));
    else setProblem(texts('portfolio.nothing'));
  }

  const check = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const pasted = splitPasted(String(new FormData(event.currentTarget).get('pasted')));
    checkAll(pasted.map((given) => ({ given, line: null })));
  };

  async function checkFile(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > MAX_FILE_BYTES) return setProblem(texts('portfolio.tooLarge'));
    checkAll(readCsv(await file.text()).map(({ line, text }) => ({ given: text, line })));
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
      <form className="panel body column" onSubmit={check}>
        <label htmlFor="pasted">{texts('portfolio.label')}</label>
        <textarea id="pasted" name="pasted" rows={6} spellCheck={false} />
        <label htmlFor="file">{texts('portfolio.file')}</label>
        <input
          id="file"
          type="file"
          accept=".csv,.txt,text/csv"
          disabled={isBusy}
          onChange={({ target }) => {
            void checkFile(target.files?.[0]);
            target.value = '';
          }}
        />
        <div className="row">
          <button type="submit" disabled={isBusy}>
            {texts('portfolio.check')}
          </button>
          {ready.length > 0 && (
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

function PastedTable({ rows }: { readonly rows: readonly PastedRow[] }) {
  const texts = useTexts();
  return (
    <section className="panel">
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
                {row.message && <div className="small">{row.message}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

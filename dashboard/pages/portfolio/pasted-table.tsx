import { type ReactNode, useState } from 'react';
import type { PastedRow } from '../../state/paste.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { SaveCsv } from '../delimiter-choice.tsx';
import { Pages } from './pages.tsx';
import { reasonOf, wrongLinesCsv } from './wrong-lines-csv.ts';

/** Maximum number of wrong rows that the summary names. */
const MAX_NAMED = 50;
/** Number of rows of a page. */
const PAGE_ROWS = 100;

const TONES: Readonly<Record<PastedRow['state'], Tone>> = {
  ready: 'low',
  already: 'none',
  repeated: 'none',
  unsupported: 'medium',
  wrong: 'high',
};

interface Props {
  readonly rows: readonly PastedRow[];
  /** Buttons of the next steps. */
  readonly children: ReactNode;
}

/** The result for each pasted row, in pages, below the numbers and the next steps. */
export function PastedTable({ rows, children }: Props) {
  const texts = useTexts();
  const [page, setPage] = useState(1);
  return (
    <section className="panel" aria-label={texts('portfolio.result')}>
      <Summary rows={rows}>{children}</Summary>
      <table className="list as-cards">
        <thead>
          <tr>
            <th scope="col">{texts('portfolio.given')}</th>
            <th scope="col">{texts('portfolio.result')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are those of one paste, in its order
            <tr key={at} data-state={row.state}>
              <td>
                {row.line !== null && <span className="quiet small">{texts('portfolio.line', { n: row.line })} </span>}
                {row.given}
                <div className="quiet small">
                  {row.company && `${texts(`country.${row.company.country}`)} ${row.company.formattedIdentifier}`}
                </div>
              </td>
              <td data-label={texts('portfolio.result')}>
                <Badge tone={TONES[row.state]}>{row.state === 'wrong' ? texts('record.WRONG') : texts(`portfolio.${row.state}`)}</Badge>
                {row.state === 'wrong' && <div className="small">{reasonOf(row, texts)}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pages label={texts('portfolio.result')} page={page} size={PAGE_ROWS} total={rows.length} onOpen={setPage} />
    </section>
  );
}

/** Shows the numbers of valid, wrong and repeated rows, and the wrong rows with their reasons. */
function Summary({ rows, children }: Props) {
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
      <div className="row">
        {children}
        {wrong.length > 0 && (
          <SaveCsv
            text={texts('import.saveWrong', { n: wrong.length })}
            name={texts('file.wrongLines')}
            csv={(delimiter) => wrongLinesCsv(wrong, texts, delimiter)}
          />
        )}
      </div>
    </header>
  );
}

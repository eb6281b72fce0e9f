import { useState } from 'react';
import { moduleNameIn } from '../../../src/messages/module-names.ts';
import { type ScreeningResult, ScreeningResults } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { ownText, RESULT_FILTERS, type ResultFilter, reasonCodes } from '../../state/screening-results.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { isTextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { Badge, RiskBadge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';
import { useCursors } from '../../ui/use-cursors.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { NoRows } from './no-rows.tsx';
import { Pager } from './pager.tsx';
import { WatchResults } from './watch-results.tsx';

interface Props {
  readonly dashboard: Dashboard;
  /** Id of the screening. */
  readonly id: string;
  readonly filter: ResultFilter;
  /** Number of results that the filter selects. */
  readonly count: number;
  /** When the page of results is read again. */
  readonly refresh: { readonly everyMs?: number; readonly version?: string };
}

/** The results that a filter selects, by pages. Their companies can be opened, and watched: the chosen ones, or all. */
export function ResultList({ dashboard, id, filter, count, refresh }: Props) {
  const texts = useTexts();
  const cursors = useCursors();
  const [chosen, setChosen] = useState<ReadonlyMap<number, ScreeningResult>>(new Map());
  const shown = useAnswer(dashboard.client, ScreeningResults, { id, after: cursors.after, ...RESULT_FILTERS[filter] }, refresh);
  const page = shown.answer?.data?.screening?.results;
  const choose = (result: ScreeningResult, isChosen: boolean): void => {
    const next = new Map(chosen);
    if (isChosen) next.set(result.row, result);
    else next.delete(result.row);
    setChosen(next);
  };
  return (
    <>
      <WatchResults
        dashboard={dashboard}
        id={id}
        filter={filter}
        count={count}
        chosen={[...chosen.values()].map(({ company }) => company)}
        onDone={() => setChosen(new Map())}
      />
      <AnswerNotice shown={shown} />
      {shown.isCurrent && page?.nodes.length === 0 && <NoRows cursors={cursors} none={texts('screened.noResults')} />}
      <ul className="results">
        {page?.nodes.map((result) => (
          <ResultRow key={result.row} result={result} isChosen={chosen.has(result.row)} onChoose={choose} />
        ))}
      </ul>
      <Pager cursors={cursors} pageInfo={shown.isCurrent ? page?.pageInfo : undefined} />
    </>
  );
}

function reasonText(code: string, texts: Texts): string {
  const key = `reason.${code}`;
  return isTextKey(key) ? texts(key) : code;
}

const namesOf = (modules: readonly string[], { language }: Texts): string =>
  modules.map((module) => moduleNameIn(module, language)).join(', ');

interface RowProps {
  readonly result: ScreeningResult;
  readonly isChosen: boolean;
  readonly onChoose: (result: ScreeningResult, isChosen: boolean) => void;
}

function ResultRow({ result, isChosen, onChoose }: RowProps) {
  const texts = useTexts();
  const { row, company, name, riskLevel, completeness, failedModules, ownCells } = result;
  const text = name ?? company.formattedIdentifier;
  return (
    <li data-result={row}>
      <input
        type="checkbox"
        aria-label={texts('screened.choose', { name: text })}
        checked={isChosen}
        onChange={({ target }) => onChoose(result, target.checked)}
      />
      <span className="wide">
        <Link href={companyPath(company)} className="name">
          {text}
        </Link>
        <span className="quiet small number">
          {texts('screened.row', { n: row })} · {texts(`country.${company.country}`)} {company.formattedIdentifier}
        </span>
        <span className="quiet small own">{ownText(ownCells)}</span>
      </span>
      <span>
        {riskLevel && completeness ? (
          <RiskBadge verdict={{ riskLevel, completeness }} />
        ) : (
          <Badge tone="none">{texts(failedModules.length > 0 ? 'check.failed' : 'risk.NONE')}</Badge>
        )}
      </span>
      <span className="small reason">
        {reasonCodes(result)
          .map((code) => reasonText(code, texts))
          .join(' · ')}
        {failedModules.length > 0 && <span className="quiet"> {texts('screened.failed', { modules: namesOf(failedModules, texts) })}</span>}
      </span>
    </li>
  );
}

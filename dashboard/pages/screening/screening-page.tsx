import { useState } from 'react';
import { type Screening, ScreeningSummary } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { countOf, RESULT_FILTERS, type ResultFilter } from '../../state/screening-results.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { Link } from '../../ui/link.tsx';
import { replaceParameters, useParameters } from '../../ui/parameters.ts';
import { oneOf } from '../../ui/query.ts';
import { pathOf } from '../../ui/route.ts';
import { useTitle } from '../../ui/title.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { RejectedList } from './rejected-list.tsx';
import { ResultList } from './result-list.tsx';
import { isUnderWay, ScreeningList } from './screening-list.tsx';

/** Interval of reading the results and their numbers while a screening is under way. */
const REFRESH_MS = 5_000;

/** A filter of the results, or the rows that are not checked. */
type View = ResultFilter | 'REJECTED';

const FILTERS = Object.keys(RESULT_FILTERS) as readonly ResultFilter[];
/** Filters that are shown without results, too. */
const ALWAYS: ReadonlySet<View> = new Set(['ALL', 'HIGH', 'MEDIUM', 'LOW']);

type Summary = NonNullable<ScreeningSummary['screening']>;

/** One screening: its progress, its results by level, and the rows that are not checked. */
export function ScreeningPage({ dashboard, id }: { readonly dashboard: Dashboard; readonly id: string }) {
  const texts = useTexts();
  const [isRunning, setRunning] = useState(false);
  const shown = useAnswer(dashboard.client, ScreeningSummary, { id }, isRunning ? { everyMs: REFRESH_MS } : {});
  const { data, errors } = shown.answer ?? {};
  const screening = data?.screening;
  if (screening && isUnderWay(screening) !== isRunning) setRunning(isUnderWay(screening));
  useTitle(screening ? (screening.name ?? id) : texts('nav.screenings'));
  const show = (progress: Screening): void => {
    shown.change(({ screening: before }) => ({ screening: before && { ...before, ...progress } }));
    if (!isUnderWay(progress)) shown.reload(); // the numbers of its results
  };
  return (
    <>
      <header>
        <Link href={pathOf('/screenings')}>{texts('screening.all')}</Link>
        <h1 className="wrapping">{screening?.name ?? id}</h1>
      </header>
      <AnswerNotice shown={shown} />
      {data && !screening && errors?.length === 0 && <p className="panel empty">{texts('screened.unknown')}</p>}
      {screening && (
        <>
          <section className="panel" aria-label={texts('screened.progress')}>
            <ScreeningList client={dashboard.client} screenings={[screening]} onProgress={show} shown={shown} />
          </section>
          <Results dashboard={dashboard} screening={screening} />
        </>
      )}
    </>
  );
}

function Results({ dashboard, screening }: { readonly dashboard: Dashboard; readonly screening: Summary }) {
  const texts = useTexts();
  const view: View = oneOf(useParameters().get('show'), [...FILTERS, 'REJECTED']) ?? 'ALL';
  const { id, state, invalid, duplicates, resultGroups } = screening;
  const counts = new Map<View, number>(FILTERS.map((filter) => [filter, countOf(filter, resultGroups)]));
  counts.set('REJECTED', invalid + duplicates);
  const views = [...counts].filter(([one, n]) => n > 0 || one === view || ALWAYS.has(one));
  const version = isUnderWay(screening) ? { everyMs: REFRESH_MS } : { version: state };
  return (
    <section className="panel" aria-labelledby="results-title">
      <header className="column results-head">
        <h2 id="results-title">{texts('screened.results')}</h2>
        <fieldset className="row filters">
          <legend className="hidden">{texts('screened.filter')}</legend>
          {views.map(([one, n]) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === view}
              onClick={() => replaceParameters({ show: one === 'ALL' ? '' : one })}
            >
              {texts(`screened.filter.${one}`, { n })}
            </button>
          ))}
        </fieldset>
      </header>
      {view === 'REJECTED' ? (
        <RejectedList client={dashboard.client} id={id} />
      ) : (
        <ResultList key={view} dashboard={dashboard} id={id} filter={view} count={counts.get(view) ?? 0} refresh={version} />
      )}
    </section>
  );
}

import { lazy, Suspense, useCallback } from 'react';
import { Sources } from '../api/operations.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { useStore } from '../state/store.ts';
import { useAnswer } from '../state/use-answer.ts';
import { type Texts, useTexts } from '../texts/texts.ts';
import { Age, Countdown, useNow } from '../ui/age.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { dateText } from '../ui/date.ts';
import { AnswerNotice } from './answer-notice.tsx';
import { HeldChanges } from './held-changes.tsx';

const REFRESH_MS = 5_000;

/** The plots are loaded when the page is opened. */
const SourcePlots = lazy(async () => ({ default: (await import('./trends/lazy.ts')).SourcePlots }));

export type Source = Sources['sources'][number];

/**
 * A tile for each source with its state, the age of its data, and its last failure. Sources that do not answer are first. The held changes
 * follow.
 */
export function SourceWall({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const account = useStore(dashboard.store, (state) => state.account);
  const shown = useAnswer(dashboard.client, Sources, {}, { everyMs: REFRESH_MS });
  const sources = [...(shown.answer?.data?.sources ?? [])].sort(
    (a, b) => Number(a.usable) - Number(b.usable) || a.name.localeCompare(b.name),
  );
  return (
    <>
      <header>
        <h1>{texts('nav.sources')}</h1>
        <p className="quiet">{texts('sources.hint')}</p>
      </header>
      <AnswerNotice shown={shown} />
      <ul className="cards">
        {sources.map((source) => (
          <Tile key={source.id} source={source} />
        ))}
      </ul>
      {account?.modules.includes('MONITOR') && <HeldChanges dashboard={dashboard} />}
      {sources.length > 0 && (
        <Suspense fallback={<p className="quiet">{texts('loading')}</p>}>
          <SourcePlots client={dashboard.client} sources={sources} />
        </Suspense>
      )}
    </>
  );
}

function stateOf({ usable, circuit }: Source, texts: Texts): { readonly tone: Tone; readonly text: string } {
  if (circuit === 'HALF_OPEN') return { tone: 'medium', text: texts('sources.probing') };
  return usable ? { tone: 'low', text: texts('sources.usable') } : { tone: 'high', text: texts('sources.unusable') };
}

export function Tile({ source }: { readonly source: Source }) {
  const texts = useTexts();
  const { name, origin, heldChanges, recentCalls, lastSuccessAt, lastErrorAt, lastError, attribution, list } = source;
  const { tone, text } = stateOf(source, texts);
  return (
    <li className="panel card" data-source={name} data-usable={source.usable}>
      <div className="row spread">
        <h2>{name}</h2>
        <Badge tone={tone}>{text}</Badge>
      </div>
      <p className="small">
        {lastSuccessAt ? (
          <>
            {texts('sources.success')} <Age at={lastSuccessAt} />
          </>
        ) : (
          texts('sources.noSuccess')
        )}
      </p>
      {recentCalls && <Calls recent={recentCalls} />}
      {list && <Version list={list} />}
      {lastErrorAt && (
        <p className="small">
          {texts('sources.failure', { kind: lastError ?? '?' })} <Age at={lastErrorAt} />
        </p>
      )}
      {heldChanges > 0 && <p className="notice small">{texts('sources.held', { n: heldChanges })}</p>}
      <p className="quiet small">
        <span lang="en">{attribution}</span> · {texts(`origin.${origin}`)}
      </p>
    </li>
  );
}

/** Latency and error rate of the last calls. */
function Calls({ recent: { calls, failed, latencyMs } }: { readonly recent: NonNullable<Source['recentCalls']> }) {
  const texts = useTexts();
  const share = (failed / calls).toLocaleString(texts.language, { style: 'percent' });
  return (
    <p className="small">
      {texts('sources.calls', { n: calls, share })}
      {latencyMs !== null && ` · ${texts('sources.latency', { n: latencyMs })}`}
    </p>
  );
}

type List = NonNullable<Source['list']>;

function Version({ list }: { readonly list: List }) {
  const texts = useTexts();
  const { publishedOn, loadedAt, checkedAt, entries, rowsUnmatched } = list;
  return (
    <p className="small">
      {texts('sources.version')} {publishedOn && dateText(publishedOn, texts.language)}, {texts('sources.loaded')} <Age at={loadedAt} />,{' '}
      {texts('sources.checked')} <Age at={checkedAt} />
      <br />
      <Expected list={list} />
      <br />
      {texts('sources.entries', { n: entries })}
      {rowsUnmatched > 0 && ` · ${texts('sources.unmatched', { n: rowsUnmatched })}`}
    </p>
  );
}

/** The age of a list compared with its schedule: the next sync, or the time for which the late list is still used. */
function Expected({ list: { syncDueAt, goodUntil } }: { readonly list: List }) {
  const texts = useTexts();
  const readState = useCallback(
    (now: number) => (now < Date.parse(syncDueAt) ? 'due' : now < Date.parse(goodUntil) ? 'late' : 'overdue'),
    [syncDueAt, goodUntil],
  );
  const state = useNow(readState);
  if (state === 'overdue') return <Badge tone="high">{texts('sources.overdue')}</Badge>;
  if (state === 'due')
    return (
      <>
        {texts('sources.due')} <Countdown at={syncDueAt} passed="" />
      </>
    );
  return (
    <>
      <Badge tone="medium">{texts('sources.late')}</Badge> {texts('sources.usedFor')} <Countdown at={goodUntil} passed="" />
    </>
  );
}

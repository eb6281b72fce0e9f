import { useCallback } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { Ago, Countdown, useNow } from '../../ui/age.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { groupsOf, meaningOf, type Source, withoutSuccess } from './groups.ts';

/** The sources by country, in words. Groups and sources that do not answer are first. */
export function SourceGroups({ sources }: { readonly sources: readonly Source[] }) {
  const texts = useTexts();
  return groupsOf(sources, texts.language).map(({ group, sources: own }) => (
    <section key={group} className="column" aria-labelledby={`sources-${group}`} data-group={group}>
      <h2 id={`sources-${group}`}>{texts(`sources.group.${group}`)}</h2>
      <ul className="cards">
        {own.map((source) => (
          <Tile key={source.id} source={source} />
        ))}
      </ul>
    </section>
  ));
}

function stateOf({ usable, circuit }: Source, texts: Texts): { readonly tone: Tone; readonly text: string } {
  if (circuit === 'HALF_OPEN') return { tone: 'medium', text: texts('sources.probing') };
  return usable ? { tone: 'low', text: texts('sources.usable') } : { tone: 'high', text: texts('sources.unusable') };
}

/** A source: its name, whether it answers, what its failure means, and the age of its data. The rest is below its technical details. */
function Tile({ source }: { readonly source: Source }) {
  const texts = useTexts();
  const { name, heldChanges, lastSuccessAt, attribution, list } = source;
  const { tone, text } = stateOf(source, texts);
  const meaning = meaningOf(source);
  return (
    <li className="panel card" data-source={name} data-usable={source.usable}>
      <div className="row spread">
        <h3>{sourceNameIn(name, texts.language)}</h3>
        <Badge tone={tone}>{text}</Badge>
      </div>
      {meaning && <p className="small">{texts(meaning)}</p>}
      <p className="small">
        {lastSuccessAt ? (
          <>
            {texts('sources.success')} <Ago at={lastSuccessAt} />
          </>
        ) : (
          texts(withoutSuccess(source))
        )}
        {list?.publishedOn && ` · ${texts('sources.version', { date: dateText(list.publishedOn, texts.language) })}`}
      </p>
      {list && <Lateness list={list} />}
      {heldChanges > 0 && <p className="notice small">{texts('sources.held', { n: heldChanges })}</p>}
      <p className="quiet small" lang="en">
        {attribution}
      </p>
      <TechnicalDetails source={source} />
    </li>
  );
}

type List = NonNullable<Source['list']>;

/** Says that a list is late and how long it is still used, or that it is overdue. Nothing is shown for a list that is read in time. */
function Lateness({ list: { syncDueAt, goodUntil } }: { readonly list: List }) {
  const texts = useTexts();
  const readState = useCallback(
    (now: number) => (now < Date.parse(syncDueAt) ? 'due' : now < Date.parse(goodUntil) ? 'late' : 'overdue'),
    [syncDueAt, goodUntil],
  );
  const state = useNow(readState);
  if (state === 'due') return null;
  return (
    <p className="small">
      {state === 'overdue' ? (
        <Badge tone="high">{texts('sources.overdue')}</Badge>
      ) : (
        <>
          <Badge tone="medium">{texts('sources.late')}</Badge> {texts('sources.usedFor')} <Countdown at={goodUntil} passed="" />
        </>
      )}
    </p>
  );
}

/** Shows the facts for the operators of the service: the code of the source, its origin, its last calls and failures, and the next reading. */
function TechnicalDetails({ source }: { readonly source: Source }) {
  const texts = useTexts();
  const { name, origin, circuit, recentCalls, lastErrorAt, lastError, list } = source;
  return (
    <details className="small">
      <summary>{texts('sources.details')}</summary>
      <ul className="records">
        <li>
          {texts('sources.code')} <code>{name}</code>
        </li>
        <li>
          {texts('sources.transport')} {texts(`origin.${origin}`)}
        </li>
        <li>
          {texts('sources.circuit')} <code>{circuit}</code>
        </li>
        {recentCalls && <li>{callsText(recentCalls, texts)}</li>}
        {lastErrorAt && (
          <li>
            {texts('sources.failure', { kind: lastError ?? '?' })} <Ago at={lastErrorAt} />
          </li>
        )}
        {list && <Readings list={list} />}
      </ul>
    </details>
  );
}

/** Latency and error rate of the last calls. */
function callsText({ calls, failed, latencyMs }: NonNullable<Source['recentCalls']>, texts: Texts): string {
  const share = (failed / calls).toLocaleString(texts.language, { style: 'percent' });
  const text = texts('sources.calls', { n: calls, share });
  return latencyMs === null ? text : `${text} · ${texts('sources.latency', { n: latencyMs })}`;
}

/** When a list was loaded and read, when it is read again, and its entries. */
function Readings({ list: { loadedAt, checkedAt, syncDueAt, entries, rowsUnmatched } }: { readonly list: List }) {
  const texts = useTexts();
  const isDue = useNow(useCallback((now: number) => now < Date.parse(syncDueAt), [syncDueAt]));
  return (
    <>
      <li>
        {texts('sources.loaded')} <Ago at={loadedAt} />
      </li>
      <li>
        {texts('sources.checked')} <Ago at={checkedAt} />
      </li>
      {isDue && (
        <li>
          {texts('sources.due')} <Countdown at={syncDueAt} passed="" />
        </li>
      )}
      <li>{texts('sources.entries', { n: entries })}</li>
      {rowsUnmatched > 0 && <li>{texts('sources.unmatched', { n: rowsUnmatched })}</li>}
    </>
  );
}

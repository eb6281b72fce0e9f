import { useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { SourceHistory, type Sources } from '../../api/operations.ts';
import { type OutageBar, outageBars, PERIODS, type Period } from '../../state/outages.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { dateText, momentText, timeText } from '../../ui/date.ts';
import { type Bar, BarPlot } from '../../ui/plot/bar-plot.tsx';
import { AnswerNotice } from '../answer-notice.tsx';

type Source = Sources['sources'][number];

const REFRESH_MS = 30_000;
const DEFAULT: Period = PERIODS[0];

interface Props {
  readonly client: Client;
  /** Those that do not answer are first. */
  readonly sources: readonly Source[];
}

/** Calls, failures and latency of one source over the last days. */
export function SourcePlots({ client, sources }: Props) {
  const texts = useTexts();
  const [chosen, choose] = useState<string | null>(null);
  const [period, setPeriod] = useState<Period>(DEFAULT);
  const source =
    sources.find(({ name }) => name === chosen) ?? sources.find(({ usable, recentCalls }) => !usable || recentCalls) ?? sources[0];
  return (
    <section className="panel plot-panel" aria-labelledby="outages-title">
      <header>
        <div className="row spread">
          <h2 id="outages-title">{texts('outages.title')}</h2>
          <div className="row small">
            <label className="row">
              {texts('sandbox.source')}
              <select value={source?.name} onChange={({ target }) => choose(target.value)}>
                {sources.map(({ name }) => (
                  <option key={name} value={name}>
                    {sourceNameIn(name, texts.language)}
                  </option>
                ))}
              </select>
            </label>
            <label className="row">
              {texts('outages.time')}
              <select
                value={period.days}
                onChange={({ target }) => setPeriod(PERIODS.find(({ days }) => String(days) === target.value) ?? DEFAULT)}
              >
                {PERIODS.map(({ days }) => (
                  <option key={days} value={days}>
                    {texts(`outages.days.${days}`)}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </div>
        <p className="quiet small">{texts('outages.hint')}</p>
      </header>
      {source && <Plots key={`${source.name} ${period.days}`} client={client} source={source} period={period} />}
    </section>
  );
}

/** The plots of one source and period. A new choice begins without the numbers of the last one. */
function Plots({ client, source: { name }, period }: { readonly client: Client; readonly source: Source; readonly period: Period }) {
  const texts = useTexts();
  const words = sourceNameIn(name, texts.language);
  const shown = useAnswer(client, SourceHistory, { source: name, ...period }, { everyMs: REFRESH_MS });
  const points = shown.answer?.data?.sourceHistory;
  const bars = outageBars(points ?? [], period, Date.now());
  const sum = (count: 'calls' | 'failed'): number => (points ?? []).reduce((all, point) => all + point[count], 0);
  const summary = texts('outages.summary', { name: words, n: sum('calls'), failed: sum('failed') });
  return (
    <div className="body">
      <AnswerNotice shown={shown} />
      {points?.length === 0 && <p className="empty">{texts('outages.none')}</p>}
      {points && points.length > 0 && (
        <>
          <p className="small" role="status">
            {summary}
          </p>
          <h3>{texts('outages.calls')}</h3>
          <BarPlot
            label={`${texts('outages.calls')}. ${summary}`}
            barsLabel={texts('outages.from')}
            series={[
              { label: texts('outages.answered'), look: 'first' },
              { label: texts('outages.failed'), look: 'high' },
            ]}
            bars={bars.map((bar) => ({ ...labelsOf(bar, period, texts), values: callsOf(bar) }))}
          />
          <h3>{texts('outages.latency')}</h3>
          <BarPlot
            label={`${texts('outages.latency')}, ${words}`}
            barsLabel={texts('outages.from')}
            unit="ms"
            series={[
              { label: texts('outages.median'), look: 'first' },
              { label: texts('outages.slow'), look: 'open' },
            ]}
            bars={bars.map((bar) => ({ ...labelsOf(bar, period, texts), ...latencyOf(bar, texts) }))}
          />
        </>
      )}
    </div>
  );
}

const callsOf = ({ point }: OutageBar): Bar['values'] => point && [point.calls - point.failed, point.failed];

function latencyOf({ point }: OutageBar, texts: Texts): Pick<Bar, 'values' | 'written' | 'note'> {
  if (!point) return { values: null };
  const { medianMs, slowMs } = point;
  if (medianMs === null || slowMs === null) return { values: null, note: texts('outages.noAnswer') };
  return { values: [medianMs, slowMs - medianMs], written: [medianMs, slowMs] };
}

/** A span of a day is named by its day in UTC, a shorter one by its beginning. */
function labelsOf({ at }: OutageBar, { hours }: Period, { language }: Texts): Pick<Bar, 'label' | 'short'> {
  const day = dateText(new Date(at).toISOString().slice(0, 10), language);
  if (hours === 24) return { label: day };
  return { label: momentText(at, language), short: hours === 1 ? timeText(at, language) : day };
}

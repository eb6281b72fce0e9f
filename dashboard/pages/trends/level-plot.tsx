import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { PortfolioHistory } from '../../api/operations.ts';
import { dayOf, type LevelBar, levelBars, levelValues, SPANS, type Span } from '../../state/history.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { dateText } from '../../ui/date.ts';
import { type Bar, BarPlot, type Series } from '../../ui/plot/bar-plot.tsx';
import { SkeletonLines } from '../../ui/skeleton.tsx';
import { AnswerNotice } from '../answer-notice.tsx';

const REFRESH_MS = 60_000;
/** Number of days that are read for each span. */
const DAYS: Readonly<Record<Span, number>> = { day: 31, week: 182, month: 400 };

/** The number of watched companies of each level, by day, week or month. */
export function LevelPlot({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const [span, setSpan] = useState<Span>('week');
  const shown = useAnswer(client, PortfolioHistory, { days: DAYS[span] }, { everyMs: REFRESH_MS });
  // Days that were read for another span are not those of this one.
  const days = shown.isCurrent ? shown.answer?.data?.portfolioHistory : undefined;
  const bars = levelBars(days ?? [], span, dayOf(Date.now()));
  return (
    <section className="panel plot-panel" aria-labelledby="levels-title">
      <header>
        <div className="row spread">
          <h2 id="levels-title">{texts('trends.levels')}</h2>
          <label className="row small">
            {texts('trends.by')}
            <select value={span} onChange={({ target }) => setSpan(SPANS.find((one) => one === target.value) ?? 'week')}>
              {SPANS.map((one) => (
                <option key={one} value={one}>
                  {texts(`trends.by.${one}`)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p className="quiet small">{texts('trends.levelsHint')}</p>
        {days?.some(({ isMadeUp }) => isMadeUp) && <p className="notice small">{texts('trends.madeUp')}</p>}
      </header>
      <div className="body">
        <AnswerNotice shown={shown} />
        {shown.answer && !shown.isCurrent && !shown.problem && <SkeletonLines />}
        {days?.length === 0 && <p className="empty">{texts('trends.noLevels')}</p>}
        {bars.length > 0 && (
          <BarPlot
            label={summaryOf(bars, texts)}
            barsLabel={texts(`trends.start.${span}`)}
            series={seriesOf(texts)}
            bars={bars.map((bar) => barOf(bar, texts))}
          />
        )}
      </div>
    </section>
  );
}

const seriesOf = (texts: Texts): readonly Series[] => [
  { label: texts('risk.HIGH'), look: 'high' },
  { label: texts('risk.MEDIUM'), look: 'medium' },
  { label: texts('trends.low'), look: 'low' },
  { label: texts('trends.open'), look: 'open' },
  { label: texts('trends.none'), look: 'empty' },
];

const barOf = ({ start, day }: LevelBar, texts: Texts): Bar => ({
  label: dateText(start, texts.language),
  values: day && levelValues(day),
  ...(day?.isMadeUp && { note: texts('trends.isMadeUp') }),
});

/** Describes the last snapshot in a sentence. */
function summaryOf(bars: readonly LevelBar[], texts: Texts): string {
  const day = bars.findLast((bar) => bar.day)?.day;
  if (!day) return texts('trends.levels');
  const [high = 0, medium = 0, low = 0, open = 0, none = 0] = levelValues(day);
  const values = { date: dateText(day.day, texts.language), high, medium, low, open, none };
  return `${texts('trends.levels')}. ${texts('trends.levelsSummary', values)}`;
}

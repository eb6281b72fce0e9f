import type { Client } from '../../api/client.ts';
import { ChangeHistory } from '../../api/operations.ts';
import { CHANGE_KINDS, changeBars, dayOf, daysOfWeeks } from '../../state/history.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { dateText } from '../../ui/date.ts';
import { BarPlot } from '../../ui/plot/bar-plot.tsx';
import { sumOf } from '../../ui/plot/scale.ts';
import { AnswerNotice } from '../answer-notice.tsx';

const REFRESH_MS = 60_000;
const WEEKS = 26;
const LOOKS = ['first', 'second', 'third', 'fourth'] as const;

/** The number of changes of the watched companies by week and kind. */
export function ChangePlot({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const today = dayOf(Date.now());
  const shown = useAnswer(client, ChangeHistory, { days: daysOfWeeks(today, WEEKS) }, { everyMs: REFRESH_MS });
  const days = shown.answer?.data?.changeHistory;
  const bars = changeBars(days ?? [], today);
  const dated = bars.map(({ start, values }) => ({ label: dateText(start, texts.language), values }));
  const n = sumOf(bars.at(-1)?.values ?? []);
  return (
    <section className="panel plot-panel" aria-labelledby="weeks-title">
      <header>
        <h2 id="weeks-title">{texts('trends.changes')}</h2>
        <p className="quiet small">{texts('trends.changesHint')}</p>
      </header>
      <div className="body">
        <AnswerNotice shown={shown} />
        {days?.length === 0 && <p className="empty">{texts('trends.noChanges')}</p>}
        {bars.length > 0 && (
          <BarPlot
            label={`${texts('trends.changes')}. ${texts('trends.changesSummary', { date: dated.at(-1)?.label ?? '', n })}`}
            barsLabel={texts('trends.start.week')}
            series={CHANGE_KINDS.map((kind, i) => ({ label: texts(`trends.kind.${kind}`), look: LOOKS[i] ?? 'fourth' }))}
            bars={dated}
          />
        )}
      </div>
    </section>
  );
}

import { useState } from 'react';
import { moduleNameIn } from '../../../src/messages/module-names.ts';
import type { Client } from '../../api/client.ts';
import { UsageByDay } from '../../api/operations.ts';
import { type Forecast, forecastOf, lastDayOf, MIN_DAYS, usageBars } from '../../state/forecast.ts';
import { dayOf } from '../../state/history.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { dateText } from '../../ui/date.ts';
import { BarPlot } from '../../ui/plot/bar-plot.tsx';
import { sumOf } from '../../ui/plot/scale.ts';
import { AnswerNotice } from '../answer-notice.tsx';

const REFRESH_MS = 60_000;
/** Number of days that are read: this month and at least 30 days before it. */
const DAYS = 62;

type Key = UsageByDay['apiKey'];

/** The usage of a module by day, with what is expected until the end of the month, compared with the plan. */
export function UsagePlot({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const shown = useAnswer(client, UsageByDay, { days: DAYS }, { everyMs: REFRESH_MS });
  const key = shown.answer?.data?.apiKey;
  const modules = key ? modulesOf(key) : [];
  const [chosen, choose] = useState<string | null>(null);
  const module = modules.find((one) => one === chosen) ?? modules[0];
  return (
    <section className="panel plot-panel" aria-labelledby="by-day-title">
      <header className="row spread">
        <h2 id="by-day-title">{texts('usageDays.title')}</h2>
        {modules.length > 0 && (
          <label className="row small">
            {texts('usage.module')}
            <select value={module} onChange={({ target }) => choose(target.value)}>
              {modules.map((one) => (
                <option key={one} value={one}>
                  {moduleNameIn(one, texts.language)}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      <div className="body">
        <AnswerNotice shown={shown} />
        {key && !module && <p className="empty">{texts('usageDays.none')}</p>}
        {key && module && <ModuleDays apiKey={key} module={module} />}
      </div>
    </section>
  );
}

/** Returns the modules with usage, the one that used the largest part of its included answers first. */
function modulesOf({ usage, usageByDay }: Key): readonly string[] {
  const share = (module: string): number => {
    const found = usage.find((one) => one.module === module);
    return found?.included ? found.used / found.included : 0;
  };
  const used = (module: string): number => sumOf(usageByDay.filter((one) => one.module === module).map((one) => one.used));
  return [...new Set(usageByDay.map(({ module }) => module))].sort((a, b) => share(b) - share(a) || used(b) - used(a));
}

function ModuleDays({ apiKey: { usage, usageByDay }, module }: { readonly apiKey: Key; readonly module: string }) {
  const texts = useTexts();
  const today = dayOf(Date.now());
  const uses = usageByDay.filter((one) => one.module === module);
  const forecast = forecastOf(uses, today);
  const summary = forecastText(forecast, usage.find((one) => one.module === module)?.included ?? null, today, texts);
  const bars = usageBars(uses, today, forecast).map(({ day, used, expected }) => ({
    label: dateText(day, texts.language),
    values: forecast ? [used, expected] : [used],
  }));
  return (
    <>
      <p className="small" data-forecast={forecast?.total ?? 'none'}>
        {summary}
      </p>
      <BarPlot
        label={`${texts('usageDays.title')}, ${moduleNameIn(module, texts.language)}. ${summary}`}
        barsLabel={texts('trends.start.day')}
        series={[
          { label: texts('usageDays.counted'), look: 'first' },
          ...(forecast ? [{ label: texts('usageDays.expected'), look: 'open' } as const] : []),
        ]}
        bars={bars}
      />
    </>
  );
}

/** Explains the forecast in sentences, compared with the included answers. */
function forecastText(forecast: Forecast | null, included: number | null, today: string, texts: Texts): string {
  if (!forecast) return texts('usageDays.noForecast', { n: MIN_DAYS });
  const perDay = forecast.perDay.toLocaleString(texts.language, { maximumFractionDigits: 1 });
  const date = dateText(lastDayOf(today), texts.language);
  const expected = texts('usageDays.forecast', { date, n: forecast.total, mean: perDay, days: forecast.days });
  if (included === null) return `${expected} ${texts('usageDays.noLimit')}`;
  const beyond = forecast.total - included;
  const compared = beyond > 0 ? texts('usageDays.beyond', { included, n: beyond }) : texts('usageDays.within', { included, n: -beyond });
  return `${expected} ${compared}`;
}

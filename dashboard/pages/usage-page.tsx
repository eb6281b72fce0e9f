import { lazy } from 'react';
import { moduleNameIn } from '../../src/messages/module-names.ts';
import type { Client } from '../api/client.ts';
import { Usage } from '../api/operations.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Age, Lasting } from '../ui/age.tsx';
import { AnswerNotice } from './answer-notice.tsx';
import { LazyPart } from './lazy-part.tsx';

const REFRESH_MS = 10_000;

type Key = Usage['apiKey'];
type ModuleUsage = Key['usage'][number];

/** The plot is loaded when the page is opened. */
const UsagePlot = lazy(async () => ({ default: (await import('./trends/lazy.ts')).UsagePlot }));

/** Usage of the key this month by module, compared with the included volume of its plan. */
export function UsagePage({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const shown = useAnswer(client, Usage, {}, { everyMs: REFRESH_MS });
  const { data, cost } = shown.answer ?? {};
  const key = data?.apiKey;
  return (
    <>
      <h1>{texts('nav.usage')}</h1>
      <AnswerNotice shown={shown} />
      {key && (
        <section className="panel" aria-labelledby="usage-title">
          <header className="row spread">
            <h2 id="usage-title">{texts('usage.title')}</h2>
            <span className="quiet small">
              {texts('usage.plan', { name: key.plan })}
              {cost && ` · ${texts('usage.points', { n: cost.remaining, rate: cost.restoreRate })}`}
              {shown.readAt !== null && (
                <>
                  {' '}
                  · {texts('dataAge')} <Age at={shown.readAt} />
                </>
              )}
            </span>
          </header>
          <p className="body quiet small">
            {texts('usage.refusals', { n: key.refusals.count })} <Lasting at={key.refusals.since} />
          </p>
          {key.usage.length === 0 ? <p className="empty">{texts('usage.none')}</p> : <UsageTable apiKey={key} />}
        </section>
      )}
      <LazyPart>
        <UsagePlot client={client} />
      </LazyPart>
    </>
  );
}

function UsageTable({ apiKey: { usage, limits } }: { readonly apiKey: Key }) {
  const texts = useTexts();
  return (
    <table className="list usage as-cards">
      <thead>
        <tr>
          <th scope="col">{texts('usage.module')}</th>
          <th scope="col">{texts('usage.used')}</th>
          <th scope="col">{texts('usage.included')}</th>
          <th scope="col" className="optional">
            {texts('usage.overage')}
          </th>
          <th scope="col">{texts('usage.amount')}</th>
          <th scope="col" className="optional">
            {texts('usage.rate')}
          </th>
        </tr>
      </thead>
      <tbody>
        {usage.map((one) => (
          <UsageRow key={one.module} usage={one} limit={limits.find(({ module }) => module === one.module)} />
        ))}
      </tbody>
    </table>
  );
}

function UsageRow({ usage, limit }: { readonly usage: ModuleUsage; readonly limit: Key['limits'][number] | undefined }) {
  const texts = useTexts();
  const { module, used, included, overage, amount, currency } = usage;
  const money = Number(amount).toLocaleString(texts.language, { style: 'currency', currency });
  return (
    <tr>
      <th scope="row">{moduleNameIn(module, texts.language)}</th>
      <td className="number" data-label={texts('usage.used')}>
        {used.toLocaleString(texts.language)}
      </td>
      <td className="number" data-label={texts('usage.included')}>
        {included === null ? (
          <span className="quiet">{texts('usage.unlimited')}</span>
        ) : (
          <>
            {included.toLocaleString(texts.language)}{' '}
            <meter min={0} max={included} value={used} aria-label={texts('usage.ofIncluded', { used, included })} />
          </>
        )}
      </td>
      <td className="number optional" data-label={texts('usage.overage')}>
        {overage.toLocaleString(texts.language)}
      </td>
      <td className="number" data-label={texts('usage.amount')}>
        {money}
      </td>
      <td className="optional quiet" data-label={texts('usage.rate')}>
        {limit ? texts('usage.perMinute', { n: limit.perMinute, burst: limit.burst }) : texts('usage.unlimited')}
      </td>
    </tr>
  );
}

import type { Client } from '../../api/client.ts';
import { Checks } from '../../api/operations.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago, Countdown } from '../../ui/age.tsx';
import { Badge } from '../../ui/badge.tsx';
import { durationText } from '../../ui/duration.ts';
import { AnswerNotice } from '../answer-notice.tsx';

const REFRESH_MS = 5_000;

type Monitor = NonNullable<Checks['monitors']>['nodes'][number];

/** Time of the next check of the watched companies, the number checked within the interval, and the late ones. */
export function NextCheck({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const shown = useAnswer(client, Checks, {}, { everyMs: REFRESH_MS });
  const monitors = shown.answer?.data?.monitors?.nodes ?? [];
  return (
    <section className="panel next-check" aria-labelledby="next-check-title">
      <header>
        <h2 id="next-check-title">{texts('next.title')}</h2>
      </header>
      <AnswerNotice shown={shown} />
      {shown.answer && monitors.length === 0 && <p className="empty">{texts('companies.none')}</p>}
      <ul className="records body">
        {monitors.map((monitor) => (
          <MonitorRow key={monitor.id} monitor={monitor} />
        ))}
      </ul>
    </section>
  );
}

function MonitorRow({ monitor: { id, country, checks } }: { readonly monitor: Monitor }) {
  const texts = useTexts();
  const { intervalSeconds, companies, checked, overdue, failing, lastCheckedAt, nextCheckAt } = checks;
  const interval = durationText(intervalSeconds * 1_000, texts.language);
  const progress = texts('next.progress', { checked, n: companies, interval });
  return (
    <li className="row" data-checks={id}>
      <strong>{texts(`country.${country}`)}</strong>
      <progress max={companies} value={checked} aria-label={progress} />
      <span className="small">{progress}</span>
      {nextCheckAt && (
        <span className="small">
          {texts('next.in')} <Countdown at={nextCheckAt} passed={texts('next.now')} />
        </span>
      )}
      <span className="quiet small">
        {lastCheckedAt ? (
          <>
            {texts('next.last')} <Ago at={lastCheckedAt} />
          </>
        ) : (
          texts('next.never')
        )}
      </span>
      {overdue > 0 && <Badge tone="high">{texts('next.overdue', { n: overdue })}</Badge>}
      {failing > 0 && <Badge tone="medium">{texts('next.failing', { n: failing })}</Badge>}
    </li>
  );
}

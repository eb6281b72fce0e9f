import type { Client } from '../api/client.ts';
import { type Screening, Screenings as ScreeningsQuery, StartScreening } from '../api/operations.ts';
import { useAction } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { momentText } from '../ui/date.ts';
import { Link } from '../ui/link.tsx';
import { problemText } from '../ui/problem.ts';
import { pathOf } from '../ui/route.ts';
import { AnswerNotice } from './answer-notice.tsx';
import { ScreeningList } from './screening/screening-list.tsx';

/** Interval at which the screenings are always read, because no event reports one that was started elsewhere. */
const REFRESH_LIST_MS = 30_000;

interface Props {
  readonly client: Client;
  /** Tax ids that a new screening would check. */
  readonly identifiers: readonly string[];
}

/**
 * Checks companies once in the background. It starts a screening of the pasted companies, and shows the newest screenings with their
 * progress and results.
 */
export function Screenings({ client, identifiers }: Props) {
  const texts = useTexts();
  const shown = useAnswer(client, ScreeningsQuery, {}, { everyMs: REFRESH_LIST_MS });
  const start = useAction(client, StartScreening, shown.reload);
  const screenings = shown.answer?.data?.screenings?.nodes;
  const show = (screening: Screening): void =>
    shown.change(({ screenings: before }) => ({
      screenings: before && { nodes: before.nodes.map((one) => (one.id === screening.id ? screening : one)) },
    }));
  const run = (): void => {
    const name = momentText(Date.now(), texts.language);
    void start.run({ identifiers, name });
  };
  return (
    <section className="panel" aria-labelledby="screenings-title">
      <header>
        <div className="row spread">
          <h2 id="screenings-title">{texts('screening.title')}</h2>
          <Link href={pathOf('/screenings')}>{texts('screening.all')}</Link>
        </div>
        <p className="quiet small">{texts('screening.hint')}</p>
      </header>
      {identifiers.length > 0 && (
        <p className="body">
          <button type="button" disabled={start.isBusy} onClick={run}>
            {texts('screening.start', { n: identifiers.length })}
          </button>
        </p>
      )}
      {start.problem && (
        <p className="notice" role="alert">
          {problemText(start.problem, texts)}
        </p>
      )}
      <AnswerNotice shown={shown} />
      {screenings?.length === 0 && <p className="empty">{texts('screening.none')}</p>}
      {screenings && <ScreeningList client={client} screenings={screenings} onProgress={show} onChange={shown.reload} />}
    </section>
  );
}

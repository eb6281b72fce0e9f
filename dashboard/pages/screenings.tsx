import type { Client } from '../api/client.ts';
import { type Screening, Screenings as ScreeningsQuery } from '../api/operations.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Link } from '../ui/link.tsx';
import { pathOf } from '../ui/route.ts';
import { AnswerNotice } from './answer-notice.tsx';
import { ScreeningList } from './screening/screening-list.tsx';

/** Interval at which the screenings are always read, because no event reports one that was started elsewhere. */
const REFRESH_LIST_MS = 30_000;

/** The newest screenings, with their progress and results. */
export function Screenings({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const shown = useAnswer(client, ScreeningsQuery, {}, { everyMs: REFRESH_LIST_MS });
  const screenings = shown.answer?.data?.screenings?.nodes;
  const show = (screening: Screening): void =>
    shown.change(({ screenings: before }) => ({
      screenings: before && { nodes: before.nodes.map((one) => (one.id === screening.id ? screening : one)) },
    }));
  return (
    <section className="panel" aria-labelledby="screenings-title">
      <header>
        <div className="row spread">
          <h2 id="screenings-title">{texts('screening.title')}</h2>
          <Link href={pathOf('/screenings')}>{texts('screening.all')}</Link>
        </div>
        <p className="quiet small">{texts('screening.hint')}</p>
      </header>
      <AnswerNotice shown={shown} />
      {screenings?.length === 0 && <p className="empty">{texts('screening.none')}</p>}
      {screenings && <ScreeningList client={client} screenings={screenings} onProgress={show} shown={shown} />}
    </section>
  );
}

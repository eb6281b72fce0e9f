import type { Client } from '../../api/client.ts';
import { type Screening, ScreeningsPage as ScreeningsPageQuery } from '../../api/operations.ts';
import { useMay } from '../../state/role.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { useCursors } from '../../ui/use-cursors.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { NoRows } from './no-rows.tsx';
import { Pager } from './pager.tsx';
import { ScreenFile } from './screen-file.tsx';
import { ScreeningList } from './screening-list.tsx';

/** Interval at which the screenings are read, because no event reports one that was started elsewhere. */
const REFRESH_MS = 30_000;

/** All screenings of the key, newest first. */
export function ScreeningsPage({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const cursors = useCursors();
  const mayStart = useMay('DECIDE');
  const shown = useAnswer(client, ScreeningsPageQuery, { after: cursors.after }, { everyMs: REFRESH_MS });
  const page = shown.answer?.data?.screenings;
  const show = (screening: Screening): void =>
    shown.change(({ screenings: before }) => ({
      screenings: before && { ...before, nodes: before.nodes.map((one) => (one.id === screening.id ? screening : one)) },
    }));
  return (
    <>
      <header>
        <h1>{texts('nav.screenings')}</h1>
        <p className="quiet">{texts('screened.hint')}</p>
      </header>
      {mayStart && <ScreenFile client={client} />}
      <section className="panel" aria-label={texts('nav.screenings')}>
        <AnswerNotice shown={shown} />
        {shown.isCurrent && page?.nodes.length === 0 && <NoRows cursors={cursors} none={texts('screened.none')} />}
        {page && <ScreeningList client={client} screenings={page.nodes} onProgress={show} shown={shown} />}
        <Pager cursors={cursors} pageInfo={shown.isCurrent ? page?.pageInfo : undefined} />
      </section>
    </>
  );
}

import { lazy } from 'react';
import { Sources } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { useStore } from '../../state/store.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { HeldChanges } from '../held-changes.tsx';
import { LazyPart } from '../lazy-part.tsx';
import { groupsOf } from './groups.ts';
import { SourceGroups } from './source-groups.tsx';

const REFRESH_MS = 5_000;

/** The plots are loaded when the page is opened. */
const SourcePlots = lazy(async () => ({ default: (await import('../trends/lazy.ts')).SourcePlots }));

/** The sources by country, each with its state and the age of its data. The held changes and the plots of calls follow. */
export function SourceWall({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const account = useStore(dashboard.store, (state) => state.account);
  const shown = useAnswer(dashboard.client, Sources, {}, { everyMs: REFRESH_MS });
  const sources = shown.answer?.data?.sources ?? [];
  return (
    <>
      <header>
        <h1>{texts('nav.sources')}</h1>
        <p className="quiet">{texts('sources.hint')}</p>
      </header>
      <AnswerNotice shown={shown} />
      <SourceGroups sources={sources} />
      {account?.modules.includes('MONITOR') && <HeldChanges dashboard={dashboard} />}
      {sources.length > 0 && (
        <LazyPart>
          <SourcePlots client={dashboard.client} sources={groupsOf(sources, texts.language).flatMap((group) => group.sources)} />
        </LazyPart>
      )}
    </>
  );
}

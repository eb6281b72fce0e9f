import type { Dashboard } from '../../state/dashboard.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { NotReadYet } from '../answer-notice.tsx';
import { ChangePlot } from './change-plot.tsx';
import { LevelPlot } from './level-plot.tsx';

/** The portfolio over time: its levels, and its changes. */
export function TrendsPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const account = useStore(dashboard.store, (state) => state.account);
  if (!account) return <NotReadYet dashboard={dashboard} />;
  if (!account.modules.includes('MONITOR')) return <p className="panel empty">{texts('companies.noMonitor')}</p>;
  return (
    <>
      <h1>{texts('nav.trends')}</h1>
      <LevelPlot client={dashboard.client} />
      <ChangePlot client={dashboard.client} />
    </>
  );
}

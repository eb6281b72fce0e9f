import { useState } from 'react';
import type { Dashboard } from '../../state/dashboard.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { NotReadYet } from '../answer-notice.tsx';
import { ChangeFeed } from './change-feed.tsx';
import { CompanyList } from './company-list.tsx';
import { NextCheck } from './next-check.tsx';
import { type Cell, RiskBoard } from './risk-board.tsx';
import { Tour } from './tour.tsx';

/** The first page: risk of the portfolio, its companies, their checks and changes. */
export function Overview({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const [cell, setCell] = useState<Cell | null>(null);
  const state = useStore(dashboard.store, (one) => one);
  const { companies, watched, account, isSandbox } = state;
  if (!account) return <NotReadYet dashboard={dashboard} />; // the page appears together with the tour, so that nothing moves
  if (!account.modules.includes('MONITOR')) return <p className="panel empty">{texts('companies.noMonitor')}</p>;
  return (
    <>
      <h1 className="hidden">{texts('nav.overview')}</h1>
      {isSandbox && <Tour />}
      <div className="overview">
        <div className="column">
          <RiskBoard state={state} selected={cell} onSelect={setCell} />
          <CompanyList dashboard={dashboard} companies={companies} watched={watched} cell={cell} onClear={() => setCell(null)} />
        </div>
        <div className="column">
          <NextCheck client={dashboard.client} />
          <ChangeFeed dashboard={dashboard} companies={companies} />
        </div>
      </div>
    </>
  );
}

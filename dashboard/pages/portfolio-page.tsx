import { useState } from 'react';
import type { Dashboard } from '../state/dashboard.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { ImportCompanies } from './portfolio/import-companies.tsx';
import { PortfolioList } from './portfolio/portfolio-list.tsx';
import { Screenings } from './screenings.tsx';

/** The watched companies as a list, the import of further ones, and checks of companies that are not watched. */
export function PortfolioPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const account = useStore(dashboard.store, (state) => state.account);
  const [started, setStarted] = useState(0);
  return (
    <>
      <h1>{texts('nav.portfolio')}</h1>
      <PortfolioList dashboard={dashboard} />
      <ImportCompanies dashboard={dashboard} onScreened={() => setStarted(started + 1)} />
      {account?.modules.includes('SCREENING') && <Screenings key={started} client={dashboard.client} />}
    </>
  );
}

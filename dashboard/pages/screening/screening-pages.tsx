import type { Dashboard } from '../../state/dashboard.ts';
import { screenings } from '../../texts/screenings.ts';
import { addTexts } from '../../texts/texts.ts';
import { ScreeningPage } from './screening-page.tsx';
import { ScreeningsPage } from './screenings-page.tsx';
import './screening.css';

addTexts(screenings);

/** The pages of screenings, which are loaded when one of them is opened. @param id `scr_…`; undefined for the list of screenings */
export function ScreeningPages({ dashboard, id }: { readonly dashboard: Dashboard; readonly id: string | undefined }) {
  if (id === undefined) return <ScreeningsPage client={dashboard.client} />;
  return <ScreeningPage key={id} dashboard={dashboard} id={id} />;
}

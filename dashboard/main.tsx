import { useEffect, useState } from 'react';
import { Frame } from './pages/frame.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { type Dashboard, openDashboard } from './state/dashboard.ts';
import { restorePerson } from './state/person.ts';
import { restoreSession, session } from './state/session.ts';
import { useStore } from './state/store.ts';
import { checks } from './texts/checks.ts';
import { decisions } from './texts/decisions.ts';
import { deliveries } from './texts/deliveries.ts';
import { desk } from './texts/desk.ts';
import { dossier } from './texts/dossier.ts';
import { notifications } from './texts/notifications.ts';
import { portfolio } from './texts/portfolio.ts';
import { signInTexts } from './texts/sign-in.ts';
import { sourceTexts } from './texts/sources.ts';
import { addTexts } from './texts/texts.ts';
import { mount } from './ui/mount.tsx';

/** The dashboard of the key of this tab, or the form that asks for one. */
function App() {
  const key = useStore(session, (one) => one);
  const [dashboard, setDashboard] = useState<Dashboard | null>(null);
  useEffect(() => {
    if (key === null) return;
    const opened = openDashboard(key);
    setDashboard(opened);
    return () => {
      setDashboard(null);
      opened.close();
    };
  }, [key]);
  if (key === null) return <SignIn />;
  return dashboard && <Frame dashboard={dashboard} />;
}

addTexts(checks);
addTexts(decisions);
addTexts(deliveries);
addTexts(desk);
addTexts(dossier);
addTexts(notifications);
addTexts(portfolio);
addTexts(signInTexts);
addTexts(sourceTexts);
restoreSession();
addEventListener('hashchange', restoreSession);
// With a key, the page is shown at once.
const restored = restorePerson();
if (session.get() === null) await restored;
mount(<App />);

import { lazy, useEffect, useRef } from 'react';
import { openCandidates } from '../state/candidates.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { signOut } from '../state/person.ts';
import { AccountContext } from '../state/role.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { Link } from '../ui/link.tsx';
import { Logo, Preferences } from '../ui/preferences.tsx';
import { pathOf, route } from '../ui/route.ts';
import { useTitle } from '../ui/title.ts';
import { CandidatesPage } from './candidates/candidates-page.tsx';
import { OpenCandidates } from './candidates/open-candidates.tsx';
import { CompanyPage } from './company/company-page.tsx';
import { ConnectionStrip } from './connection-strip.tsx';
import { DeliveriesPage } from './deliveries-page.tsx';
import { LazyPart } from './lazy-part.tsx';
import { Lookup } from './lookup/lookup.tsx';
import { Overview } from './overview/overview.tsx';
import { PortfolioPage } from './portfolio-page.tsx';
import { SandboxPage } from './sandbox-page.tsx';
import { SignIn } from './sign-in.tsx';
import { SourceWall } from './sources/source-wall.tsx';
import { UsagePage } from './usage-page.tsx';
import { WorkButton } from './work-button.tsx';

const PAGES = [
  { path: '', name: 'nav.overview' },
  { path: '/candidates', name: 'nav.candidates' },
  { path: '/portfolio', name: 'nav.portfolio' },
  { path: '/trends', name: 'nav.trends' },
  { path: '/screenings', name: 'nav.screenings' },
  { path: '/deliveries', name: 'nav.deliveries' },
  { path: '/sources', name: 'nav.sources' },
  { path: '/usage', name: 'nav.usage' },
] as const;
const SANDBOX_PAGE = { path: '/sandbox', name: 'nav.sandbox' } as const;

/** True for the page of a company, a screening or a search, which sets its own title. */
const hasOwnTitle = (at: string): boolean => /^\/((company|screenings)\/.|search$)/.test(at);

/** The pages of screenings are loaded when one of them is opened. */
const ScreeningPages = lazy(async () => ({ default: (await import('./screening/screening-pages.tsx')).ScreeningPages }));

/** The results of a search are loaded when their page is opened. */
const SearchPage = lazy(async () => ({ default: (await import('./search/search-page.tsx')).SearchPage }));

/** The plots are loaded when their page is opened. */
const TrendsPage = lazy(async () => ({ default: (await import('./trends/lazy.ts')).TrendsPage }));

/** Frame of every page, and the page of the address. */
export function Frame({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const at = useStore(route, (one) => one);
  const account = useStore(dashboard.store, (state) => state.account);
  const isSandbox = useStore(dashboard.store, (state) => state.isSandbox);
  const refused = useStore(dashboard.store, (state) => state.refused);
  const hasScreenings = account?.modules.includes('SCREENING') ?? true;
  const pages = PAGES.filter(({ path }) => path !== '/screenings' || hasScreenings);
  const page = [...PAGES, SANDBOX_PAGE].find(({ path }) => path === at);
  useTitle(refused || hasOwnTitle(at) ? null : texts(page?.name ?? 'notFound'));
  if (refused) return <SignIn problem={texts(refused.code === 'SESSION_ENDED' ? 'signIn.ended' : 'signIn.wrong')} />;
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {texts('skip')}
      </a>
      <header className="top">
        <div className="row spread">
          <div className="row">
            <Link href={pathOf('')} className="brand">
              <Logo /> Quipu
            </Link>
            <Menu dashboard={dashboard} pages={isSandbox ? [...pages, SANDBOX_PAGE] : pages} at={at} />
          </div>
          <div className="row">
            <span className="quiet small key-name">
              {account && (account.person ? texts('signIn.person', account.person) : texts('account', { name: account.name }))}
            </span>
            <Preferences />
            <WorkButton text={texts('signOut')} isPlain work={signOut} />
          </div>
        </div>
        <Lookup dashboard={dashboard} />
      </header>
      <ConnectionStrip dashboard={dashboard} />
      <main className="content" id="content" tabIndex={-1}>
        <AccountContext.Provider value={account}>
          <LazyPart key={at}>
            <Page dashboard={dashboard} at={at} />
          </LazyPart>
        </AccountContext.Provider>
      </main>
    </div>
  );
}

interface MenuProps {
  readonly dashboard: Dashboard;
  readonly pages: readonly ((typeof PAGES)[number] | typeof SANDBOX_PAGE)[];
  readonly at: string;
}

/** The links to the pages. Where they do not fit, the menu is scrolled so that the link of the present page is seen. */
function Menu({ dashboard, pages, at }: MenuProps) {
  const texts = useTexts();
  const list = useRef<HTMLUListElement>(null);
  const open = useStore(dashboard.store, openCandidates);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the places of the links depend on their number and their texts
  useEffect(() => {
    const link = list.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!list.current || !link) return;
    const box = list.current.getBoundingClientRect();
    list.current.scrollLeft += link.left + link.width / 2 - (box.left + box.width / 2);
  }, [at, pages.length, open, texts.language]);
  return (
    <nav aria-label={texts('nav.label')}>
      <ul ref={list}>
        {pages.map(({ path, name }) => (
          <li key={name}>
            <Link href={pathOf(path)} aria-current={path === at ? 'page' : undefined}>
              {texts(name)}
              {path === '/candidates' && <OpenCandidates open={open} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Page({ dashboard, at }: { readonly dashboard: Dashboard; readonly at: string }) {
  const texts = useTexts();
  const [, page, country, identifier] = at.split('/');
  if (at === '') return <Overview dashboard={dashboard} />;
  if (at === '/candidates') return <CandidatesPage dashboard={dashboard} />;
  if (at === '/portfolio') return <PortfolioPage dashboard={dashboard} />;
  if (page === 'screenings') return <ScreeningPages dashboard={dashboard} id={country} />;
  if (at === '/search') return <SearchPage client={dashboard.client} />;
  if (at === '/trends') return <TrendsPage dashboard={dashboard} />;
  if (at === '/deliveries') return <DeliveriesPage dashboard={dashboard} />;
  if (at === '/sources') return <SourceWall dashboard={dashboard} />;
  if (at === '/sandbox') return <SandboxPage dashboard={dashboard} />;
  if (at === '/usage') return <UsagePage client={dashboard.client} />;
  if (page === 'company' && identifier && (country === 'BR' || country === 'CL' || country === 'CO'))
    return <CompanyPage key={at} dashboard={dashboard} country={country} identifier={identifier} />;
  return (
    <>
      <h1>{texts('notFound')}</h1>
      <Link href={pathOf('')}>← {texts('back')}</Link>
    </>
  );
}

import { type FormEvent, useEffect, useState } from 'react';
import { GraphDrawing } from './landing/graph-drawing.tsx';
import './landing/landing.css';
import { type Meant, meantCnpj, pathOfCnpj } from './state/try-cnpj.ts';
import { landing } from './texts/landing.ts';
import { addTexts, useTexts } from './texts/texts.ts';
import { mount } from './ui/mount.tsx';
import { Logo, Preferences } from './ui/preferences.tsx';

addTexts(landing);

const LINKS = [
  { name: 'dashboard', href: '/dashboard' },
  { name: 'explorer', href: '/graphql' },
  { name: 'rest', href: '/docs/api' },
  { name: 'docs', href: '/docs' },
  { name: 'status', href: '/status' },
] as const;

const TIMEOUT_MS = 5_000;

/** The part of `/status.json` that the page reads. */
interface Status {
  readonly sources: readonly { readonly origin: string }[];
}

/** Companies of the sandbox (docs/sandbox.md), each with its scenario. */
const SCENARIOS = [
  { name: 'clean', cnpj: '99010001000184' },
  { name: 'debarred', cnpj: '99030001000146' },
  { name: 'owner', cnpj: '99040023000197' },
] as const;

/** True when a source of the service is a simulator; false before that is known, and when it cannot be read. */
function useIsSandbox(): boolean {
  const [isSandbox, set] = useState(false);
  useEffect(() => {
    fetch('/status.json', { signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then((answer) => (answer.ok ? answer.json() : { sources: [] }))
      .then(
        ({ sources }: Status) => set(sources.some(({ origin }) => origin === 'sandbox')),
        () => set(false),
      );
  }, []);
  return isSandbox;
}

/** Opens the page of a company by its CNPJ. In the sandbox it also offers three of its companies. */
function TryCnpj() {
  const texts = useTexts();
  const isSandbox = useIsSandbox();
  const [wrong, setWrong] = useState<{ readonly meant: Meant | null } | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('cnpj'));
    const path = pathOfCnpj(typed);
    setWrong(path === null ? { meant: meantCnpj(typed) } : null);
    if (path !== null) location.assign(path);
  };
  return (
    <section className="panel" aria-labelledby="try-title">
      <header>
        <h2 id="try-title">{texts('landing.try')}</h2>
      </header>
      <form className="body row" onSubmit={submit}>
        <input name="cnpj" aria-label="CNPJ" placeholder="99.010.001/0001-84" autoComplete="off" required />
        <button type="submit" className="primary">
          {texts('landing.open')}
        </button>
      </form>
      {wrong && (
        <p className="notice" role="alert">
          {wrong.meant ? (
            <>
              {texts('digits.wrong')} <a href={wrong.meant.path}>{texts('digits.meant', { id: wrong.meant.cnpj })}</a>
            </>
          ) : (
            texts('landing.wrong')
          )}
        </p>
      )}
      <p className="body quiet">{texts('landing.signIn')}</p>
      {isSandbox && (
        <div className="body">
          <h3>{texts('landing.scenarios')}</h3>
          <ul className="scenarios">
            {SCENARIOS.map(({ name, cnpj }) => (
              <li key={name}>
                <a href={`/dashboard/company/BR/${cnpj}`}>{texts(`landing.${name}`)}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** The page at `/`: a description of the service with a drawing, a box for a CNPJ, and links. */
function Landing() {
  const texts = useTexts();
  return (
    <main className="landing">
      <div className="row spread">
        <span className="brand">
          <Logo /> Quipu
        </span>
        <span className="row">
          <Preferences />
        </span>
      </div>
      <h1>{texts('landing.title')}</h1>
      <p className="lead">{texts('landing.lead')}</p>
      <GraphDrawing />
      <TryCnpj />
      <nav className="cards" aria-label={texts('nav.label')}>
        {LINKS.map(({ name, href }) => (
          <a key={name} href={href} className="panel card">
            <strong>{texts(`landing.${name}`)}</strong>
            <span className="quiet">{texts(`landing.${name}.text`)}</span>
          </a>
        ))}
      </nav>
    </main>
  );
}

mount(<Landing />);

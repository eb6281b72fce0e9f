import { useTexts } from './texts/texts.ts';
import { mount } from './ui/mount.tsx';
import { Logo, Preferences } from './ui/preferences.tsx';

const LINKS = [
  { name: 'dashboard', href: '/dashboard' },
  { name: 'explorer', href: '/graphql' },
  { name: 'rest', href: '/docs/api' },
  { name: 'docs', href: '/docs' },
  { name: 'status', href: '/status' },
] as const;

/** The page at `/`: a description of the service, and links. */
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

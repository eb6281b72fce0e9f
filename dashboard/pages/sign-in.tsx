import { type FormEvent, useState } from 'react';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { createClient, requireData } from '../api/client.ts';
import { Session } from '../api/operations.ts';
import { issuer as issuerStore, signInAddress } from '../state/person.ts';
import { signIn } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { Logo, Preferences } from '../ui/preferences.tsx';
import { problemText } from '../ui/problem.ts';
import { useTitle } from '../ui/title.ts';

/**
 * Offers the sign-in with the issuer of the service, if it has one, and asks for an API key, which is checked before it is used.
 * `problem`: why the key of this tab, or the session of the person, is not valid any more.
 */
export function SignIn({ problem: given = '' }: { readonly problem?: string }) {
  const texts = useTexts();
  const issuer = useStore(issuerStore, (one) => one);
  const [problem, setProblem] = useState(given);
  useTitle(texts('signIn.title'));
  const [isChecking, setChecking] = useState(false);

  async function check(key: string): Promise<void> {
    setChecking(true);
    try {
      requireData(await createClient(key).ask(Session, {}));
      signIn(key);
    } catch (error) {
      const isWrong = error instanceof QuipuError && /API_KEY$/.test(error.code);
      setProblem(isWrong ? texts('signIn.wrong') : problemText(error, texts));
    } finally {
      setChecking(false);
    }
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key')).trim();
    if (key === '') setProblem(texts('signIn.empty'));
    else void check(key);
  };

  return (
    <main className="content">
      <section className="panel sign-in">
        <header className="row spread">
          <span className="brand">
            <Logo /> Quipu
          </span>
          <span className="row">
            <Preferences />
          </span>
        </header>
        <form className="body" onSubmit={onSubmit}>
          <h1>{texts('signIn.title')}</h1>
          {issuer !== null && (
            <>
              <a className="primary" href={signInAddress()}>
                {texts('signIn.with', { issuer })}
              </a>
              <p className="quiet small">{texts('signIn.orKey')}</p>
            </>
          )}
          <label htmlFor="key">{texts('signIn.label')}</label>
          <input id="key" name="key" type="password" autoComplete="off" aria-describedby="key-problem" aria-invalid={problem !== ''} />
          <p id="key-problem" role="alert" className={problem ? 'notice' : 'hidden'}>
            {problem}
          </p>
          <button type="submit" className="primary" disabled={isChecking}>
            {texts('signIn.button')}
          </button>
          <p className="quiet small">{texts('signIn.hint')}</p>
        </form>
      </section>
    </main>
  );
}

import { type FormEvent, useState } from 'react';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { createClient, requireData } from '../api/client.ts';
import { Session } from '../api/operations.ts';
import { signIn } from '../state/session.ts';
import { useTexts } from '../texts/texts.ts';
import { Logo, Preferences } from '../ui/preferences.tsx';
import { problemText } from '../ui/problem.ts';
import { useTitle } from '../ui/title.ts';

/** Asks for an API key, and checks it before it is used. `wrong`: the key of this tab is not valid (any more). */
export function SignIn({ wrong = false }: { readonly wrong?: boolean }) {
  const texts = useTexts();
  const [problem, setProblem] = useState(wrong ? texts('signIn.wrong') : '');
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

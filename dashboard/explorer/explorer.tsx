import type { GraphQLSchema } from 'graphql';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { endSession, session, signIn } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { Logo, Preferences } from '../ui/preferences.tsx';
import { RetryNotice } from '../ui/retry-notice.tsx';
import { SkeletonLines } from '../ui/skeleton.tsx';
import { useTitle } from '../ui/title.ts';
import type { Editor } from './editor.ts';
import { type Company, FIRST, OPERATIONS, variablesFor } from './operations.ts';
import { explorerProblem, readVariables } from './problem.ts';
import { SchemaDocs } from './schema-docs.tsx';

/** The editor and the GraphQL library. They are a separate chunk, so that the page is shown while they load. */
type Tools = typeof import('./editor.ts') & { readonly schema: GraphQLSchema };

/** Maximum number of answers of a subscription that stay on the page. */
const MAX_ANSWERS = 50;

async function loadTools(): Promise<Tools> {
  const editor = await import('./editor.ts');
  return { ...editor, schema: await editor.loadSchema() };
}

/** Loads the code that sends requests, with the first of them, so that the page is shown before. */
const requests = () => import('./run.ts');

const textOf = (name: string): string => OPERATIONS.find((one) => one.name === name)?.text ?? '';

/** The page for trying operations. @param company tax id that a link names; null for none */
export function Explorer({ company: given }: { readonly company: string | null }) {
  const texts = useTexts();
  useTitle(texts('landing.explorer'));
  const key = useStore(session, (one) => one);
  const [tools, setTools] = useState<Tools | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const [shown, setShown] = useState(FIRST);
  const [company, setCompany] = useState<Company | null>(given === null ? null : { identifier: given, country: 'BR' });
  const [variables, setVariables] = useState(() => variablesFor(textOf(FIRST), company));
  const [answers, setAnswers] = useState<readonly string[]>([]);
  const [running, setRunning] = useState<AbortController | null>(null);
  const editor = useRef<Editor | null>(null);
  /** Text of the shown operation when the editor opens: an operation may be chosen while the editor loads. */
  const firstText = useRef(textOf(FIRST));
  /** Name of an operation that is not shown → its edited text. */
  const drafts = useRef(new Map<string, string>());

  useEffect(() => {
    loadTools().then(setTools, () => setFailed(true));
  }, []);

  async function start(): Promise<void> {
    if (!key || !tools || !editor.current) return;
    const query = editor.current.text();
    const stopped = new AbortController();
    running?.abort(); // the keys of the editor start again while an operation runs
    setAnswers([]);
    setProblem(null);
    setRunning(stopped);
    try {
      const sent = { key, query, variables: readVariables(variables), isSubscription: tools.isSubscription(query) };
      const { run } = await requests();
      await run(
        sent,
        (answer) => {
          if (!stopped.signal.aborted) setAnswers((before) => [JSON.stringify(answer, null, 2), ...before].slice(0, MAX_ANSWERS));
        },
        stopped.signal,
      );
    } catch (error) {
      if (!stopped.signal.aborted) setProblem(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setRunning((now) => (now === stopped ? null : now));
    }
  }
  const latestStart = useRef(start);
  latestStart.current = start;
  const label = texts('explorer.operation');
  const mountEditor = useCallback(
    (element: HTMLDivElement | null) => {
      if (!element || !tools) return;
      const before = editor.current;
      const text = before?.text() ?? firstText.current;
      before?.close();
      editor.current = tools.openEditor(element, { schema: tools.schema, label, text, onRun: () => void latestStart.current() });
    },
    [tools, label],
  );

  function open(name: string): void {
    if (editor.current) drafts.current.set(shown, editor.current.text());
    const text = drafts.current.get(name) ?? textOf(name);
    if (editor.current) editor.current.set(text);
    else firstText.current = text;
    setShown(name);
    setVariables(variablesFor(textOf(name), company));
  }

  function choose(chosen: Company): void {
    setCompany(chosen);
    setVariables(variablesFor(editor.current?.text() ?? textOf(shown), chosen));
  }

  return (
    <main className="content explorer">
      <div className="row spread">
        <a className="brand" href="/">
          <Logo /> Quipu
        </a>
        <h1>{texts('landing.explorer')}</h1>
        <span className="row">
          <a href="/docs/graphql">{texts('landing.docs')}</a>
          <Preferences />
        </span>
      </div>
      <KeyBox apiKey={key} />
      <nav aria-label={texts('explorer.operations')} className="row operations">
        {OPERATIONS.map(({ name }) => (
          <button key={name} type="button" translate="no" aria-pressed={name === shown} onClick={() => open(name)}>
            {name}
          </button>
        ))}
      </nav>
      <div className="overview">
        <div className="column">
          <section className="panel" aria-label={label}>
            <div ref={mountEditor} className="editor" />
            {!tools && !hasFailed && <SkeletonLines />}
            {hasFailed && <RetryNotice onRetry={() => location.reload()}>{texts('partFailed')}</RetryNotice>}
          </section>
          {key && <Scenarios apiKey={key} choose={choose} />}
          <label className="column">
            {texts('explorer.variables')}
            <textarea rows={5} spellCheck={false} value={variables} onChange={({ target }) => setVariables(target.value)} />
          </label>
          <div className="row">
            <button type="button" className="primary" disabled={!key || !tools || running !== null} onClick={() => void start()}>
              {texts('explorer.run')}
            </button>
            {running && (
              <button type="button" onClick={() => running.abort()}>
                {texts('explorer.stop')}
              </button>
            )}
            <span className="quiet small">Ctrl/⌘ + Enter</span>
          </div>
          {problem && (
            <p className="notice" role="alert">
              {explorerProblem(problem, texts)}
            </p>
          )}
          <section className="panel body" aria-label={texts('explorer.answer')} aria-live="polite">
            <h2>{texts('explorer.answer')}</h2>
            {answers.length === 0 && <p className="quiet">{running ? texts('explorer.waiting') : texts('explorer.none')}</p>}
            {answers.map((answer, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: answers have no id; the newest is first
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
              <pre key={answers.length - i} tabIndex={0}>
                {answer}
              </pre>
            ))}
          </section>
        </div>
        {tools && <SchemaDocs schema={tools.schema} />}
      </div>
    </main>
  );
}

/** Asks for the key of this tab, which is stored in the session storage only. */
function KeyBox({ apiKey }: { readonly apiKey: string | null }) {
  const texts = useTexts();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get('key')).trim();
    if (given !== '') signIn(given);
  };
  if (apiKey !== null)
    return (
      <p className="row">
        <span>{texts('explorer.key', { end: apiKey.slice(-4) })}</span>
        <button type="button" onClick={endSession}>
          {texts('explorer.forget')}
        </button>
      </p>
    );
  return (
    <form className="notice row" onSubmit={submit}>
      <span>{texts('explorer.noKey')}</span>
      <label htmlFor="key">{texts('signIn.label')}</label>
      <input id="key" name="key" type="password" autoComplete="off" />
      <button type="submit">{texts('explorer.use')}</button>
    </form>
  );
}

interface Scenario extends Company {
  readonly scenario: string;
  readonly name: string;
}

/** Shows the companies of the sandbox by their scenario. It shows nothing in live mode, which has no made-up world. */
function Scenarios({ apiKey, choose }: { readonly apiKey: string; readonly choose: (company: Company) => void }) {
  const texts = useTexts();
  const [scenarios, setScenarios] = useState<readonly Scenario[]>([]);
  useEffect(() => {
    requests()
      .then(({ control }) => control<{ readonly companies: readonly Scenario[] }>(apiKey, 'GET', 'companies'))
      .then(
        ({ companies }) => setScenarios(companies),
        () => setScenarios([]),
      );
  }, [apiKey]);
  if (scenarios.length === 0) return null;
  return (
    <label className="row">
      {texts('explorer.scenario')}
      <select
        defaultValue=""
        onChange={({ target }) => {
          const chosen = scenarios.find(({ scenario }) => scenario === target.value);
          if (chosen) choose(chosen);
        }}
      >
        <option value="" disabled>
          {texts('explorer.choose')}
        </option>
        {scenarios.map(({ scenario, name }) => (
          <option key={scenario} value={scenario} translate="no">
            {`${scenario}: ${name}`}
          </option>
        ))}
      </select>
    </label>
  );
}

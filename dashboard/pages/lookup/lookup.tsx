import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { problemOf } from '../../api/client.ts';
import type { Country } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, knownWatched } from '../../state/model.ts';
import { canAssess } from '../../state/portfolio.ts';
import { useStore } from '../../state/store.ts';
import { type TextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';
import { companyPath, open } from '../../ui/route.ts';
import { type LookupOption, type Searched, searchDomain, searchName, suggestionsFor } from './suggestions.ts';

/** Elements in which a key is text. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Calls `focus` on `/`, except where text is typed, and on Ctrl-K or ⌘K everywhere. */
function useShortcut(focus: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      if (!isCommand && !isSlash) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [focus]);
}

interface Outcome {
  /** Text that was in the box when the search began. */
  readonly of: string;
  readonly searched: Searched | null;
  /** Sentence about the outcome; empty if the companies say all. */
  readonly message: string;
}

/** Runs the searches of the box. An outcome is dropped when the text changes. */
function useSearch(dashboard: Dashboard, texts: Texts) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function search(text: string, option: Exclude<LookupOption, { kind: 'company' }>): Promise<void> {
    const country = option.kind === 'name' ? texts(`country.${option.country}`) : '';
    setBusy(true);
    try {
      const { client } = dashboard;
      const searched = await (option.kind === 'name' ? searchName(client, option) : searchDomain(client, option.domain));
      setOutcome({ of: text, searched, message: searched.hint ? texts(searched.hint, { country }) : '' });
    } catch (error) {
      const problem = problemOf(error);
      const isMissing = problem.code === 'SOURCE_NOT_CONFIGURED' && option.kind === 'name';
      const message = isMissing ? texts('lookup.noCopy', { country }) : texts('lookup.failed', { message: problemText(problem, texts) });
      setOutcome({ of: text, searched: null, message });
    } finally {
      setBusy(false);
    }
  }
  return { outcome, isBusy, search };
}

/** The box on every page that opens a company. It says what a choice counts on the key's plan before it counts. */
export function Lookup({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const listId = useId();
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const companies = useStore(dashboard.store, knownWatched);
  const account = useStore(dashboard.store, (state) => state.account);
  const { outcome, isBusy, search } = useSearch(dashboard, texts);
  const suggested = useMemo(() => suggestionsFor(text, { companies, account }), [text, companies, account]);
  const current = outcome?.of === text ? outcome : null;
  const options = current?.searched?.companies ?? suggested.options;
  const message = messageOf({ isBusy, current, hint: suggested.hint, texts });
  const chosen = options[Math.min(active, options.length - 1)];
  const optionId = (at: number): string => `${listId}-${at}`;
  useShortcut(useMemo(() => () => box.current?.select(), []));

  function choose(option: LookupOption | undefined): void {
    if (!option) return;
    if (option.kind !== 'company') {
      if (isBusy) return;
      setActive(0);
      void search(text, option);
      return;
    }
    setText('');
    setOpen(false);
    box.current?.blur();
    open(companyPath(option));
    document.getElementById('content')?.focus();
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setOpen(true);
      setActive((Math.min(active, options.length - 1) + step + options.length) % options.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(chosen);
    } else if (event.key === 'Escape') {
      if (!isOpen) setText('');
      setOpen(false);
    }
  };

  const isShown = isOpen && text.trim() !== '';
  return (
    <search className="lookup">
      <input
        ref={box}
        type="text"
        role="combobox"
        aria-label={texts('lookup.label')}
        aria-keyshortcuts="/ Control+K"
        aria-autocomplete="list"
        aria-expanded={isShown && options.length > 0}
        aria-controls={listId}
        aria-activedescendant={isShown && chosen ? optionId(options.indexOf(chosen)) : undefined}
        placeholder={texts('lookup.placeholder')}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div className={isShown ? 'options panel' : 'hidden'}>
        <div id={listId} role="listbox" aria-label={texts('lookup.options')}>
          {isShown &&
            options.map((option, at) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box
              // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys
              <div
                key={keyOf(option)}
                id={optionId(at)}
                role="option"
                aria-selected={option === chosen}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                <Option option={option} isAssessed={(country) => canAssess({ account }, country)} />
              </div>
            ))}
        </div>
        <p role="status" className={isShown && message !== '' ? 'small message' : 'hidden'}>
          {isShown && message}
        </p>
      </div>
    </search>
  );
}

interface MessageParts {
  readonly isBusy: boolean;
  readonly current: Outcome | null;
  readonly hint: TextKey | null;
  readonly texts: Texts;
}

function messageOf({ isBusy, current, hint, texts }: MessageParts): string {
  if (isBusy) return texts('lookup.busy');
  if (!current) return hint ? texts(hint) : '';
  if (current.message !== '') return current.message;
  return texts('lookup.found', { n: current.searched?.companies.length ?? 0 });
}

const keyOf = (option: LookupOption): string => {
  if (option.kind === 'company') return companyId(option);
  return option.kind === 'domain' ? option.domain : `${option.country} ${option.name}`;
};

/** An option: what it does, and what it counts on the key's plan. */
function Option({ option, isAssessed }: { readonly option: LookupOption; readonly isAssessed: (country: Country) => boolean }) {
  const texts = useTexts();
  if (option.kind === 'domain')
    return <Line title={texts('lookup.domain', { domain: option.domain })} notes={[texts('lookup.counts.domain')]} />;
  if (option.kind === 'name') {
    const country = texts(`country.${option.country}`);
    return <Line title={texts('lookup.name', { country, name: option.name })} notes={[texts('lookup.counts.name')]} />;
  }
  const { country, formattedIdentifier: id, name, place, origin } = option;
  const title = name ?? texts(origin === 'corrected' ? 'lookup.corrected' : 'lookup.exact', { id });
  const notes = [
    name !== null && id,
    texts(`country.${country}`),
    place,
    origin === 'watched' && texts('lookup.watched'),
    texts(`lookup.counts.${isAssessed(country) ? 'consolidated' : country}`),
  ];
  return <Line title={title} notes={notes} />;
}

function Line({ title, notes }: { readonly title: string; readonly notes: readonly (string | false | null)[] }) {
  return (
    <>
      <span className="title">{title}</span>
      <span className="quiet small">{notes.filter(Boolean).join(' · ')}</span>
    </>
  );
}

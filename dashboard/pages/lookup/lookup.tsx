import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useReducer, useRef } from 'react';
import { problemOf } from '../../api/client.ts';
import { chooseSearch } from '../../state/chosen-searches.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { knownWatched } from '../../state/model.ts';
import { useStore } from '../../state/store.ts';
import { type TextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { plainKey } from '../../ui/keys.ts';
import { problemText } from '../../ui/problem.ts';
import { companyPath, open, searchPath } from '../../ui/route.ts';
import { EMPTY, isUnderWay, keyOf, lookupAfter, optionAfter, optionsOf, type Search, type SearchOption } from './lookup-state.ts';
import { OptionLine } from './option-line.tsx';
import { type LookupOption, searchDomain, searchName, suggestionsFor } from './suggestions.ts';

/** Elements in which a key is text. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Calls `focus` on `/`, except where text is typed, and on Ctrl-K or ⌘K everywhere. */
function useShortcut(focus: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
      const isSlash = plainKey(event) === '/' && !isTyping(event.target);
      if (!isCommand && !isSlash) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [focus]);
}

/** The text of the box, its choices, the marked one, and the newest search. */
function useLookup(dashboard: Dashboard) {
  const [state, dispatch] = useReducer(lookupAfter, EMPTY);
  const companies = useStore(dashboard.store, knownWatched);
  const account = useStore(dashboard.store, (shared) => shared.account);
  const { text, search } = state;
  const suggested = useMemo(() => suggestionsFor(text, { companies, account }), [text, companies, account]);
  const options = optionsOf(search, suggested.options);
  const isShown = state.isOpen && text.trim() !== '';
  // The first choice is marked when it is shown. From then on the mark belongs to that choice, wherever others are added.
  if (isShown && state.marked === null && options[0]) dispatch({ type: 'marked', key: keyOf(options[0]) });

  /** Starts a search, also while another one is under way. The one that is under way is not sent twice. */
  async function start(option: SearchOption): Promise<void> {
    if (search && isUnderWay(search) && keyOf(search.option) === keyOf(option)) return;
    const begun: Search = { option, searched: null, problem: null };
    dispatch({ type: 'searched', search: begun });
    const { client } = dashboard;
    const ended = await (option.kind === 'name' ? searchName(client, option) : searchDomain(client, option.domain)).then(
      (searched): Search => ({ ...begun, searched }),
      (error): Search => ({ ...begun, problem: problemOf(error) }),
    );
    dispatch({ type: 'ended', of: begun, search: ended });
  }

  const chosen = isShown ? options.find((option) => keyOf(option) === state.marked) : undefined;
  return { text, search, options, chosen, hint: suggested.hint, isOpen: state.isOpen, isShown, account, dispatch, start };
}

/** Scrolls the marked choice into view, because the focus stays in the box. */
function useVisible(id: string | undefined): void {
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [id]);
}

/**
 * The box on every page that opens a company. It says what a choice counts on the key's plan before it counts. It is a combobox of the ARIA
 * practices, whose first choice is marked by itself.
 */
export function Lookup({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const listId = useId();
  const box = useRef<HTMLInputElement>(null);
  const { text, search, options, chosen, hint, isOpen, isShown, account, dispatch, start } = useLookup(dashboard);
  const message = messageOf({ search, hint, texts });
  const idOf = (option: LookupOption): string => `${listId}-${keyOf(option).replaceAll(/\s/g, '_')}`; // an id has no blanks
  const activeId = chosen && idOf(chosen);
  useVisible(activeId);
  useShortcut(
    useCallback(() => {
      box.current?.focus();
      box.current?.select();
      dispatch({ type: 'opened' });
    }, [dispatch]),
  );

  function choose(option: LookupOption): void {
    if (option.kind === 'domain' || option.kind === 'name') {
      void start(option);
      return;
    }
    dispatch({ type: 'cleared' });
    box.current?.blur();
    if (option.kind === 'results') chooseSearch(dashboard.client, { ...option, after: null });
    open(option.kind === 'company' ? companyPath(option) : searchPath(option));
    document.getElementById('content')?.focus();
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      const next = optionAfter(options, chosen ? keyOf(chosen) : null, step);
      dispatch({ type: event.altKey && step === -1 ? 'closed' : 'opened' });
      if (next && !event.altKey) dispatch({ type: 'marked', key: keyOf(next) });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (chosen) choose(chosen);
      else dispatch({ type: 'opened' });
    } else if (event.key === 'Escape') dispatch({ type: isOpen ? 'closed' : 'cleared' });
  };

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
        aria-activedescendant={activeId}
        placeholder={texts('lookup.placeholder')}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={({ target }) => dispatch({ type: 'typed', text: target.value })}
        onFocus={() => dispatch({ type: 'opened' })}
        onBlur={() => dispatch({ type: 'closed' })}
        onKeyDown={onKeyDown}
      />
      <div className={isShown ? 'options panel' : 'hidden'}>
        <div id={listId} role="listbox" aria-label={texts('lookup.options')}>
          {isShown &&
            options.map((option) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box
              // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys
              <div
                key={keyOf(option)}
                id={idOf(option)}
                role="option"
                aria-selected={option === chosen}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                <OptionLine option={option} account={account} />
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
  readonly search: Search | null;
  readonly hint: TextKey | null;
  readonly texts: Texts;
}

/** The sentence below the choices; empty if they say all. */
function messageOf({ search, hint, texts }: MessageParts): string {
  if (search === null) return hint ? texts(hint) : '';
  const { option, searched, problem } = search;
  const country = option.kind === 'name' ? texts(`country.${option.country}`) : '';
  if (problem?.code === 'SOURCE_NOT_CONFIGURED' && option.kind === 'name') return texts('lookup.noCopy', { country });
  if (problem) return texts('lookup.failed', { message: problemText(problem, texts) });
  if (!searched) return texts('lookup.busy');
  if (searched.hint) return texts(searched.hint, { country });
  return texts(searched.hasMore ? 'lookup.foundMore' : 'lookup.found', { n: searched.companies.length });
}

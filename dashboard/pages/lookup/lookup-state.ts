import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import { companyId } from '../../state/model.ts';
import type { LookupOption, Searched } from './suggestions.ts';

/** A choice that searches, which counts on the key's plan. */
export type SearchOption = Extract<LookupOption, { readonly kind: 'domain' | 'name' }>;

/** A search of the text that is in the box. */
export interface Search {
  readonly option: SearchOption;
  /** The companies that were found; null before the answer, and after a failure. */
  readonly searched: Searched | null;
  /** The failure; null if the search did not fail. */
  readonly problem: QuipuError | null;
}

export interface LookupState {
  readonly text: string;
  readonly isOpen: boolean;
  /** Key of the marked choice, which Enter takes; null as long as none was shown. A choice that arrives later does not move the mark. */
  readonly marked: string | null;
  /** The newest search of the text; null for none. */
  readonly search: Search | null;
}

export type LookupAction =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'opened' | 'closed' | 'cleared' }
  | { readonly type: 'marked'; readonly key: string }
  | { readonly type: 'searched'; readonly search: Search }
  /** `of` is the search that was begun: the answer of an older one, or of another text, changes nothing. */
  | { readonly type: 'ended'; readonly of: Search; readonly search: Search };

export const EMPTY: LookupState = { text: '', isOpen: false, marked: null, search: null };

/** The identity of a choice among those of one text. */
export const keyOf = (option: LookupOption): string => {
  if (option.kind === 'company') return companyId(option);
  if (option.kind === 'domain') return option.domain;
  return `${option.kind} ${option.country} ${option.name}`;
};

export const isUnderWay = ({ searched, problem }: Search): boolean => searched === null && problem === null;

/** Returns the state of the box after what a person did, or after an answer. */
export function lookupAfter(state: LookupState, action: LookupAction): LookupState {
  switch (action.type) {
    case 'typed':
      return { text: action.text, isOpen: true, marked: null, search: null };
    case 'opened':
      return { ...state, isOpen: true };
    case 'closed':
      return { ...state, isOpen: false, marked: null };
    case 'cleared':
      return EMPTY;
    case 'marked':
      return { ...state, marked: action.key };
    case 'searched':
      return { ...state, search: action.search };
    case 'ended':
      return state.search === action.of ? afterSearch(state, action.search) : state;
  }
}

/** The choice of a search that succeeded leaves the list. If it was marked, the mark moves to the first company. */
function afterSearch(state: LookupState, search: Search): LookupState {
  const isGone = search.searched !== null && state.marked === keyOf(search.option);
  return { ...state, search, marked: isGone ? null : state.marked };
}

/**
 * Returns the choices of the box: the companies that a search found, all its results if there are more, then what is suggested for the text,
 * each once.
 */
export function optionsOf(search: Search | null, suggested: readonly LookupOption[]): readonly LookupOption[] {
  if (!search?.searched) return suggested;
  const { option, searched } = search;
  const found = searched.companies;
  const all: readonly LookupOption[] = searched.hasMore && option.kind === 'name' ? [{ ...option, kind: 'results' }] : [];
  const shown = new Set([keyOf(option), ...found.map(keyOf)]);
  return [...found, ...all, ...suggested.filter((option) => !shown.has(keyOf(option)))];
}

/** Returns the choice that is `step` places after the marked one, around the end. Without a mark it begins at an end of the list. */
export function optionAfter(options: readonly LookupOption[], marked: string | null, step: 1 | -1): LookupOption | undefined {
  const at = options.findIndex((option) => keyOf(option) === marked);
  if (at === -1) return options.at(step === 1 ? 0 : -1);
  return options[(at + step + options.length) % options.length];
}

import { useRef } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { CandidateDecision, Country } from '../../api/operations.ts';
import { CANDIDATE_STATES, type CandidateFilter, type CandidateState, NO_FILTER } from '../../state/candidates.ts';
import { useTexts } from '../../texts/texts.ts';
import { COUNTRIES, MAX_TEXT, NAME_DECISIONS } from './filter-address.ts';

interface Props {
  readonly filter: CandidateFilter;
  /** Lists of the known candidates. */
  readonly lists: readonly string[];
  readonly onChange: (filter: CandidateFilter) => void;
}

/** Filters of the candidates and of the decisions. */
export function FilterBar({ filter, lists, onChange }: Props) {
  const texts = useTexts();
  const set = (change: Partial<CandidateFilter>): void => onChange({ ...filter, ...change });
  const isFiltered = Object.values(filter).some(Boolean);
  const shownLists = filter.list === null || lists.includes(filter.list) ? lists : [filter.list, ...lists];
  const first = useRef<HTMLInputElement>(null);
  const clear = (): void => {
    onChange(NO_FILTER);
    first.current?.focus(); // the button is removed
  };
  return (
    <fieldset className="row filters">
      <legend className="hidden">{texts('decisions.filters')}</legend>
      <input
        ref={first}
        type="search"
        maxLength={MAX_TEXT}
        aria-label={texts('decisions.text')}
        placeholder={texts('decisions.text')}
        value={filter.text}
        onChange={({ target }) => set({ text: target.value })}
      />
      <Choice
        label={texts('decisions.state')}
        value={filter.state}
        options={CANDIDATE_STATES.map((one) => [one, texts(`candidates.${one}`)] as const)}
        onChange={(state) => set({ state: state as CandidateState | null })}
      />
      <Choice
        label={texts('decisions.list')}
        value={filter.list}
        options={shownLists.map((one) => [one, sourceNameIn(one, texts.language)] as const)}
        onChange={(list) => set({ list })}
      />
      <Choice
        label={texts('decisions.country')}
        value={filter.country}
        options={COUNTRIES.map((one) => [one, texts(`country.${one}`)] as const)}
        onChange={(country) => set({ country: country as Country | null })}
      />
      <Choice
        label={texts('decisions.names')}
        value={filter.decision}
        options={NAME_DECISIONS.map((one) => [one, texts(`candidates.${one}`)] as const)}
        onChange={(decision) => set({ decision: decision as CandidateDecision | null })}
      />
      {isFiltered && (
        <button type="button" className="plain" onClick={clear}>
          {texts('decisions.clear')}
        </button>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | null;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string | null) => void;
}

/** A choice of one value, or of all. */
function Choice({ label, value, options, onChange }: ChoiceProps) {
  const texts = useTexts();
  return (
    <select aria-label={label} value={value ?? ''} onChange={({ target }) => onChange(target.value || null)}>
      <option value="">{texts('decisions.all', { of: label })}</option>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

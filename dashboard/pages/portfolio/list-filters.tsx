import { useRef } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { COUNTRY_FILTERS, isFiltered, LEVEL_FILTERS, type View } from './list-view.ts';

interface Props {
  readonly view: View;
  /** Tags of the watched companies. */
  readonly tags: readonly string[];
  readonly onChange: (change: Partial<View>) => void;
}

const NO_FILTER: Partial<View> = { text: '', level: '', country: '', hits: false, tag: '' };

/** The filters of the list. Each one is part of the address. */
export function ListFilters({ view, tags, onChange }: Props) {
  const texts = useTexts();
  const shownTags = view.tag === '' || tags.includes(view.tag) ? tags : [view.tag, ...tags];
  const first = useRef<HTMLInputElement>(null);
  const clear = (): void => {
    onChange(NO_FILTER);
    first.current?.focus(); // the button is removed
  };
  return (
    <div className="row">
      <input
        ref={first}
        type="search"
        aria-label={texts('companies.search')}
        placeholder={texts('companies.search')}
        value={view.text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <Choice
        label={texts('list.level')}
        all={texts('list.allLevels')}
        value={view.level}
        options={LEVEL_FILTERS.map((value) => ({ value, text: texts(value === 'INCOMPLETE' ? 'list.incomplete' : `risk.${value}`) }))}
        onChange={(level) => onChange({ level })}
      />
      <Choice
        label={texts('csv.country')}
        all={texts('list.allCountries')}
        value={view.country}
        options={COUNTRY_FILTERS.map((value) => ({ value, text: texts(`country.${value}`) }))}
        onChange={(country) => onChange({ country })}
      />
      {shownTags.length > 0 && (
        <Choice
          label={texts('list.tag')}
          all={texts('list.allTags')}
          value={view.tag}
          options={shownTags.map((value) => ({ value, text: value }))}
          onChange={(tag) => onChange({ tag })}
        />
      )}
      <button type="button" aria-pressed={view.hits} onClick={() => onChange({ hits: !view.hits })}>
        {texts('list.hits')}
      </button>
      {isFiltered(view) && (
        <button type="button" className="plain" onClick={clear}>
          {texts('companies.clear')}
        </button>
      )}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  /** Text of the option that selects all. */
  readonly all: string;
  readonly value: T | '';
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onChange: (value: T | '') => void;
}

function Choice<T extends string>({ label, all, value, options, onChange }: ChoiceProps<T>) {
  return (
    <select aria-label={label} value={value} onChange={({ target }) => onChange(target.value as T | '')}>
      <option value="">{all}</option>
      {options.map((one) => (
        <option key={one.value} value={one.value}>
          {one.text}
        </option>
      ))}
    </select>
  );
}

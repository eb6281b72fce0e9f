import type { CsvDelimiter } from '../../src/domain/csv.ts';
import { saveFile } from '../api/download.ts';
import { useTexts } from '../texts/texts.ts';
import { chooseDelimiter, isDelimiter, useDelimiter } from '../ui/delimiter.ts';

const DELIMITERS = ['comma', 'semicolon'] as const satisfies readonly CsvDelimiter[];

/** Choice of the delimiter of CSV files, beside a button that saves one. It is the same on all pages. */
export function DelimiterChoice() {
  const texts = useTexts();
  const delimiter = useDelimiter();
  return (
    <select
      aria-label={texts('csv.delimiter')}
      value={delimiter}
      onChange={({ target }) => {
        if (isDelimiter(target.value)) chooseDelimiter(target.value);
      }}
    >
      {DELIMITERS.map((one) => (
        <option key={one} value={one}>
          {texts(`csv.${one}`)}
        </option>
      ))}
    </select>
  );
}

interface Props {
  readonly text: string;
  /** Name of the file. */
  readonly name: string;
  readonly isPlain?: boolean;
  /** Writes the file. */
  readonly csv: (delimiter: CsvDelimiter) => string;
}

/** A button that saves CSV of the page as a file of the browser's downloads, with the choice of its delimiter. */
export function SaveCsv({ text, name, isPlain = false, csv }: Props) {
  const delimiter = useDelimiter();
  const save = (): void => saveFile(new Blob([csv(delimiter)], { type: 'text/csv;charset=utf-8' }), name);
  return (
    <>
      <button type="button" className={isPlain ? 'plain' : undefined} onClick={save}>
        {text}
      </button>
      <DelimiterChoice />
    </>
  );
}

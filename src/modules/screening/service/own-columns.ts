import { maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { MAX_LENGTHS, storable } from '../../../domain/text.ts';

/** The columns of a file beside those of the tax id and the country. */
export interface OwnColumns {
  readonly names: readonly string[];
  /** Returns the cells of a row in these columns: storable texts with masked CPFs. A cell that the row lacks is empty. */
  readonly cellsOf: (record: readonly string[]) => readonly string[];
}

/**
 * Finds the own columns of a file. Cells to the right of its first row belong to no column, and are left out.
 * @param first first row of the file
 * @param used positions of the columns that the service reads
 */
export function ownColumnsOf(first: readonly string[], used: readonly number[], hasHeader: boolean): OwnColumns {
  const positions = [...first.keys()].filter((position) => !used.includes(position));
  const names = positions.map((position) => {
    const name = hasHeader ? maskCpfs(storable(first[position] ?? '', MAX_LENGTHS.label)).trim() : '';
    return name || `column_${position + 1}`;
  });
  // A column of CPFs may have numbers without left zeros, which are no CPFs elsewhere.
  const masks = names.map((name) => (/cpf/i.test(name) ? maskCpfsInName : maskCpfs));
  const cellOf = (text: string, mask: (text: string) => string): string => (text === '' ? '' : mask(storable(text)).trim());
  return { names, cellsOf: (record) => positions.map((position, i) => cellOf(record[position] ?? '', masks[i] ?? maskCpfs)) };
}

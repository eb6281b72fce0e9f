import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary } from '../../../sources/registry/registry.ts';
import type { SanctionsEntry } from './entry.ts';
import { IdFloors } from './id-floors.ts';
import { readOfacCsv } from './ofac-csv.ts';
import type { OfacList } from './ofac-list.ts';
import { readOfacXml } from './ofac-xml.ts';

/** Creates the reader of a list as xml or csv. Both have the same parties. */
export const ofacReader = (list: OfacList) =>
  async function* read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
    const floors = new IdFloors(list.idLimits);
    const summary = yield* readerOf(file, list, floors);
    floors.assertReached();
    return { ...summary, rowsUnmatched: floors.unread + (summary.rowsUnmatched ?? 0) };
  };

function readerOf(file: ListFile, list: OfacList, floors: IdFloors): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  if (file.format === 'xml') return readOfacXml(file, list, floors);
  if (file.format === 'csv') return readOfacCsv(file, list, floors);
  throw new ListFileError(`the list is published as xml or csv, not ${file.format}`);
}

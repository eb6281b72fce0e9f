import { isIsoDate } from '../../domain/time.ts';
import { type Archive, type ArchiveEntry, openArchive } from './archive.ts';
import { byteOrderMark, csvCharset, inspectText, readText, type TextFacts, xmlCharset } from './charset.ts';
import { csvRows } from './csv-rows.ts';
import type { Download, Downloader } from './download.ts';
import { DownloadFailure } from './download-transfer.ts';
import { type ListFile, ListFileError } from './list-file.ts';
import { isWorkbook, workbookRows } from './workbook.ts';

export interface OpenOptions {
  /** Downloads companion files. */
  readonly downloader: Pick<Downloader, 'get'>;
  /**
   * Base names of the files to read from a zip of several files, best first, in lower case and without a date before them; without them, the
   * largest list file is read.
   */
  readonly members?: readonly string[];
  /** Maximum unpacked size of a file of a zip, bytes. */
  readonly maxBytes?: number;
}

const MAX_UNPACKED_BYTES = 2 * 1024 ** 3;
const LIST_EXTENSIONS = /\.(?:csv|xml|xlsx|txt)$/i;
const HTML = /^<(?:!doctype\s+html|html|head|body)\b/i;
/** Matches text before the first element: blanks, an XML declaration, comments. */
const PROLOGUE = /\s+|<\?xml[^>]*>|<!--[\s\S]*?-->/iy;

/**
 * Opens the list in a downloaded file. Detects the format by content, not by name: csv, xml, xlsx, or a zip with one of them. A file of a
 * zip is unpacked next to the download.
 * @throws ListFileError for an HTML page, an empty file, or a zip that is damaged, too large or contains no list
 */
export async function openListFile(download: Download, options: OpenOptions): Promise<ListFile> {
  const archive = await openArchive(download.path);
  if (archive && !isWorkbook(archive)) return openEntry(download, archive, choose(archive, options.members ?? []), options);
  const facts = { ...datesOf(download.name, download), writtenOn: null, companion: siblingsOf(download, options) };
  return { ...facts, ...(await openContent(download.path, archive)) };
}

/** Unpacks and opens a file of a zip. Its companions are the other files of the zip, and else the files next to the zip. */
async function openEntry(download: Download, archive: Archive, entry: ArchiveEntry, options: OpenOptions): Promise<ListFile> {
  const file = `${download.path}.${archive.entries.indexOf(entry)}`;
  await archive.unpack(entry, file, options.maxBytes ?? MAX_UNPACKED_BYTES);
  const inner = await openArchive(file);
  if (inner && !isWorkbook(inner)) throw new ListFileError('a zip within a zip');
  const sibling = siblingsOf(download, options);
  async function companion(name: string, query?: Readonly<Record<string, string>>): Promise<ListFile | null> {
    const other = archive.entries.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return other ? openEntry(download, archive, other, options) : sibling(name, query);
  }
  const facts = { ...datesOf(entry.name, download), writtenOn: archive.writtenOn(entry), companion };
  return { ...facts, ...(await openContent(file, inner)), isEnded: true }; // a zip has checksums
}

const datesOf = (name: string, download: Download): Pick<ListFile, 'name' | 'nameDate' | 'lastModified'> => ({
  name,
  nameDate: dateIn(name) ?? dateIn(download.name) ?? download.date,
  lastModified: download.lastModified,
});

/** Returns true for a text file. Beside another list file it contains only notes, or the same list in prose. */
const isText = ({ name }: ArchiveEntry): boolean => /\.txt$/i.test(name);

/** Returns the name in lower case, without the date before it: `acordos.csv` for `20261005_Acordos.csv`. */
const undated = ({ name }: ArchiveEntry): string => name.toLowerCase().replace(/^\d{8}_/, '');

function choose({ entries }: Archive, preferred: readonly string[]): ArchiveEntry {
  const lists = entries.filter(({ name, path }) => LIST_EXTENSIONS.test(name) && !name.startsWith('.') && !path.startsWith('__MACOSX/'));
  const wanted = preferred.map((name) => lists.find((entry) => undated(entry) === name)).find((entry) => entry);
  const chosen = wanted ?? lists.toSorted((a, b) => Number(isText(a)) - Number(isText(b)) || b.bytes - a.bytes)[0];
  if (!chosen) throw new ListFileError('the zip holds no csv, xml, xlsx or txt');
  return chosen;
}

/** Opens a workbook or a text on disk. `workbook` is null for a file that is no zip. */
async function openContent(file: string, workbook: Archive | null): Promise<Pick<ListFile, 'format' | 'isEnded' | 'text' | 'rows'>> {
  if (workbook)
    return { format: 'xlsx', isEnded: true, text: () => refuse('a workbook has rows, not text'), rows: () => workbookRows(file, workbook) };
  const facts = await inspectText(file);
  const wide = byteOrderMark(facts.head) !== null;
  if (facts.end === 0) throw new ListFileError('the file is empty');
  if (facts.binary && !wide) throw new ListFileError('the file is binary');
  const opening = openingOf(facts);
  if (isHtml(opening)) throw new ListFileError('an HTML page stands where the list should be');
  const isXml = /^[\s\uFEFF]*</.test(opening);
  const charset = isXml ? xmlCharset(facts) : csvCharset(facts);
  const text = () => readText(file, charset, wide ? facts.size : facts.end);
  const isEnded = facts.end < facts.size;
  return isXml
    ? { format: 'xml', isEnded, text, rows: () => refuse('an xml has no rows') }
    : { format: 'csv', isEnded, text, rows: (form) => csvRows(text(), form) };
}

const openingOf = ({ head }: TextFacts): string => new TextDecoder(byteOrderMark(head) ?? 'utf-8').decode(head);

/** Returns true for the opening of an HTML page. */
function isHtml(opening: string): boolean {
  PROLOGUE.lastIndex = 0;
  let start = 0;
  while (PROLOGUE.test(opening)) start = PROLOGUE.lastIndex;
  return HTML.test(opening.slice(start));
}

// biome-ignore lint/correctness/useYield: it is a stream that fails at once
async function* refuse(message: string): AsyncGenerator<never, void, void> {
  throw new ListFileError(message);
}

/** Returns the ISO date in a name, as YYYYMMDD or YYYY-MM-DD. */
function dateIn(name: string): string | null {
  for (const [, year, , month, day] of name.matchAll(/(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/g)) {
    const date = `${year}-${month}-${day}`;
    if (isIsoDate(date)) return date;
  }
  return null;
}

/** Returns a function that downloads and opens a file of the publisher's folder; it returns null if the file is absent. */
const siblingsOf =
  (download: Download, options: OpenOptions): ListFile['companion'] =>
  async (name, query) => {
    for (const address of siblings(download.url, name, query)) {
      try {
        return await openListFile(await options.downloader.get(address), options);
      } catch (error) {
        if (!(error instanceof DownloadFailure && error.absent)) throw error;
      }
    }
    return null;
  };

/** Returns addresses with another last segment, first in capitals if the original is in capitals: SDN.CSV has ALT.CSV beside it. */
function siblings(url: URL, name: string, query?: Readonly<Record<string, string>>): readonly string[] {
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  const file = url.pathname.slice(folder.length);
  const inCapitals = /^[^a-z]+$/.test(file) && /[A-Z]/.test(file);
  return (inCapitals ? [name.toUpperCase(), name] : [name]).map((segment) => {
    const sibling = new URL(url);
    sibling.pathname = folder + encodeURIComponent(segment);
    if (query) sibling.search = String(new URLSearchParams(query));
    return sibling.href;
  });
}

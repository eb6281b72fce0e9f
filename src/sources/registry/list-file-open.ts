import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { storable } from '../../domain/text.ts';
import { isIsoDate, MINUTE_MS } from '../../domain/time.ts';
import { createReadingProcesses } from '../reading-process/reading-process.ts';
import { isZip, listZip, unpackMember, verifyZip, type ZipMember } from './archive.ts';
import { byteOrderMark, csvCharset, inspectText, readText, type TextFacts, xmlCharset } from './charset.ts';
import type { Download, Downloader } from './download.ts';
import { DownloadFailure } from './download-transfer.ts';
import { type ListFile, ListFileError, MAX_RECORD_CHARACTERS, type RowsOptions } from './list-file.ts';
import { withDoubledQuotes } from './quoted-records.ts';

export interface OpenOptions {
  /** Downloads companion files. */
  readonly downloader: Pick<Downloader, 'get'>;
  /**
   * Base names of the members to read from a zip of several files, best first, in lower case; without them, the largest list file is read.
   */
  readonly members?: readonly string[];
  /** Maximum decompressed size of a zip member, bytes. */
  readonly maxBytes?: number;
}

const MAX_MEMBER_BYTES = 2 * 1024 ** 3;
const LIST_EXTENSIONS = /\.(?:csv|xml|xlsx|txt)$/i;
/** Maximum number of columns. The widest published file has about a hundred. */
const MAX_COLUMNS = 1_000;
const HTML = /^<(?:!doctype\s+html|html|head|body)\b/i;
/** Matches text before the first element: blanks, an XML declaration, comments. */
const PROLOGUE = /\s+|<\?xml[^>]*>|<!--[\s\S]*?-->/iy;

/** Returns true for the opening of an HTML page. */
function isHtml(opening: string): boolean {
  PROLOGUE.lastIndex = 0;
  let start = 0;
  while (PROLOGUE.test(opening)) start = PROLOGUE.lastIndex;
  return HTML.test(opening.slice(start));
}

/**
 * Opens the list in a downloaded file. Detects the format by content, not by name: csv, xml, xlsx, or a zip with one of them. Zip members
 * are unpacked next to the download.
 * @throws ListFileError for an HTML page, an empty file, or a zip that is damaged, too large or contains no list
 */
export async function openListFile(download: Download, options: OpenOptions): Promise<ListFile> {
  const archive = (await isZip(download.path)) ? await listZip(download.path) : null;
  if (!archive || isWorkbook(archive)) return describe(download.path, download.name, download, options);
  return fromZip(download, archive, choose(archive, options.members ?? []), options);
}

async function fromZip(download: Download, archive: readonly ZipMember[], member: ZipMember, options: OpenOptions): Promise<ListFile> {
  const unpacked = `${download.path}.${archive.indexOf(member)}`;
  await unpackMember(download.path, member, unpacked, options.maxBytes ?? MAX_MEMBER_BYTES);
  const file = await describe(unpacked, member.name, download, options);
  return {
    ...file,
    async companion(name) {
      const beside = archive.find((other) => other.name.toLowerCase() === name.toLowerCase());
      return beside ? fromZip(download, archive, beside, options) : file.companion(name);
    },
  };
}

const isWorkbook = (archive: readonly ZipMember[]): boolean => archive.some(({ fullName }) => fullName === '[Content_Types].xml');

/** True for a text file. Beside another list file it contains only notes, or the same list in prose. */
const isText = ({ name }: ZipMember): boolean => /\.txt$/i.test(name);

function choose(archive: readonly ZipMember[], preferred: readonly string[]): ZipMember {
  const lists = archive.filter(
    ({ name, fullName }) => LIST_EXTENSIONS.test(name) && !name.startsWith('.') && !fullName.startsWith('__MACOSX/'),
  );
  const wanted = preferred.map((name) => lists.find((member) => member.name.toLowerCase() === name)).find((member) => member);
  const chosen = wanted ?? lists.toSorted((a, b) => Number(isText(a)) - Number(isText(b)) || b.bytes - a.bytes)[0];
  if (!chosen) throw new ListFileError('the zip holds no csv, xml, xlsx or txt');
  return chosen;
}

/** Opens a file that is not a zip, or a workbook, which is a zip. */
async function describe(file: string, name: string, download: Download, options: OpenOptions): Promise<ListFile> {
  const about = {
    name,
    nameDate: dateIn(name) ?? dateIn(download.name) ?? download.date,
    lastModified: download.lastModified,
    companion: (other: string) => besideAddress(download, other, options),
  };
  if (await isZip(file)) {
    if (!isWorkbook(await listZip(file))) throw new ListFileError('a zip within a zip');
    return { ...about, format: 'xlsx', text: () => refuse('a workbook has rows, not text'), rows: () => workbookRows(file) };
  }
  const facts = await inspectText(file);
  const wide = byteOrderMark(facts.head) !== null;
  if (facts.end === 0) throw new ListFileError('the file is empty');
  if (facts.binary && !wide) throw new ListFileError('the file is binary');
  const opening = openingOf(facts);
  if (isHtml(opening)) throw new ListFileError('an HTML page stands where the list should be');
  const end = wide ? facts.size : facts.end;
  if (/^[\s\uFEFF]*</.test(opening)) {
    const text = () => readText(file, xmlCharset(facts), end);
    return { ...about, format: 'xml', text, rows: () => refuse('an xml has no rows') };
  }
  const text = () => readText(file, csvCharset(facts), end);
  return { ...about, format: 'csv', text, rows: (form) => csvRows(text(), form) };
}

const openingOf = ({ head }: TextFacts): string => new TextDecoder(byteOrderMark(head) ?? 'utf-8').decode(head);

// biome-ignore lint/correctness/useYield: it is a stream that fails at once
async function* refuse(message: string): AsyncGenerator<never, void, void> {
  throw new ListFileError(message);
}

async function* workbookRows(file: string): AsyncGenerator<readonly string[], void, void> {
  for (const row of await readFirstSheet(file)) if (row.some((cell) => cell !== '')) yield row;
}

async function* csvRows(text: AsyncIterable<string>, form: RowsOptions): AsyncGenerator<readonly string[], void, void> {
  let left = 0;
  const parser = parse({
    delimiter: form.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: form.relaxColumns ?? false,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    skip_records_with_error: form.tolerated !== undefined,
    on_skip(error) {
      left += 1;
      if (error?.code === 'CSV_QUOTE_NOT_CLOSED') parser.destroy(error);
    },
  });
  const source = Readable.from(form.recovery ? withDoubledQuotes(text, form.recovery) : text);
  pipeline(source, parser, () => undefined); // a failure of the pipeline also ends the loop below, which reports it
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      if (row.length > MAX_COLUMNS) throw new ListFileError(`a row has more than ${MAX_COLUMNS} columns`);
      yield row.map((cell) => storable(cell).trim());
    }
    if (left > parser.info.records * (form.tolerated ?? 0)) throw new ListFileError(`${left} rows are malformed`);
  } catch (cause) {
    // The message of the package quotes the row, which may be about a person.
    if (cause instanceof CsvError) throw new ListFileError(`row ${parser.info.records + 1} is malformed: ${cause.code}`);
    throw cause;
  } finally {
    source.destroy();
  }
}

/** Returns the ISO date in a name, as YYYYMMDD or YYYY-MM-DD. */
function dateIn(name: string): string | null {
  for (const [, year, , month, day] of name.matchAll(/(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/g)) {
    const date = `${year}-${month}-${day}`;
    if (isIsoDate(date)) return date;
  }
  return null;
}

async function besideAddress(download: Download, name: string, options: OpenOptions): Promise<ListFile | null> {
  for (const address of siblings(download.url, name)) {
    try {
      return await openListFile(await options.downloader.get(address), options);
    } catch (error) {
      if (!(error instanceof DownloadFailure && error.absent)) throw error;
    }
  }
  return null;
}

/** Returns addresses with another last segment, first in capitals if the original is in capitals: SDN.CSV has ALT.CSV beside it. */
function siblings(url: URL, name: string): readonly string[] {
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  const file = url.pathname.slice(folder.length);
  const inCapitals = /^[^a-z]+$/.test(file) && /[A-Z]/.test(file);
  return (inCapitals ? [name.toUpperCase(), name] : [name]).map((segment) => {
    const sibling = new URL(url);
    sibling.pathname = folder + encodeURIComponent(segment);
    return sibling.href;
  });
}

/** Maximum unpacked size of a workbook, which is read completely into memory. Real ones have a hundredth. */
const MAX_WORKBOOK_BYTES = 50 * 1024 ** 2;

const workbooks = createReadingProcesses<string, readonly (readonly string[])[]>({
  beside: import.meta.url,
  name: 'workbook-process',
  processes: 1,
  perCaller: 1,
  deadlineMs: MINUTE_MS,
});

/**
 * Reads the rows of the first sheet, with the cells as texts of a csv: dates DD/MM/YYYY, numbers plain digits, '' for none.
 * @throws ListFileError for a file that is damaged, over 50 MiB unpacked, not a workbook, or takes more than a minute
 */
async function readFirstSheet(file: string): Promise<readonly (readonly string[])[]> {
  await verifyZip(file, MAX_WORKBOOK_BYTES);
  return workbooks.run(file).catch((cause: unknown) => {
    throw new ListFileError('the workbook cannot be read', { cause });
  });
}

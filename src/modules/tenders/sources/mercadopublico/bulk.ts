import { pathToFileURL } from 'node:url';
import { type Clock, chileanDate, DAY_MS, daysBetween, HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts';
import { fingerprint, originOf } from '../../../../sources/registry/copy-sync.ts';
import { columnName } from '../../../../sources/registry/csv-table.ts';
import {
  createDownloader,
  DOWNLOAD_LIMITS,
  type DownloadLimits,
  openDownloadFolder,
  removeFolder,
} from '../../../../sources/registry/download.ts';
import { DownloadFailure } from '../../../../sources/registry/download-transfer.ts';
import { type ListFile, ListFileError } from '../../../../sources/registry/list-file.ts';
import { openListFile } from '../../../../sources/registry/list-file-open.ts';
import type { Address } from '../../../../sources/source.ts';
import type { IndexRow } from '../../store.ts';
import { type IndexPlan, kindOf, monthAfter, monthOf, type SliceReading } from '../index-plan.ts';
import { cellAt, readBulkAwards, readBulkOrders } from './bulk-rows.ts';
import { localDay } from './values.ts';

/** A month of orders is 100 MB zipped, 740 MB plain. */
const GIB = 1024 ** 3;
const LIMITS: DownloadLimits = { ...DOWNLOAD_LIMITS, wireBytes: GIB, fileBytes: 4 * GIB, deadlineMs: 30 * MINUTE_MS };
const MAX_PLAIN_BYTES = 8 * GIB;

export interface FetchOptions {
  readonly tempDir: string;
  /** Names the folder of the files in progress; unique to the index. */
  readonly label: string;
  readonly now: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** A monthly file on disk. */
export interface BulkFile {
  /** Name under which it was asked for. */
  readonly name: string;
  /** Its ETag, else its checksum. */
  readonly tag: string;
  /** ISO day; null where nobody says. */
  readonly lastModified: string | null;
  /** Unpacks it. @throws ListFileError for what is no csv, or a zip that is cut or damaged */
  open(): Promise<ListFile>;
  /** Removes it. */
  close(): Promise<void>;
}

const ETAG = 'etag:';

/**
 * Fetches a monthly file: http, https or `file:`.
 * @param known tag of the file as it was loaded; null for none
 * @throws DownloadFailure, `status_304` for a file that by its ETag is still that one
 */
export async function fetchBulkFile(address: string, known: string | null, options: FetchOptions): Promise<BulkFile> {
  const folder = await openDownloadFolder(options.tempDir, options.label);
  const downloader = createDownloader({ ...options, folder, redirectHosts: [], limits: LIMITS });
  const close = async () => {
    await downloader.close();
    await removeFolder(folder);
  };
  try {
    const download = await downloader.get(address, known?.startsWith(ETAG) ? known.slice(ETAG.length) : null);
    return {
      name: download.name,
      tag: download.etag ? ETAG + download.etag : `sha256:${download.sha256}`,
      lastModified: download.lastModified,
      open: () => openListFile(download, { downloader, maxBytes: MAX_PLAIN_BYTES }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface BulkOptions {
  /** Base of the monthly files. */
  readonly address: Address;
  /** False where it does not go with the rest of the configuration: then nothing is fetched, though files can be brought. */
  readonly on: boolean;
  readonly tempDir: string;
  readonly now: Clock;
  readonly random: () => number;
}

interface Files {
  /** Folder at the publisher. */
  readonly folder: string;
  /** Column that only these files have. */
  readonly mark: string;
  /** Columns whose date puts a row into its month, best first. */
  readonly dates: readonly string[];
  readonly read: (file: ListFile) => AsyncIterable<IndexRow>;
}

const FILES: Readonly<Record<IndexRow['kind'], Files>> = {
  order: { folder: 'oc-da', mark: 'RutSucursal', dates: ['FechaEnvio'], read: readBulkOrders },
  award: { folder: 'lic-da', mark: 'Oferta seleccionada', dates: ['FechaPublicacion', 'FechaAdjudicacion'], read: readBulkAwards },
};

/** Files of months past change too, because tenders are awarded late; each of them is looked at on one day of the week. */
const WEEK = 7;

/** How the index of Chilean orders and awards is built: from the open data's monthly files, orders by the month they were sent in, awards by that in which the tender was published. */
export function bulkPlan({ address, on, tempDir, now, random }: BulkOptions): IndexPlan {
  const label = `mercadopublico-${fingerprint(originOf(address))}`;
  const base = address.url.replace(/\/+$/, '');

  /** True when it is a month's turn to be asked about. */
  function isDue(month: string): boolean {
    const today = chileanDate(now());
    const age = daysBetween(`${month}-01`, today);
    return month >= monthAfter(today.slice(0, 7), -1) || age % WEEK === 0;
  }

  return {
    name: 'mercadopublico',
    kinds: ['order', 'award'],
    schemaVersion: 1,
    everyMs: 6 * HOUR_MS,
    staleAfterMs: 4 * DAY_MS,
    // A month begins with tenders that nobody has won yet.
    mayBeEmpty: true,
    note: 'The files they come from are about a day behind; what people sold under their own RUT is not kept.',
    today: chileanDate,
    slicesOf: (month) => [`orders/${month}`, `awards/${month}`],

    async open(slice, known, { signal }) {
      if (!on) return 'absent';
      const month = monthOf(slice);
      if (known && !isDue(month)) return 'unchanged';
      const [year, number] = month.split('-').map(Number);
      const url = `${base}/${FILES[kindOf(slice)].folder}/${year}-${number}.zip`;
      try {
        const file = await fetchBulkFile(url, known?.tag ?? null, { tempDir, label, now, random, signal });
        if (file.tag !== known?.tag) return await closeOnError(file, async () => toSliceReading(file, await file.open(), kindOf(slice)));
        await file.close();
        return 'unchanged';
      } catch (error) {
        const status = error instanceof DownloadFailure ? error.kind : '';
        if (known && status === 'status_304') return 'unchanged';
        if (!known && status === 'status_404') return 'absent';
        throw error;
      }
    },

    async openFile(path, { signal }) {
      const file = await fetchBulkFile(pathToFileURL(path).href, null, { tempDir, label, now, random, signal });
      return closeOnError(file, async () => {
        const list = await file.open();
        const { kind, month } = await identifyFile(list, file.name);
        return { slice: `${kind}s/${month}`, ...toSliceReading(file, list, kind) };
      });
    },
  };
}

/** What is made of a file that must not be left behind when it cannot be made. */
async function closeOnError<T>(file: BulkFile, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await file.close();
    throw error;
  }
}

const toSliceReading = ({ tag, lastModified, close }: BulkFile, list: ListFile, kind: IndexRow['kind']): SliceReading => ({
  tag,
  publishedOn: lastModified,
  rows: FILES[kind].read(list),
  close,
});

/** What a file is by its columns, and its month by its name, else by its first row. @throws ListFileError where neither says */
async function identifyFile(list: ListFile, name: string): Promise<{ readonly kind: IndexRow['kind']; readonly month: string }> {
  const [header = [], first = []] = await firstRows(list);
  const names = header.map(columnName);
  const kind = (['order', 'award'] as const).find((one) => names.includes(columnName(FILES[one].mark)));
  if (!kind) throw new ListFileError('neither a file of orders nor one of tenders');
  const dates = FILES[kind].dates.map((column) => localDay(cellAt(first, names.indexOf(columnName(column)))));
  const month = monthIn(name) ?? monthIn(list.name) ?? dates.find((date) => date !== null)?.slice(0, 7);
  if (!month) throw new ListFileError('neither the name nor the first row tells the month');
  return { kind, month };
}

async function firstRows(list: ListFile): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const row of list.rows({ delimiter: ';' })) {
    rows.push(row);
    if (rows.length === 2) break;
  }
  return rows;
}

/** `lic_2026-9.csv` → `2026-09`. */
function monthIn(name: string): string | null {
  const [, year, month] = /(?<!\d)(20\d{2})-(0?[1-9]|1[0-2])(?!\d)/.exec(name) ?? [];
  return year && month ? `${year}-${month.padStart(2, '0')}` : null;
}

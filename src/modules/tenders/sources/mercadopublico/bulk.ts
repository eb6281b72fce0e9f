import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import { withoutTrailing } from '../../../../domain/text.ts';
import { type Clock, chileanDate, DAY_MS, daysBetween, HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts';
import { coverageMessages } from '../../../../messages/coverage.ts';
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

/** Unit of the size limits. A month of orders is 100 MB zipped, 740 MB plain. */
const GIB = 1024 ** 3;
const LIMITS: DownloadLimits = { ...DOWNLOAD_LIMITS, wireBytes: GIB, fileBytes: 4 * GIB, deadlineMs: 30 * MINUTE_MS };
const MAX_PLAIN_BYTES = 8 * GIB;

export interface FetchOptions {
  readonly tempDir: string;
  /** Prefix of the download folder; unique per index. */
  readonly label: string;
  readonly now: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'error'>;
}

/** A monthly file on disk. */
export interface BulkFile {
  /** Requested file name. */
  readonly name: string;
  /** ETag of the file, or its checksum without one. */
  readonly tag: string;
  /** ISO day; null if unknown. */
  readonly lastModified: string | null;
  /** Unpacks the file. @throws ListFileError for a file that is no csv, or a damaged zip */
  open(): Promise<ListFile>;
  /** Deletes the file. */
  close(): Promise<void>;
}

const ETAG = 'etag:';

/**
 * Fetches a monthly file: http, https or `file:`.
 * @param known tag of the loaded file; null for none
 * @throws DownloadFailure, with `status_304` if the ETag is unchanged
 */
async function fetchBulkFile(address: string, known: string | null, options: FetchOptions): Promise<BulkFile> {
  const folder = await openDownloadFolder(options.tempDir, options.label, options.log);
  const downloader = createDownloader({ ...options, folder, redirectHosts: [], limits: LIMITS });
  const close = async () => {
    await downloader.close();
    await removeFolder(folder, options.log);
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
  /** False if the address does not match the API's (see `upstreamCapabilities`): nothing is downloaded, but files can be imported. */
  readonly on: boolean;
  readonly tempDir: string;
  readonly now: Clock;
  readonly random: () => number;
  readonly log: Pick<Logger, 'error'>;
}

interface Files {
  /** Folder at the publisher. */
  readonly folder: string;
  /** Column that identifies the kind of file. */
  readonly mark: string;
  /** Date columns that determine the month of a row, in order of preference. */
  readonly dates: readonly string[];
  readonly read: (file: ListFile) => AsyncIterable<IndexRow>;
}

const FILES: Readonly<Record<IndexRow['kind'], Files>> = {
  order: { folder: 'oc-da', mark: 'RutSucursal', dates: ['FechaEnvio'], read: readBulkOrders },
  award: { folder: 'lic-da', mark: 'Oferta seleccionada', dates: ['FechaPublicacion', 'FechaAdjudicacion'], read: readBulkAwards },
};

/** Files of past months change too, since tenders are awarded late. Each is checked once a week. */
const WEEK = 7;

/** Plan of the index of Chilean orders and awards: from the open data's monthly files, orders by month of sending, awards by the tender's month of publication. */
export function bulkPlan({ address, on, tempDir, now, random, log }: BulkOptions): IndexPlan {
  const label = `mercadopublico-${fingerprint(originOf(address))}`;
  const base = withoutTrailing(address.url, '/');

  /** True if a month's file must be checked today. */
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
    // At the start of a month no tender is awarded yet.
    mayBeEmpty: true,
    note: coverageMessages.chileanFiles(),
    today: chileanDate,
    slicesOf: (month) => [`orders/${month}`, `awards/${month}`],

    async open(slice, known, { signal }) {
      if (!on) return 'absent';
      const month = monthOf(slice);
      if (known && !isDue(month)) return 'unchanged';
      const [year, number] = month.split('-').map(Number);
      const url = `${base}/${FILES[kindOf(slice)].folder}/${year}-${number}.zip`;
      try {
        const file = await fetchBulkFile(url, known?.tag ?? null, { tempDir, label, now, random, signal, log });
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
      const file = await fetchBulkFile(pathToFileURL(path).href, null, { tempDir, label, now, random, signal, log });
      return closeOnError(file, async () => {
        const list = await file.open();
        const { kind, month } = await identifyFile(list, file.name);
        return { slice: `${kind}s/${month}`, ...toSliceReading(file, list, kind) };
      });
    },
  };
}

/** Runs `make`; deletes the file if it fails. */
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

/** Determines the kind of a file by its columns, and its month by its name or first row. @throws ListFileError if it cannot */
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

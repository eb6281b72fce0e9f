import { type Clock, MINUTE_MS } from '../../../../domain/time.ts';
import { createDownloader, DOWNLOAD_LIMITS, type DownloadLimits } from '../../../../sources/registry/download.ts';
import type { ListFile } from '../../../../sources/registry/list-file.ts';
import { openListFile } from '../../../../sources/registry/list-file-open.ts';
import { openVisitFolder, removeFolder } from '../../../../sources/registry/visit-folder.ts';

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
  const folder = await openVisitFolder(options.tempDir, options.label);
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

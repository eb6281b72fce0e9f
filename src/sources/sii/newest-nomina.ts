import { readFile } from 'node:fs/promises';
import type { Downloader } from '../registry/download.ts';
import { DownloadFailure } from '../registry/download-failure.ts';

/** Where the registry lists its files; the name of the nómina changes every year. */
const PAGE = '/sobre_el_sii/nominapersonasjuridicas.html';
const NAME = /PUB_EMPRESAS_PJ_\d{4}_A_(\d{4})\.zip/g;

/** Address of a nómina → that of the newest one its publisher lists, in the same folder; itself where the page tells of none newer. */
export async function newestNomina(address: string, downloader: Pick<Downloader, 'get'>): Promise<string> {
  const names = [...(await pageBeside(address, downloader)).matchAll(NAME), ...address.matchAll(NAME)];
  const newest = names.toSorted((a, b) => Number(b[1]) - Number(a[1]))[0];
  return newest ? address.replace(NAME, newest[0]) : address;
}

async function pageBeside(address: string, downloader: Pick<Downloader, 'get'>): Promise<string> {
  try {
    const page = await downloader.get(new URL(PAGE, address).href);
    return await readFile(page.path, 'latin1');
  } catch (error) {
    if (error instanceof DownloadFailure && error.kind !== 'stopped') return '';
    throw error;
  }
}

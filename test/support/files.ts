import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { ZipFile } from 'yazl';
import { createDownloader, type Downloader, type DownloaderOptions } from '../../src/sources/registry/download.ts';
import type { ListFile } from '../../src/sources/registry/list-file.ts';
import { type OpenOptions, openListFile } from '../../src/sources/registry/list-file-open.ts';

export type Bytes = Buffer | string;

/** Creates a folder for one test, which is removed after it. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns every file below a folder, by path. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

/** Creates a zip of these files by name. */
export async function zipOf(members: Readonly<Record<string, Bytes>>, mtime = new Date()): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(members)) zip.addBuffer(Buffer.from(content as string), name, { mtime });
  zip.end();
  return buffer(zip.outputStream);
}

export type Cell = string | number | boolean | Date | null;

/** Creates a workbook with one sheet, in the parts that spreadsheet programs write. */
export function xlsxOf(rows: readonly (readonly Cell[])[]): Promise<Buffer> {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relations = (items: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items}</Relationships>`;
  const sheet = rows.map(
    (row, r) => `<row r="${r + 1}">${row.map((cell, c) => cellXml(cell, `${columnLetter(c)}${r + 1}`)).join('')}</row>`,
  );
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': relations(`<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/>`),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Lista" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      `<Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/>`,
    ),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><dimension ref="A1:${columnLetter((rows[0]?.length ?? 1) - 1)}${rows.length}"/><sheetData>${sheet.join('')}</sheetData></worksheet>`,
  });
}

const columnLetter = (index: number): string => String.fromCharCode(65 + index);

function cellXml(cell: Cell, place: string): string {
  if (cell === null) return '';
  if (cell instanceof Date) return `<c r="${place}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`;
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${Number(cell)}</v></c>`;
  return `<c r="${place}" t="inlineStr"><is><t>${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
}

/** Creates a downloader for one test, with a separate folder, that retries without pause. */
export async function testDownloader(options: Partial<DownloaderOptions> = {}): Promise<Downloader & { readonly folder: string }> {
  const folder = options.folder ?? (await tempFolder());
  const signal = new AbortController().signal;
  const downloader = createDownloader({ folder, redirectHosts: [], now: Date.now, random: () => 0, signal, ...options });
  onTestFinished(() => downloader.close());
  return { ...downloader, folder };
}

/** Writes files and opens the first one like the importer. */
export async function listFileOf(
  files: Readonly<Record<string, Bytes>>,
  options: Partial<Omit<OpenOptions, 'downloader'>> = {},
): Promise<ListFile> {
  const folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return openPath(path.join(folder, Object.keys(files)[0] ?? ''), options);
}

/** Opens a file on disk like the importer. */
export async function openPath(file: string, options: Partial<Omit<OpenOptions, 'downloader'>> = {}): Promise<ListFile> {
  const downloader = await testDownloader();
  return openListFile(await downloader.get(pathToFileURL(file).href), { downloader, ...options });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const wholeText = async (file: ListFile): Promise<string> => (await collect(file.text())).join('');

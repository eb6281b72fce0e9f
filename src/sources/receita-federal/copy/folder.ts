import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isIsoDate } from '../../../domain/time.ts';
import { type Archive, type ArchiveEntry, ArchiveError, openArchive } from '../../registry/archive.ts';
import { ImportRefusal } from './refusal.ts';
import { type DATA_FILES, LOOKUP_FILES } from './rows.ts';

/** A file of one month, whose directory was read. */
export interface MonthFile {
  /** Name without `.zip`, for instance `Empresas0`. */
  readonly name: string;
  /** Kind, that is the name without its number. */
  readonly kind: keyof typeof DATA_FILES | keyof typeof LOOKUP_FILES;
  /** Path of the zip. */
  readonly path: string;
  readonly archive: Archive;
  readonly entry: ArchiveEntry;
  /** CRC-32 and size of the unpacked file. */
  readonly checksum: string;
}

/** The files of one extract. */
export interface Month {
  /** ISO date on which Receita Federal extracted the data. */
  readonly extractedOn: string;
  /** Lookups first, because they are small and a damaged one is found early. */
  readonly files: readonly MonthFile[];
  readonly bytes: number;
}

const NUMBERED = ['Empresas', 'Estabelecimentos', 'Socios'] as const;
const SINGLE = ['Simples', ...Object.keys(LOOKUP_FILES)];
const MAX_NUMBER = 99;

/** Returns the names of a complete month among these files, without `.zip`. @throws ImportRefusal `incomplete` */
export function requireComplete(names: readonly string[]): readonly string[] {
  const known = new Set(names.map((name) => name.replace(/\.zip$/i, '')));
  const numbered = NUMBERED.flatMap((kind) => {
    const numbers = Array.from({ length: MAX_NUMBER + 1 }, (_, i) => i).filter((i) => known.has(`${kind}${i}`));
    const missing = numbers.findIndex((number, i) => number !== i);
    if (numbers.length === 0 || missing !== -1)
      throw new ImportRefusal('incomplete', `The file ${kind}${Math.max(0, missing)}.zip is missing.`);
    return numbers.map((number) => `${kind}${number}`);
  });
  for (const name of SINGLE) if (!known.has(name)) throw new ImportRefusal('incomplete', `The file ${name}.zip is missing.`);
  return [...SINGLE.filter((name) => name in LOOKUP_FILES), 'Simples', ...numbered];
}

/**
 * Opens the zips of a folder, and requires all files of one extract. The name of the only file in each zip is not used, except for its
 * date: `D60808` is 8 August 2026. The month of the folder may differ from it.
 * @throws ImportRefusal
 */
export async function openMonth(folder: string, now: number): Promise<Month> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new ImportRefusal('not_found', 'The folder cannot be read.', { cause });
  });
  const files: MonthFile[] = [];
  const dates = new Map<string, string>();
  for (const name of requireComplete(names)) {
    const file = await openMonthFile(path.join(folder, `${name}.zip`), name);
    files.push(file);
    dates.set(extractDate(file, now), name);
  }
  const [extractedOn = '', other] = dates.keys();
  if (other !== undefined)
    throw new ImportRefusal(
      'dates_differ',
      `The files are of several extracts: ${dates.get(extractedOn)} of ${extractedOn}, ${dates.get(other)} of ${other}.`,
    );
  return { extractedOn, files, bytes: files.reduce((sum, { entry }) => sum + entry.bytes, 0) };
}

/** Opens the zip of a file. @throws ImportRefusal `damaged`; an error of the disk */
export async function openMonthFile(file: string, name: string): Promise<MonthFile> {
  try {
    const archive = await openArchive(file, `${name}.zip`);
    const [entry, other] = archive?.entries ?? [];
    if (!archive || !entry || other) throw new ImportRefusal('damaged', `${name}.zip is not a zip with one file.`);
    const kind = /^[A-Za-z]*/.exec(name)?.[0] as MonthFile['kind'];
    return { name, kind, path: file, archive, entry, checksum: `${archive.checksumOf(entry)}-${entry.bytes}` };
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Converts an error of a zip to a refusal. Other errors stay as they are. */
export const asRefusal = (error: unknown): unknown =>
  error instanceof ArchiveError ? new ImportRefusal('damaged', `${error.message}.`, { cause: error }) : error;

const DATE_IN_NAME = /\.D(\d)(\d{2})(\d{2})(?:\.|$)/i;

/** Returns the ISO date in the name of a file; its year is the last one up to the next year that ends with the digit. */
function extractDate({ name, entry }: MonthFile, now: number): string {
  const [, digit = '', month = '', day = ''] = DATE_IN_NAME.exec(entry.name) ?? [];
  const next = new Date(now).getUTCFullYear() + 1;
  const year = next - ((next - Number(digit) + 10) % 10);
  const date = `${year}-${month}-${day}`;
  if (digit === '' || !isIsoDate(date)) throw new ImportRefusal('no_date', `The file in ${name}.zip has no extract date in its name.`);
  return date;
}

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { isoDate } from '../../../src/domain/time.ts';
import { clOwnership } from '../../../src/sources/cl-ownership/source.ts';
import type { Address } from '../../../src/sources/source.ts';
import { type Bytes, tempFolder } from '../../support/files.ts';
import { memoryLog } from '../../support/log.ts';
import { copyDb } from '../copy-db.ts';

export const HEADER = 'Rut Sociedad;DV Sociedad;Tipo Sociedad;Subtipo Sociedad;RUT Socio;DV Socio;ID Personas Naturales;Participación';

export const rutOf = (number: number): string => `${number}${rutCheckDigit(String(number))}`;

const cells = (number: number): string => `${number};${rutCheckDigit(String(number))}`;

/** A row of a company that is an owner. */
export const edge = (society: number, partner: number, share: string): string =>
  `${cells(society)};PERSONA JURIDICA COMERCIAL;SOCIEDAD POR ACCIONES;${cells(partner)};;${share}`;

/** The joint row of all natural persons of a company. */
export const people = (society: number, share: string): string =>
  `${cells(society)};PERSONA JURIDICA COMERCIAL;SOCIEDAD POR ACCIONES;;;Personas Naturales;${share}`;

export const fileOf = (rows: readonly string[]): string => [HEADER, ...rows, ''].join('\r\n');

/** Writes a file of its own to disk, dated by its name. */
export async function onDisk(content: Bytes, name = nameOf(Date.now())): Promise<string> {
  const file = path.join(await tempFolder(), name);
  await writeFile(file, content);
  return file;
}

const nameOf = (day: number): string => `composicion_sociedades_${isoDate(day)}.csv`;

export interface CopyOptions {
  readonly url?: string;
  /** Address of the file of an earlier year; none unless given. */
  readonly earlierUrl?: string;
  readonly origin?: Address['origin'];
  readonly now?: () => number;
}

/** A database for the copy, emptied before each test. */
export function ownershipDb() {
  const { db, tempDir, tables } = copyDb('^cl_ownership_rows_v');

  function copy({ url = 'http://sii.invalid/', earlierUrl = '', origin = 'given', now = Date.now }: CopyOptions = {}) {
    const { log, lines } = memoryLog();
    const never = (): never => {
      throw new Error('the copy has no use for this');
    };
    const deps = {
      address: (setting: string) => ({ url: setting === 'QUIPU_CL_OWNERSHIP_EARLIER_URL' ? earlierUrl : url, origin }),
      setting: never,
      http: never,
      db: db().knex,
      now,
      random: () => 0,
      log,
      tempDir: tempDir(),
    };
    const instance = clOwnership.create(deps as unknown as Parameters<typeof clOwnership.create>[0]);
    return Object.assign(instance, {
      lines,
      load: async (content: Bytes, force = false) => instance.sync({ files: [await onDisk(content, nameOf(now()))], force }),
      of: async (number: number) => (await instance.compositions([rutOf(number)])).of(rutOf(number)),
    });
  }

  return { copy, partitions: tables, db };
}

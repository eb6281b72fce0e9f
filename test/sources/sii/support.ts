import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import type { CopyReads } from '../../../src/db/read-replica.ts';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { createLoaders } from '../../../src/loaders/loader.ts';
import { siiTaxpayerLoader, statusOf } from '../../../src/loaders/taxpayer.ts';
import type { Sii, SiiCompany } from '../../../src/sources/sii/sii.ts';
import { sii } from '../../../src/sources/sii/source.ts';
import type { Address } from '../../../src/sources/source.ts';
import { type Bytes, filesIn, tempFolder } from '../../support/files.ts';
import { memoryLog } from '../../support/log.ts';
import { upstream } from '../../support/upstream.ts';
import { copyDb } from '../copy-db.ts';

/** The tables by the name that their setting bears: QUIPU_SII_{name}_URL. */
export type Setting = 'EMPRESAS' | 'NOMBRES' | 'ACTIVIDADES' | 'DOMICILIOS';

export interface SiiOptions {
  readonly db: Knex;
  readonly copyReads?: CopyReads;
  readonly tempDir: string;
  readonly urls?: Partial<Readonly<Record<Setting, string>>>;
  readonly origin?: Address['origin'];
  /** Those of single settings. */
  readonly origins?: Partial<Readonly<Record<Setting, Address['origin']>>>;
  readonly now?: () => number;
}

/** The registry's copy on its own; a setting left out is switched off. */
export function siiOn({ db, copyReads, tempDir, urls = {}, origin = 'given', origins = {}, now = Date.now }: SiiOptions) {
  const { log, lines } = memoryLog();
  const never = (): never => {
    throw new Error('the copy has no use for this');
  };
  const instance: Sii = sii.create({
    address(setting) {
      const name = /^QUIPU_SII_(\w+)_URL$/.exec(setting)?.[1] as Setting;
      return { url: urls[name] ?? (name === 'EMPRESAS' ? 'http://sii.invalid/' : ''), origin: origins[name] ?? origin };
    },
    setting: never,
    http: never,
    get outbound() {
      return never();
    },
    get dns() {
      return never();
    },
    db,
    copyReads,
    now,
    random: () => 0,
    log,
    tempDir,
  });
  return Object.assign(instance, { lines });
}

/** A database for the copy, emptied before each test, and ways to look into it. */
export function siiDb() {
  const copy = copyDb('^sii_(companies_v|load)');
  const { db, tempDir, tables } = copy;
  return {
    ...copy,
    sii: (options: Omit<SiiOptions, 'db' | 'tempDir'> = {}) => siiOn({ db: db().knex, tempDir: tempDir(), ...options }),
    /** One edition at most is kept, nothing of a load, and no file of a visit. */
    async leftovers(): Promise<readonly string[]> {
      return [...(await tables()).slice(1), ...(await filesIn(tempDir()))];
    },
  };
}

/** Files under names, for `sync({ files })`. */
export async function onDisk(files: Readonly<Record<string, Bytes>>): Promise<readonly string[]> {
  const folder = await tempFolder();
  return Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      await writeFile(path.join(folder, name), content);
      return path.join(folder, name);
    }),
  );
}

/** A publisher of files by path, each of which may be replaced. 404 where it has none. */
export async function publisher(files: Record<string, Bytes>, headers: Record<string, string> = {}) {
  const { url, asked } = await upstream((at) => {
    const body = files[at.slice(1)];
    return body === undefined ? { status: 404, body: 'no' } : { headers: { 'content-type': 'text/plain', ...headers }, body };
  });
  return { at: (name: string) => `${url}/${name}`, asked, publish: (more: Record<string, Bytes>) => Object.assign(files, more) };
}

/** A company asked by its number. */
export async function ask(copy: Sii, number: number): Promise<SiiCompany | undefined> {
  const rut = rutOf(number);
  return (await copy.companies([rut])).companies.get(rut);
}

export const rutOf = (number: number): string => `${number}${rutCheckDigit(String(number))}`;

/** The status of a company by its RUT; `unknown` if the registry does not show it. */
export async function statusIn(copy: Sii, taxId: string): Promise<string> {
  const loaders = createLoaders((() => copy) as never, Date.now);
  const answer = loaders.scope()(siiTaxpayerLoader, { country: 'CL', taxId });
  return (async () => statusOf((await answer).value))().catch(({ code }) => (code === 'SOURCE_UNAVAILABLE' ? 'unknown' : code));
}

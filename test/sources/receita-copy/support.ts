import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { cnpjCheckDigits } from '../../../src/domain/check-digits.ts';
import { importFolder, rollBackImport } from '../../../src/sources/receita-federal/copy/import.ts';
import { createReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { zipOf } from '../../support/files.ts';
import { memoryLog } from '../../support/log.ts';

/** A row of a file: its fields. */
export type Cells = readonly string[];

/** The files of a month, by name: rows as fields, or bytes as they are. */
export type Files = Record<string, readonly Cells[] | Buffer | string>;

const WITHOUT = '';

export const cnpjOf = (root: string, branch = '0001'): string => `${root}${branch}${cnpjCheckDigits(root + branch)}`;

export const company = (root: string, name = `EMPRESA ${root}`): Cells => [root, name, '2062', '49', '100000,00', '05', WITHOUT];

export function establishment(root: string, branch = '0001', change: Readonly<Record<number, string>> = {}): Cells {
  const cells = [root, branch, cnpjOf(root, branch).slice(12), branch === '0001' ? '1' : '2', 'FANTASIA', '02', '20120314', '00', '', ''];
  cells.push('20120314', '6201501', '6202300,4120400', 'RUA', 'DAS FLORES', '123', '', 'CENTRO', '01000999', 'SP', '7107');
  cells.push('11', '31234567', '', '', '', '', 'contato@example.com', '', '');
  return cells.map((cell, i) => change[i] ?? cell);
}

export const partner = (root: string, name = 'ANA DE TAL', change: Readonly<Record<number, string>> = {}): Cells =>
  [root, '2', name, '***000101**', '49', '20120314', '', '***000000**', '', '00', '5'].map((cell, i) => change[i] ?? cell);

/** Roots of made-up companies. */
export const roots = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => String(99_100_000 + i));

/** A complete month of companies with one establishment and one partner each. */
export const monthOf = (count: number): Files => ({
  Empresas0: roots(count).map((root) => company(root)),
  Estabelecimentos0: roots(count).map((root) => establishment(root)),
  Socios0: roots(count).map((root) => partner(root)),
  Simples: [],
  Cnaes: [['6201501', 'Desenvolvimento de programas']],
  Motivos: [['00', 'SEM MOTIVO']],
  Municipios: [['7107', 'SAO PAULO']],
  Naturezas: [['2062', 'Sociedade Empresária Limitada']],
  Paises: [['158', 'CHILE']],
  Qualificacoes: [['49', 'Sócio-Administrador']],
});

/** Rows of a file of a month whose files are rows. */
export const rowsOf = (month: Files, name: string): readonly Cells[] => (month as Record<string, readonly Cells[]>)[name] ?? [];

/** Replaces the first row of some files of a month, and adds rows. */
export function changed(
  month: Files,
  first: Readonly<Record<string, Cells>>,
  more: Readonly<Record<string, readonly Cells[]>> = {},
): Files {
  const names = [...new Set([...Object.keys(first), ...Object.keys(more)])];
  const files = names.map((name) => {
    const rows = rowsOf(month, name);
    return [name, [first[name] ?? rows[0] ?? [], ...rows.slice(1), ...(more[name] ?? [])]] as const;
  });
  return { ...month, ...Object.fromEntries(files) };
}

export const lineOf = (cells: Cells): string => `${cells.map((cell) => `"${cell}"`).join(';')}\n`;
const bytesOf = (file: Files[string]): Buffer => {
  if (Buffer.isBuffer(file)) return file;
  return Buffer.from(typeof file === 'string' ? file : file.map(lineOf).join(''), 'latin1');
};

/** Returns the date of the names in the zips for the ISO date of an extract: `D61114` for 14 November 2026. */
export const dateInNames = (iso: string): string => `D${iso.slice(3).replaceAll('-', '')}`;

/** Writes a month into a new folder. A Buffer is written as the zip itself. @param date date in the names, e.g. `D61114` */
export async function folderOf(files: Files, date = 'D61114'): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-receita-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, file] of Object.entries(files)) {
    const zip = Buffer.isBuffer(file) ? file : await zipOf({ [`K3241.K03200Y.${date}.CSV`]: bytesOf(file) });
    await writeFile(path.join(folder, `${name}.zip`), zip);
  }
  return folder;
}

export const NOW = Date.parse('2026-11-28T12:00:00Z');

/** A database of one test file, with the import and the reader. */
export function copyDb() {
  let db: TestDb;
  let origins = 0;
  beforeAll(async () => {
    db = await testDb();
  });
  afterAll(() => db.close());
  return {
    knex: () => db.knex,
    url: () => db.url,
    /** A copy of an origin of its own. */
    copy(now = () => NOW, { historyMonths = 24 } = {}) {
      origins += 1;
      const origin = `test ${origins}`;
      const { log, lines } = memoryLog();
      const disk = { diskFolder: null, historyMonths, log };
      const parts = { db: db.knex, origin, secret: 'a secret of this test', now, ...disk, onProgress: () => undefined };
      const reader = (readAt = now) => createReceitaCopy(() => db.knex, origin, readAt);
      return {
        origin,
        lines,
        load: (folder: string, options = {}) => importFolder(folder, parts, options),
        rollBack: () => rollBackImport(parts),
        find: async (cnpj: string) => (await reader().find([cnpj])).get(cnpj),
        reader,
      };
    },
  };
}

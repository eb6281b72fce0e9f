import { rm } from 'node:fs/promises';
import path from 'node:path';
import { query, writeOut } from '../imports/postgres.ts';
import { copyFile, output } from '../imports/runs.ts';
import { type DiskUse, withPeakDisk } from './disk.ts';

/** One import of a month, by the shipped code in a separate process. */
export interface MonthImport {
  readonly seconds: number;
  /** Seconds until the rows of all files were stored. */
  readonly rowsSeconds: number;
  /** Seconds after them until the tables had their indexes and statistics. */
  readonly indexSeconds: number;
  /** CPU time of the importing process, without Postgres, in s. It depends less on other programs than the seconds do. */
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
  readonly establishments: number;
  readonly companies: number;
  readonly partners: number;
  readonly peakDisk: DiskUse;
}

interface ImportOutput {
  readonly seconds: number;
  readonly steps: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
  readonly facts: { readonly establishments: number; readonly companies: number; readonly partners: number };
}

const script = (name: string): string => path.join(import.meta.dirname, name);

/** @param cluster folder of the files of Postgres */
export async function importMonth(url: string, folder: string, cluster: string): Promise<MonthImport> {
  const { result, peak } = await withPeakDisk(cluster, () => output(process.execPath, [script('import-receita.ts'), url, folder]));
  const { steps, facts, ...run } = JSON.parse(result) as ImportOutput;
  const { establishments, companies, partners } = facts;
  const [rowsSeconds, indexed] = [steps['index of companies'] ?? 0, steps.namesakes ?? 0];
  return { ...run, establishments, companies, partners, rowsSeconds, indexSeconds: indexed - rowsSeconds, peakDisk: peak };
}

/** Tables that the rows of the files are stored in. */
const TABLES = ['companies', 'establishments', 'partners', 'regimes', 'links'] as const;

/** Copies the rows of a version, already clean, into empty tables without indexes, one table after the other. Returns the seconds. */
export async function copyRows(url: string, id: string, dir: string, psql: boolean): Promise<number> {
  let seconds = 0;
  for (const table of TABLES) {
    const [from, to, file] = [`receita_${table}_v${id}`, `clean_${table}`, path.join(dir, `${table}.txt`)];
    await writeOut(url, from, file);
    await query(url, `CREATE TABLE ${to} (LIKE ${from})`);
    const startedAt = performance.now();
    await copyFile(url, to, file, psql);
    seconds += (performance.now() - startedAt) / 1_000;
    await query(url, `DROP TABLE ${to}`);
    await rm(file);
  }
  return seconds;
}

/** Bytes of the tables of a version with their indexes. */
export async function sizeOfVersion(url: string, id: string): Promise<number> {
  const [row] = await query(
    url,
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class WHERE relkind = 'r' AND relname ~ '^receita_[a-z]+_v${id}$'`,
  );
  return Number(row?.bytes);
}

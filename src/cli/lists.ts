import { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import { isoWithOffset } from '../domain/time.ts';
import type { Sources } from '../sources/build.ts';
import type { Copy, SyncResult } from '../sources/source.ts';
import { type Io, tableText } from './run.ts';

export type OpenSources = () => Promise<{ readonly sources: Sources; close(): Promise<void> }>;

/**
 * Creates `quipu sync [list…] [--force] [--json]`, which syncs published lists now. `--force` loads a version that the plausibility guard
 * refused.
 */
export const syncCommand = (open: OpenSources, { out, err }: Io): Command =>
  new Command('sync')
    .description('Sync the published lists now')
    .argument('[lists...]', 'e.g. CEIS OFAC_SDN; all when omitted')
    .option('--force', 'load a version that the plausibility guard refused')
    .option('--json', 'print one JSON object')
    .action(async (names: string[], { force = false, json = false }: { force?: boolean; json?: boolean }) => {
      const { sources, close } = await open();
      try {
        const results: Record<string, unknown> = {};
        for (const copy of chosen(sources, names)) {
          err(`${copy.name} …\n`);
          const result = await copy.sync({ force });
          results[copy.name] = result;
          if (!json) out(`${copy.name}: ${describe(result)}\n`);
          if (result.outcome === 'refused') process.exitCode = 1;
        }
        if (json) out(`${JSON.stringify(results)}\n`);
      } finally {
        await close();
      }
    });

/** Creates `quipu sources [--json]`, which prints the health and freshness of every upstream. */
export const sourcesCommand = (open: OpenSources, { out }: Io): Command =>
  new Command('sources')
    .description('Health and freshness of every upstream')
    .option('--json', 'print one JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { sources, close } = await open();
      try {
        const report = await sources.report();
        if (json) return out(`${JSON.stringify(report.map(({ extras, ...one }) => ({ ...one, ...extras })))}\n`);
        const rows = report.map(({ name, origin, usable, off, lastError, list, extras }) => [
          name,
          origin,
          off ? 'off' : usable ? 'usable' : 'FAILED',
          list ? String(list.entries) : '',
          list ? isoWithOffset(list.checkedAt) : '',
          String(extras.heldChanges ?? 0),
          lastError ?? '',
        ]);
        out(tableText(['source', 'origin', 'state', 'entries', 'checked', 'held changes', 'last error'], rows));
      } finally {
        await close();
      }
    });

function chosen(sources: Sources, names: readonly string[]): readonly Copy[] {
  const { copies } = sources;
  const known = copies.map(({ name }) => name);
  const wrong = names.filter((name) => !known.some((one) => one.toUpperCase() === name.toUpperCase()));
  if (wrong.length > 0)
    throw new AppError('INVALID_INPUT', `No such list: ${wrong.join(', ')}. Lists: ${known.join(', ')}.`, { field: 'lists' });
  const wanted = names.map((name) => name.toUpperCase());
  return names.length === 0 ? copies : copies.filter(({ name }) => wanted.includes(name.toUpperCase()));
}

/** Returns the result of a sync as text for people. */
export function describe(result: SyncResult): string {
  if (result.outcome === 'loaded' || result.outcome === 'unchanged') {
    const missing = result.isIncomplete ? '; another of its files could not be loaded, and is tried again' : '';
    return `${result.outcome}, ${result.version.entries} entries${missing}`;
  }
  if (result.outcome === 'busy') return 'another process is loading it';
  const reason = [result.reason, result.why].filter(Boolean).join(', ');
  return `refused: ${reason}; the previous version stays`;
}

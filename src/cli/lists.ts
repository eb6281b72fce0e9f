import { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import { isoWithOffset } from '../domain/time.ts';
import type { Sources } from '../sources/build.ts';
import type { Registry } from '../sources/registry/registry.ts';

/** Where a command writes: what was asked for, and what went wrong. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export type OpenSources = () => Promise<{ readonly sources: Sources; close(): Promise<void> }>;

/** `quipu sync [list…] [--force] [--json]`: visits the publishers now; `--force` is the operator's word for a load the guard refused. */
export const syncCommand = (open: OpenSources, { out, err }: Io): Command =>
  new Command('sync')
    .description('Visit the publishers of lists now')
    .argument('[lists...]', 'e.g. CEIS OFAC_SDN; all when left out')
    .option('--force', 'load an edition that the plausibility guard refused')
    .option('--json', 'print one JSON object')
    .action(async (names: string[], { force = false, json = false }: { force?: boolean; json?: boolean }) => {
      const { sources, close } = await open();
      try {
        const results: Record<string, unknown> = {};
        for (const registry of chosen(sources, names)) {
          err(`${registry.spec.name} …\n`);
          const result = await registry.sync({ force });
          results[registry.spec.name] = result;
          if (!json) out(`${registry.spec.name}: ${describe(result)}\n`);
          if (result.outcome === 'refused') process.exitCode = 1;
        }
        if (json) out(`${JSON.stringify(results)}\n`);
      } finally {
        await close();
      }
    });

/** `quipu sources [--json]`: health and freshness of every upstream. */
export const sourcesCommand = (open: OpenSources, { out }: Io): Command =>
  new Command('sources')
    .description('Health and freshness of every upstream')
    .option('--json', 'print one JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { sources, close } = await open();
      try {
        const report = await sources.report();
        if (json) return out(`${JSON.stringify(report)}\n`);
        for (const { name, origin, usable, lastError, list } of report) {
          const edition = list ? `${list.entries} entries, checked ${isoWithOffset(list.checkedAt)}` : '';
          out(
            `${name.padEnd(18)} ${origin.padEnd(8)} ${usable ? 'usable' : 'FAILED'}  ${edition} ${lastError ? `last error: ${lastError}` : ''}\n`,
          );
        }
      } finally {
        await close();
      }
    });

function chosen(sources: Sources, names: readonly string[]): readonly Registry<unknown>[] {
  const { registries } = sources;
  const known = registries.map(({ spec }) => spec.name);
  const wrong = names.filter((name) => !known.some((one) => one === name.toUpperCase()));
  if (wrong.length > 0)
    throw new AppError('INVALID_INPUT', `No such list: ${wrong.join(', ')}. Lists: ${known.join(', ')}.`, { field: 'lists' });
  return names.length === 0 ? registries : registries.filter(({ spec }) => names.some((name) => name.toUpperCase() === spec.name));
}

function describe(result: Awaited<ReturnType<Registry<unknown>['sync']>>): string {
  if (result.outcome === 'loaded' || result.outcome === 'unchanged') return `${result.outcome}, ${result.version.entries} entries`;
  return result.outcome === 'busy' ? 'another process is loading it' : `refused: ${result.reason}; the old edition stays`;
}

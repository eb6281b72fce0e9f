import type { Copy } from './copy.ts';
import type { Source, SourceDeps, SourceInstance, SourceStatus, Use } from './source.ts';

/** The source instances of this process. */
export interface Sources {
  readonly use: Use;
  /** Health and attribution of each source, with the number of changes that are held back because of it. */
  report(): Promise<readonly (SourceStatus & { readonly attribution: string; readonly heldChanges: number })[]>;
  /** The sources that keep a local copy, without those that are switched off. */
  readonly copies: readonly Copy[];
  close(): Promise<void>;
}

/**
 * Creates each source once, however many modules list it.
 * @param held source → changes held back
 */
export function buildSources(
  sources: Iterable<Source<SourceInstance>>,
  depsOf: (source: Source<SourceInstance>) => SourceDeps,
  held: () => Promise<ReadonlyMap<string, number>> = async () => new Map(),
): Sources {
  const built = new Map([...new Set(sources)].map((source) => [source, source.create(depsOf(source))] as const));
  return {
    use: ((source: Source<SourceInstance>) => {
      const instance = built.get(source);
      if (!instance) throw new Error(`source ${source.name} is not listed by any module`);
      return instance;
    }) as Use,
    async report() {
      const counts = await held();
      const reports = [...built].map(async ([{ name, attribution }, instance]) => ({
        ...(await instance.status()),
        attribution,
        heldChanges: counts.get(name) ?? 0,
      }));
      return Promise.all(reports);
    },
    copies: [...built.values()].filter(isCopy).filter(({ off }) => !off),
    async close() {
      await Promise.all([...built.values()].map((instance) => instance.close?.()));
    },
  };
}

const isCopy = (source: SourceInstance): source is Copy => 'sync' in source;

import type { Knex } from 'knex';
import type { Copy, ListReport, Source, SourceDeps, SourceInstance, SourceStatus, Use } from './source.ts';

/** Source name → a count; a source without an entry has 0. */
export type CountBySource = (db: Knex) => Promise<ReadonlyMap<string, number>>;

/** A source's health, and the attribution that its licence requires. */
export interface SourceReport extends Omit<SourceStatus, 'list'> {
  readonly list: ListReport | null;
  readonly attribution: string;
  /** Counts of modules per source, by the name of the fact; a fact without an entry is 0. */
  readonly extras: Readonly<Record<string, number>>;
}

/** The source instances of this process. */
export interface Sources {
  readonly use: Use;
  report(): Promise<readonly SourceReport[]>;
  /** The sources that keep a local copy, without those that are switched off. */
  readonly copies: readonly Copy[];
  close(): Promise<void>;
}

/**
 * Creates each source once, however many modules list it.
 * @param extras reads the extra facts of a report: name of the fact → count per source
 * @param listIntervalMs interval between syncs that replaces the interval of each list
 */
export function buildSources(
  sources: Iterable<Source<SourceInstance>>,
  depsOf: (source: Source<SourceInstance>) => SourceDeps,
  extras: () => Promise<readonly (readonly [fact: string, counts: ReadonlyMap<string, number>])[]> = async () => [],
  listIntervalMs?: number,
): Sources {
  const built = new Map([...new Set(sources)].map((source) => [source, source.create(depsOf(source))] as const));
  return {
    use: ((source: Source<SourceInstance>) => {
      const instance = built.get(source);
      if (!instance) throw new Error(`source ${source.name} is not listed by any module`);
      return instance;
    }) as Use,
    async report() {
      const facts = await extras();
      const reports = [...built].map(async ([{ name, attribution }, instance]) => {
        const { list, ...status } = await instance.status();
        const intervalMs = isCopy(instance) ? (listIntervalMs ?? instance.everyMs) : (instance.copyEveryMs ?? 0);
        return {
          ...status,
          list: list && { ...list, syncDueAt: list.checkedAt + intervalMs },
          attribution,
          extras: Object.fromEntries(facts.map(([fact, counts]) => [fact, counts.get(name) ?? 0])),
        };
      });
      return Promise.all(reports);
    },
    copies: [...built.values()].filter(isCopy).filter(({ off }) => !off),
    async close() {
      await Promise.all([...built.values()].map((instance) => instance.close?.()));
    },
  };
}

const isCopy = (source: SourceInstance): source is Copy => 'sync' in source;

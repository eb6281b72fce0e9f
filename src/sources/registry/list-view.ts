import type { Logger } from 'pino';
import { SingleFlight } from '../../cache/stale-if-error-cache.ts';
import type { ListVersion } from '../source.ts';

/** In-memory structure that is computed from the records of a list, such as an index for a search that Postgres does not support. */
export interface ListView<R, V> {
  /** Name, unique among the views of its list. */
  readonly name: string;
  /** Fields of the records that it is built from. */
  readonly where: Partial<R>;
  /** Builds the view. It must let other work run in between. */
  readonly build: (records: readonly R[]) => Promise<V>;
}

/** A view, and the version of the list that it was built from. */
export interface BuiltView<V> {
  readonly version: ListVersion;
  readonly value: V;
}

/** The views of one list that this process has used. */
export interface ListViews<R> {
  /** Returns the view as last built; null before. */
  built<V>(view: ListView<R, V>): BuiltView<V> | null;
  /**
   * Returns the view, and builds it at the first call. While the view of a newer version is built, the previous one answers.
   * @param current id of the current version
   */
  get<V>(view: ListView<R, V>, current: string): Promise<BuiltView<V>>;
  /** Builds the views that were used before, if the list has another version. Failures are logged, and the next call tries again. */
  follow(current: string): void;
}

/** @param records reads the current version and its records with these fields; null if the list has no version */
export function createListViews<R>(
  records: (where: Partial<R>) => Promise<{ readonly version: ListVersion; readonly records: readonly R[] } | null>,
  log: Logger,
): ListViews<R> {
  const builds = new SingleFlight<BuiltView<unknown>>();
  /** The views that were used, as last built; null before. */
  const views = new Map<ListView<R, unknown>, BuiltView<unknown> | null>();

  /** Builds a view, at most one build at a time per view. A finished build replaces the view in one step. */
  const build = (view: ListView<R, unknown>): Promise<BuiltView<unknown>> =>
    builds.run(view.name, async () => {
      const read = await records(view.where);
      if (!read) throw new Error('the list has no version');
      const built = { version: read.version, value: await view.build(read.records) };
      views.set(view, built);
      return built;
    });

  function buildInBackground(view: ListView<R, unknown>): void {
    build(view).catch((error: unknown) => {
      log.warn({ view: view.name, why: String(error) }, 'a view of the list was not built; the previous one stays in use');
    });
  }

  return {
    built: <V>(view: ListView<R, V>) => (views.get(view) ?? null) as BuiltView<V> | null,

    async get<V>(view: ListView<R, V>, current: string) {
      const built = views.get(view) ?? null;
      views.set(view, built);
      if (built === null) return (await build(view)) as BuiltView<V>;
      if (built.version.id !== current) buildInBackground(view);
      return built as BuiltView<V>;
    },

    follow(current) {
      for (const [view, built] of views) if (built && built.version.id !== current) buildInBackground(view);
    },
  };
}

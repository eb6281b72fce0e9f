import type { Logger } from 'pino';
import type { ListVersion } from '../source.ts';

/** A structure in memory that is computed from the records of a list: an index by something that Postgres does not search. */
export interface ListView<R, V> {
  readonly name: string;
  /** The records that it is built from: those that have these fields. */
  readonly where: Partial<R>;
  /** Builds it. Must let other work run in between. */
  readonly build: (records: readonly R[]) => Promise<V>;
}

/** A view, and the version of the list that it was built from. */
export interface BuiltView<V> {
  readonly version: ListVersion;
  readonly value: V;
}

/** The views of one list that this process has been asked for. */
export interface ListViews<R> {
  /** The view as last built; null before. */
  built<V>(view: ListView<R, V>): BuiltView<V> | null;
  /**
   * Returns the view, and builds it at the first call. While one of a newer version is built, the previous one answers.
   * @param current id of the current version
   */
  get<V>(view: ListView<R, V>, current: string): Promise<BuiltView<V>>;
  /** Builds the views that were asked for before, if the list has another version. Failures are logged: the next call tries again. */
  follow(current: string): void;
}

interface Slot {
  built: BuiltView<unknown> | null;
  building: Promise<BuiltView<unknown>> | null;
}

/** @param records reads the current version and its records with these fields; null when the list has no version */
export function createListViews<R>(
  records: (where: Partial<R>) => Promise<{ readonly version: ListVersion; readonly records: readonly R[] } | null>,
  log: Logger,
): ListViews<R> {
  const slots = new Map<ListView<R, unknown>, Slot>();

  /** At most one build at a time per view. It replaces the view in one step when it has succeeded. */
  function build(view: ListView<R, unknown>, slot: Slot): Promise<BuiltView<unknown>> {
    slot.building ??= (async () => {
      const read = await records(view.where);
      if (!read) throw new Error('the list has no version');
      slot.built = { version: read.version, value: await view.build(read.records) };
      return slot.built;
    })().finally(() => {
      slot.building = null;
    });
    return slot.building;
  }

  function buildInBackground(view: ListView<R, unknown>, slot: Slot): void {
    build(view, slot).catch((error: unknown) => {
      log.warn({ view: view.name, why: String(error) }, 'a view of the list was not built; the previous one stays in use');
    });
  }

  return {
    built: <V>(view: ListView<R, V>) => (slots.get(view)?.built as BuiltView<V> | null | undefined) ?? null,

    async get<V>(view: ListView<R, V>, current: string) {
      const slot = slots.get(view) ?? { built: null, building: null };
      slots.set(view, slot);
      if (!slot.built) return (await build(view, slot)) as BuiltView<V>;
      if (slot.built.version.id !== current) buildInBackground(view, slot);
      return slot.built as BuiltView<V>;
    },

    follow(current) {
      for (const [view, slot] of slots) if (slot.built && slot.built.version.id !== current) buildInBackground(view, slot);
    },
  };
}

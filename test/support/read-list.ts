import type { ListFile } from '../../src/sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../src/sources/registry/registry.ts';
import { type Bytes, listFileOf, openPath } from './files.ts';

export interface WholeList<R> {
  readonly entries: readonly ListEntry<R>[];
  readonly version: ListSummary;
}

/** Reads a list to its end. @throws ListFileError */
export async function readWhole<R>(spec: RegistrySpec<R>, file: ListFile): Promise<WholeList<R>> {
  const reading = spec.read(file);
  const entries: ListEntry<R>[] = [];
  for (;;) {
    const step = await reading.next();
    if (step.done) return { entries, version: step.value };
    entries.push(step.value);
  }
}

/** Opens the first of these files like the importer, with the others beside it, and reads it. */
export const readBytes = async <R>(spec: RegistrySpec<R>, files: Readonly<Record<string, Bytes>>): Promise<WholeList<R>> =>
  readWhole(spec, await listFileOf(files, { members: spec.members }));

/** Opens a file on disk like the importer, and reads it. */
export const readPath = async <R>(spec: RegistrySpec<R>, file: string): Promise<WholeList<R>> =>
  readWhole(spec, await openPath(file, { members: spec.members }));

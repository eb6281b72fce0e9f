import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SanctionsList } from '../../src/modules/sanctions/domain.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import type { Registry } from '../../src/sources/registry/registry.ts';
import { BenchFailure } from '../harness/bench.ts';
import { built } from '../harness/built.ts';
import { copyDeps } from '../harness/copy-deps.ts';
import { FILES } from './files.ts';

/** The copies of all lists in a database, as the service has them. */
export interface StoredLists {
  /** The lists by name, in the order of answers. */
  readonly lists: ReadonlyMap<SanctionsList, Registry<SanctionsEntry>>;
  close(): Promise<void>;
}

/** Opens the copies of the lists. @param dir folder of the files of all lists */
export async function openLists(url: string, dir: string): Promise<StoredLists> {
  const { createDb } = await built<typeof import('../../src/db/knex.ts')>('src/db/knex');
  const { ALL_SANCTIONS_LISTS } = await built<typeof import('../../src/domain/catalogue.ts')>('src/domain/catalogue');
  const { SOURCE_OF } = await built<typeof import('../../src/modules/sanctions/sources/lists.ts')>('src/modules/sanctions/sources/lists');
  const db = createDb(url);
  const lists = new Map<SanctionsList, Registry<SanctionsEntry>>();
  for (const list of ALL_SANCTIONS_LISTS) {
    const address = () => ({ url: pathToFileURL(path.join(dir, FILES[list])).href, origin: 'given' as const });
    const deps = await copyDeps({ address, setting: () => '', db, tempDir: path.join(dir, 'downloads') });
    lists.set(list, SOURCE_OF[list].create(deps));
  }
  return { lists, close: () => db.destroy() };
}

/** Loads the files of all lists, with the readers of the service. Returns the number of stored parties. @throws BenchFailure for a refused file */
export async function loadLists(url: string, dir: string): Promise<number> {
  const { lists, close } = await openLists(url, dir);
  try {
    let parties = 0;
    for (const [name, list] of lists) {
      const result = await list.sync();
      if (result.outcome !== 'loaded') throw new BenchFailure(`${name} was not loaded: ${JSON.stringify(result)}`);
      parties += result.version.entries;
    }
    return parties;
  } finally {
    await close();
  }
}

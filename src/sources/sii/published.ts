import { openArchive } from '../registry/archive.ts';
import { ListFileError } from '../registry/list-file.ts';
import { readSubtypes, SUBTYPES } from './catalogues.ts';
import { type RegistryFiles, tableOf } from './read.ts';
import { openTabFile, TABLES, type TabFile, type Table } from './tab-file.ts';

/** A file on disk that may be a table of the registry, or a zip of such files. */
export interface Published {
  readonly path: string;
  readonly name: string;
}

/** Maximum unpacked size of a text file of a zip, bytes. */
const MAX_TEXT_BYTES = 4 * 1024 ** 3;
/** Maximum number and unpacked size of all text files of one zip. The publisher has four tables, each in a few files. */
const MAX_TEXTS = { files: 100, bytes: 16 * 1024 ** 3 };
const TEXT = /\.txt$/i;
/** Matches files of branches, which have the same columns as files of domiciles but are not read. */
const BRANCHES = /SUCURSAL/i;
const CATALOGUE = /SUBTIPO/i;

/**
 * Opens files, whatever their names, and recognises the table in each by its header. Other files of a zip are ignored. Zips are unpacked
 * to `{folder}/unpacked-{n}`.
 * @throws ListFileError for a file without a table, for a damaged zip, and if no file contains the companies
 */
export async function openRegistryFiles(published: readonly Published[], folder: string): Promise<RegistryFiles> {
  const tables: Record<Table, TabFile[]> = { companies: [], names: [], activities: [], domiciles: [] };
  let subtypes = SUBTYPES;
  let unpacked = 0;
  for (const file of published) {
    let found = 0;
    for (const text of await textsOf(file, () => `${folder}/unpacked-${++unpacked}`)) {
      if (CATALOGUE.test(text.name)) subtypes = new Map([...subtypes, ...(await readSubtypes(text.path))]);
      const opened = BRANCHES.test(text.name) || CATALOGUE.test(text.name) ? null : await openTabFile(text.path, text.name);
      const table = opened && tableOf(opened);
      if (!table) continue;
      tables[table].push(opened);
      found += 1;
    }
    if (found === 0) throw new ListFileError(`${file.name} contains no table of the registry`);
  }
  if (tables.companies.length === 0) throw new ListFileError('there is no file of companies');
  // The newest year is first: later rows of the same company are then older, and only their dates are kept.
  for (const table of TABLES) tables[table].sort((a, b) => b.name.localeCompare(a.name));
  return { tables, subtypes };
}

/** Unpacks the text files of a zip. A file that is no zip is a text file itself. */
async function textsOf(file: Published, target: () => string): Promise<readonly Published[]> {
  const archive = await openArchive(file.path, file.name);
  if (!archive) return [file];
  const entries = archive.entries.filter(({ name, path }) => TEXT.test(name) && !path.startsWith('__MACOSX/'));
  archive.requireWithin(entries, MAX_TEXTS);
  const texts: Published[] = [];
  for (const entry of entries) {
    const path = target();
    await archive.unpack(entry, path, MAX_TEXT_BYTES);
    texts.push({ path, name: entry.name });
  }
  return texts;
}

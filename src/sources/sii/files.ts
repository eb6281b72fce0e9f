import { ListFileError } from '../registry/list-file.ts';
import { isZip, listZip, unpackMember } from '../registry/zip.ts';
import { readSubtypes, SUBTYPES } from './catalogues.ts';
import { type RegistryFiles, tableOf } from './read.ts';
import { openTabFile, type TabFile } from './tab-file.ts';
import { TABLES, type Table } from './tables.ts';

/** A file on disk that may be a table of the registry, or a zip of such files. */
export interface Published {
  readonly path: string;
  readonly name: string;
}

const MAX_MEMBER_BYTES = 4 * 1024 ** 3;
const TEXT = /\.txt$/i;
/** Files of branches have the same columns as files of domiciles, but are not read. */
const BRANCHES = /SUCURSAL/i;
const CATALOGUE = /SUBTIPO/i;

/**
 * Opens files, whatever their names, and recognises the table in each by its header. Other files of a zip are ignored.
 * Zips are unpacked to `{folder}/unpacked-{n}`.
 * @throws ListFileError for a file that holds no table, for a damaged zip, and when no file holds the companies
 */
export async function openRegistryFiles(published: readonly Published[], folder: string): Promise<RegistryFiles> {
  const tables: Record<Table, TabFile[]> = { companies: [], names: [], activities: [], domiciles: [] };
  let subtypes = SUBTYPES;
  let unpacked = 0;
  for (const file of published) {
    let held = 0;
    for (const member of (await isZip(file.path)) ? await unpack(file, () => `${folder}/unpacked-${++unpacked}`) : [file]) {
      if (CATALOGUE.test(member.name)) subtypes = new Map([...subtypes, ...(await readSubtypes(member.path))]);
      const opened = BRANCHES.test(member.name) || CATALOGUE.test(member.name) ? null : await openTabFile(member.path, member.name);
      const table = opened && tableOf(opened);
      if (!table) continue;
      tables[table].push(opened);
      held += 1;
    }
    if (held === 0) throw new ListFileError(`${file.name} holds no table of the registry`);
  }
  if (tables.companies.length === 0) throw new ListFileError('there is no file of companies');
  // Newest year first: later rows of the same company are then older, and only their dates are kept.
  for (const table of TABLES) tables[table].sort((a, b) => b.name.localeCompare(a.name));
  return { tables, subtypes };
}

async function unpack(zip: Published, target: () => string): Promise<readonly Published[]> {
  const files: Published[] = [];
  for (const member of await listZip(zip.path)) {
    if (!TEXT.test(member.name) || member.fullName.startsWith('__MACOSX/')) continue;
    const path = target();
    await unpackMember(zip.path, member, path, MAX_MEMBER_BYTES);
    files.push({ path, name: member.name });
  }
  return files;
}

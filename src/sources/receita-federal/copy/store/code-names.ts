import type { Knex } from 'knex';
import type { LOOKUP_FILES } from '../rows.ts';
import { preparedRead } from './prepared.ts';

/** Kind of a code, such as `activity`. */
type CodeKind = (typeof LOOKUP_FILES)[keyof typeof LOOKUP_FILES];

/** Returns the name of a code in a version; null for no code, and for one that the version does not name. */
export type CodeNames = (kind: CodeKind, code: number | null) => string | null;

/** The version that answers, and the one before it, which another process may still read. */
const MAX_VERSIONS = 2;

/**
 * Creates a reader of the names of codes, which keeps those of the last versions in memory: some 8,000 texts each. A version names its codes
 * before it answers, and never changes them. A record has about ten codes, so that a look-up of each in Postgres takes longer than the
 * record itself.
 */
export function createCodeNames(): (db: Knex, id: string) => Promise<CodeNames> {
  const known = new Map<string, Promise<CodeNames>>();
  return (db, id) => {
    const kept = known.get(id);
    if (kept) return kept;
    const names = readCodeNames(db, id);
    known.set(id, names);
    names.catch(() => known.delete(id));
    for (const other of known.keys()) if (known.size > MAX_VERSIONS) known.delete(other);
    return names;
  };
}

async function readCodeNames(db: Knex, id: string): Promise<CodeNames> {
  const { rows } = await preparedRead(db, 'code_names', 'SELECT kind, code, name FROM receita_lookups WHERE version_id = ?', [id]);
  const names = new Map<string, string>(
    rows.map(({ kind, code, name }: { kind: CodeKind; code: number; name: string }) => [`${kind} ${code}`, name]),
  );
  return (kind, code) => (code === null ? null : (names.get(`${kind} ${code}`) ?? null));
}

import { z } from 'zod';
import { descriptionKeys } from '../../domain/encoding.ts';
import activities from './tables/activities.json' with { type: 'json' };
import natures from './tables/natures.json' with { type: 'json' };
import roles from './tables/roles.json' with { type: 'json' };

/** A code table of the registry, as Receita Federal publishes it: codes with their left zeros, and their names. */
export interface CodeTable {
  /** Returns the name of a code; undefined for a code that the table does not have. */
  name(code: string): string | undefined;
  /** Returns the codes with this name, in any spelling that a wrong encoding may produce. */
  codes(text: string): readonly string[];
}

function codeTable(names: Readonly<Record<string, string>>): CodeTable {
  const byKey = new Map<string, string[]>();
  for (const [code, name] of Object.entries(names)) {
    for (const key of descriptionKeys(name)) byKey.set(key, [...(byKey.get(key) ?? []), code]);
  }
  return {
    name: (code) => (Object.hasOwn(names, code) ? names[code] : undefined),
    codes: (text) => descriptionKeys(text).flatMap((key) => byKey.get(key) ?? []),
  };
}

/** CNAE codes, seven digits. */
export const ACTIVITIES = codeTable(activities);
/** Codes of roles (qualificação), two digits, including those that are no longer assigned. */
export const ROLES = codeTable(roles);
/** Codes of legal natures (natureza jurídica), four digits. */
export const NATURES = codeTable(natures);

/**
 * Returns the name of a code in the table, whatever the mirror printed beside it. A code that the table does not have keeps the printed
 * text. A text without a code gets the spelling of the table if it is one of its names. Null if neither is given.
 */
export function nameOf(table: CodeTable, code: string | null, printed: string | null): string | null {
  if (code !== null) return table.name(code) ?? printed;
  const [known] = printed === null ? [] : table.codes(printed);
  return (known !== undefined && table.name(known)) || printed;
}

/** The role of a partner or a representative. */
export interface PrintedRole {
  /** Code of two digits; null if none is given, or if it is not that of the printed text. */
  readonly code: string | null;
  /** Null if neither a code nor a text is given. */
  readonly name: string | null;
}

/**
 * Reads a role. If the text is the name of other codes than the one beside it, the code is damaged (`3` of `37`), and the text counts. The
 * name of code 0 (`Não informada`) says nothing.
 */
export function roleOf(cell: z.infer<typeof roleCell>, printed: string | null): PrintedRole {
  const code = roleCode(cell);
  const named = printed === null ? [] : ROLES.codes(printed).filter((one) => Number(one) > 0);
  const agreed = named.length === 0 || named.includes(code ?? '') ? code : null;
  return { code: agreed, name: nameOf(ROLES, agreed, printed) };
}

/** Schema of the code of a role in any mirror's form: 5, `5` or `05`. */
export const roleCell = z.union([z.int(), z.string()]).nullish();

/** Returns the two digits of the code of a role; null for none. */
export const roleCode = (cell: z.infer<typeof roleCell>): string | null =>
  String(cell ?? '')
    .trim()
    .padStart(2, '0')
    .replace(/^00$/, '') || null;

/**
 * Legal natures with a single holder (sole trader, real estate of one person, rural producer, candidate), whose records have no partners.
 */
const ONE_PERSON: ReadonlySet<string> = new Set(['2135', '4014', '4090', '4120']);

/** True if the registry records partners or officers of every company of a legal nature: companies (2) and non-profit bodies (3). */
export const recordsPartners = (nature: string | null): boolean => nature !== null && /^[23]/.test(nature) && !ONE_PERSON.has(nature);

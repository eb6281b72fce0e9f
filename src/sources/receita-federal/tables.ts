import { z } from 'zod';
import { descriptionKeys } from '../../domain/encoding.ts';
import activities from './tables/activities.json' with { type: 'json' };
import natures from './tables/natures.json' with { type: 'json' };
import roles from './tables/roles.json' with { type: 'json' };

/** A code table of the registry, as Receita Federal publishes it: codes with their left zeros, and their names. */
export interface CodeTable {
  /** The name of a code; undefined for one that the table does not have. */
  name(code: string): string | undefined;
  /** The codes whose name a text is, in any spelling that an encoding may leave of it. */
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

/** CNAE, seven digits. */
export const ACTIVITIES = codeTable(activities);
/** Qualificação, two digits, with the codes that are no longer given. */
export const ROLES = codeTable(roles);
/** Natureza jurídica, four digits. */
export const NATURES = codeTable(natures);

/**
 * The name of a code: that of the table, whatever the mirror printed beside it. A code that the table does not have keeps the printed text. A
 * text without a code is spelled as in the table, where it is one of its names. Null where neither is given.
 */
export function nameOf(table: CodeTable, code: string | null, printed: string | null): string | null {
  if (code !== null) return table.name(code) ?? printed;
  const [known] = printed === null ? [] : table.codes(printed);
  return (known !== undefined && table.name(known)) || printed;
}

/** A code of a role in any mirror's form: 5, `5` or `05`. */
export const roleCell = z.union([z.int(), z.string()]).nullish();

/** The two digits of a code of a role; null for none. */
export const roleCode = (cell: z.infer<typeof roleCell>): string | null =>
  String(cell ?? '')
    .trim()
    .padStart(2, '0')
    .replace(/^00$/, '') || null;

/** Natures whose holder is one person (sole trader, real estate of one person, rural producer, candidate): their records have no partners. */
const ONE_PERSON: ReadonlySet<string> = new Set(['2135', '4014', '4090', '4120']);

/** True where the registry records partners or officers of every company of a nature: companies (2) and bodies without profit (3). */
export const recordsPartners = (nature: string | null): boolean => nature !== null && /^[23]/.test(nature) && !ONE_PERSON.has(nature);

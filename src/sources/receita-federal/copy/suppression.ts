import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { isCpf, maskCpf } from '../../../domain/personal-ids.ts';
import type { DATA_FILES } from './rows.ts';

/** A person as the registry prints them, or a company. */
export type Suppressed =
  | { readonly kind: 'person'; readonly name: string; readonly document: string }
  | { readonly kind: 'company'; readonly root: string };

/** Keyed hash of a person or a company, hex. */
export type HashSuppressed = (one: Suppressed) => string;

/**
 * Creates the keyed hash of suppressed people and companies. A person is known by the letters of the name and by the masked CPF, because the
 * registry prints no more.
 * @param secret secret of the installation (QUIPU_KEY_SECRET)
 */
export function suppressionHash(secret: string): HashSuppressed {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'quipu receita suppressions', 32)));
  return (one) => {
    const text = one.kind === 'company' ? `company:${one.root}` : `person:${lettersOf(one.name)}:${maskedOf(one.document)}`;
    return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
  };
}

/** Returns the letters of a name without accents, in capitals. */
export const lettersOf = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');

/** Returns a document as the registry prints it: a complete CPF masked. */
export const maskedOf = (document: string): string => (isCpf(document) ? maskCpf(document) : document);

/** Removes what is suppressed from a line. Returns null for a line of a suppressed company. */
export type Suppress = (kind: keyof typeof DATA_FILES, cells: readonly string[]) => readonly string[] | null;

/** Positions in a line of the file of partners: name and document of the partner, and of the representative. */
const PEOPLE = [
  [2, 3],
  [8, 7],
] as const;

/** Creates the filter of lines; undefined if nothing is suppressed. */
export function suppressing(hashes: ReadonlySet<string>, hash: HashSuppressed): Suppress | undefined {
  if (hashes.size === 0) return undefined;
  return (kind, cells) => {
    if (hashes.has(hash({ kind: 'company', root: cells[0] ?? '' }))) return null;
    if (kind !== 'Socios') return cells;
    return PEOPLE.reduce((kept, [name, document]) => {
      const person = { kind: 'person', name: cells[name] ?? '', document: cells[document] ?? '' } as const;
      return hashes.has(hash(person)) ? kept.with(name, '').with(document, '') : kept;
    }, cells);
  };
}

import { hkdfSync } from 'node:crypto';
import { isCpf, maskCpf } from '../../../domain/personal-ids.ts';
import type { QuotedLine } from '../../copies/quoted-rows.ts';
import { KeyedText } from './keyed-text.ts';
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
  const keyed = new KeyedText(Buffer.from(hkdfSync('sha256', secret, '', 'quipu receita suppressions', 32)));
  return (one) => keyed.hexOf(one.kind === 'company' ? `company:${one.root}` : `person:${lettersOf(one.name)}:${maskedOf(one.document)}`);
}

/** Returns the letters of a name without accents, in capitals. */
export const lettersOf = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');

/** Returns a document as the registry prints it: a complete CPF masked. */
export const maskedOf = (document: string): string => (isCpf(document) ? maskCpf(document) : document);

/** The keyed hashes of all that is suppressed. */
export interface SuppressedHashes {
  readonly companies: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
}

/** Makes the fields of suppressed people empty. Returns false for a line of a suppressed company. */
export type Suppress = (kind: keyof typeof DATA_FILES, line: QuotedLine) => boolean;

/** Fields of a line of the file of partners: name and document of the partner, and of the representative. */
const PEOPLE = [
  [2, 3],
  [8, 7],
] as const;
/** Characters of a CPF, complete or masked. Only people with one are suppressed. */
const CPF_CHARACTERS = 11;

/**
 * Creates the filter of lines; undefined if nothing is suppressed. Only the fields that are hashed become strings: the root if a company is
 * suppressed, once for neighbouring lines of one company, and name and CPF if a person is.
 */
export function suppressing({ companies, people }: SuppressedHashes, hash: HashSuppressed): Suppress | undefined {
  if (companies.size === 0 && people.size === 0) return undefined;
  let last = { root: '', isSuppressed: false };

  function isSuppressedRoot(root: string): boolean {
    if (root !== last.root) last = { root, isSuppressed: companies.has(hash({ kind: 'company', root })) };
    return last.isSuppressed;
  }

  function clearPeople(line: QuotedLine): void {
    for (const [name, document] of PEOPLE) {
      if (!mayBePerson(line, name, document)) continue;
      if (!people.has(hash({ kind: 'person', name: line.text(name), document: line.text(document) }))) continue;
      line.clear(name);
      line.clear(document);
    }
  }

  return (kind, line) => {
    if (companies.size > 0 && isSuppressedRoot(line.text(0))) return false;
    if (people.size > 0 && kind === 'Socios') clearPeople(line);
    return true;
  };
}

/** False for a partner without a name or a CPF. */
const mayBePerson = (line: QuotedLine, name: number, document: number): boolean =>
  line.size(name) > 0 && (!line.isPlain(document) || line.size(document) === CPF_CHARACTERS);

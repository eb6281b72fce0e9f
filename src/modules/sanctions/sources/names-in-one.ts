import { statedNames } from '../../../names/other-names.ts';
import type { SanctionsAlias } from './entry.ts';

/**
 * Splits a text that has several names of a party: `FICTION SA (formerly FICTION OBRAS)*12`. Footnotes are dropped. Without a mark there are
 * no aliases.
 * @returns the text without footnotes as name, and each name in it as alias, the first one as `name`
 */
export function namesIn(text: string): { readonly name: string; readonly aliases: readonly SanctionsAlias[] } {
  const name = text
    .replace(/\*\d{0,9}(?:,(?= ?\*))?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const aliases = statedNames(name)
    .filter((stated) => stated.text !== name)
    .map((stated) => ({ name: stated.text, type: stated.type || 'name', weak: false }));
  return { name, aliases };
}

import { type Alignment, isAbbreviated, type Pair } from './align.ts';
import type { Name, NameWord } from './name.ts';

const textOf = (words: readonly NameWord[]): string => words.map(({ text }) => text).join(' ');

/** Explains in sentences which words of two names agree, which differ, and which were ignored. */
export function explain(searched: Name, listed: Name, { pairs, searchedOnly, listedOnly }: Alignment, isWeak: boolean): string {
  const same = pairs.filter(isSame);
  const forms = [...new Set([...searched.forms, ...listed.forms])];
  return [
    same.length > 0 && `Same words: ${same.map((pair) => textOf(pair.listed)).join(', ')}.`,
    ...pairs.filter((pair) => !isSame(pair)).map(difference),
    searchedOnly.length > 0 && `Only in the screened name: ${textOf(searchedOnly)}.`,
    listedOnly.length > 0 && `Only in the listed name: ${textOf(listedOnly)}.`,
    forms.length > 0 && `Legal forms set aside: ${forms.join(', ')}.`,
    ...searched.remarks,
    isWeak && 'The list marks this alias as weak: too short or too common to decide by.',
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

const isSame = ({ searched, listed }: Pair): boolean => textOf(searched) === textOf(listed);

/** True if one text is a word that is much shorter than the other, which excludes the same letters without blanks. */
const isInitials = (a: string, b: string): boolean => Math.min(a.length, b.length) * 2 < Math.max(a.length, b.length);

function difference({ searched, listed }: Pair): string {
  const [a, b] = [textOf(searched), textOf(listed)];
  const isOneWord = searched.length === 1 && listed.length === 1;
  if (isOneWord && searched[0]?.key === listed[0]?.key) return `Same word, written differently: ${a} for ${b}.`;
  if (Math.min(searched.length, listed.length) === 1 && isInitials(a, b)) return `Initials: ${a} for ${b}.`;
  if (searched.length !== listed.length) return `Joined or split: ${a} for ${b}.`;
  if (isAbbreviated(searched[0] as NameWord, listed[0] as NameWord)) return `Abbreviation: ${a} for ${b}.`;
  if (a.length === 1 || b.length === 1) return `Initial: ${a} for ${b}.`;
  return `Similar: ${a} for ${b}.`;
}

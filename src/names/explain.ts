import type { Message } from '../messages/message.ts';
import { nameMessages } from '../messages/names.ts';
import { type Alignment, isAbbreviated, type Pair } from './align.ts';
import type { Name, NameWord } from './name.ts';

const textOf = (words: readonly NameWord[]): string => words.map(({ text }) => text).join(' ');

/** Explains in sentences which words of two names agree, which differ, and which were ignored. */
export function explain(searched: Name, listed: Name, { pairs, searchedOnly, listedOnly }: Alignment, isWeak: boolean): readonly Message[] {
  const same = pairs.filter(isSame);
  const forms = [...new Set([...searched.forms, ...listed.forms])];
  return [
    same.length > 0 && nameMessages.sameWords({ words: same.map((pair) => textOf(pair.listed)).join(', ') }),
    ...pairs.filter((pair) => !isSame(pair)).map(difference),
    searchedOnly.length > 0 && nameMessages.onlySearched({ words: textOf(searchedOnly) }),
    listedOnly.length > 0 && nameMessages.onlyListed({ words: textOf(listedOnly) }),
    forms.length > 0 && nameMessages.forms({ words: forms.join(', ') }),
    ...searched.remarks,
    isWeak && nameMessages.weakAlias(),
  ].filter((sentence) => sentence !== false);
}

const isSame = ({ searched, listed }: Pair): boolean => textOf(searched) === textOf(listed);

/** True if one text is a word that is much shorter than the other, which excludes the same letters without blanks. */
const isInitials = (a: string, b: string): boolean => Math.min(a.length, b.length) * 2 < Math.max(a.length, b.length);

function difference({ searched, listed }: Pair): Message {
  const [a, b] = [textOf(searched), textOf(listed)];
  const isOneWord = searched.length === 1 && listed.length === 1;
  if (isOneWord && searched[0]?.key === listed[0]?.key) return nameMessages.otherSpelling({ a, b });
  if (Math.min(searched.length, listed.length) === 1 && isInitials(a, b)) return nameMessages.initials({ a, b });
  if (searched.length !== listed.length) return nameMessages.joinedOrSplit({ a, b });
  if (isAbbreviated(searched[0] as NameWord, listed[0] as NameWord)) return nameMessages.abbreviation({ a, b });
  if (a.length === 1 || b.length === 1) return nameMessages.initial({ a, b });
  return nameMessages.similar({ a, b });
}

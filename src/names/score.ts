import { type Alignment, align, isIdentifying, isIdentifyingPair, type Pair } from './align.ts';
import { isShortened } from './edit-distance.ts';
import type { Name, NameWord } from './name.ts';
import { isBusiness, isFiller, SAME_KEY } from './similarity.ts';

/*
 * Similarity of two names, from 0 to 1. The base is the weight of the paired words as a share of the weight of all words. Factors lower it
 * for words that contradict each other, another order of words and another legal form. Caps limit the score of names that agree too little
 * to be the same company: at `MAX_REVIEW_SCORE`, so that a person must review them, or at `NO_CANDIDATE`.
 */

/** `match`: a person would say that these are the same name. `review`: similar names, which a person should review. */
export type Decision = 'match' | 'review';

/** Minimum score of a match. */
const MATCH_FROM = 0.85;
/** Minimum score of a candidate, which a person should review. */
export const REVIEW_FROM = 0.75;

/** Maximum score of a pair of names that a person must review, just below `MATCH_FROM`. */
const MAX_REVIEW_SCORE = 0.84;

export interface Score {
  /** Similarity from 0 to 1; 1 for the same words in the same order with the same legal form. */
  readonly score: number;
  readonly decision: Decision | null;
  readonly alignment: Alignment;
}

const isTrade = ({ kind }: NameWord): boolean => kind === 'trade';
const isPlace = ({ kind }: NameWord): boolean => kind === 'place';

const total = (words: readonly NameWord[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

/** Scores two names. The result is symmetric, except that a mistyped word has the weight of the listed word. */
export function scoreNames(searched: Name, listed: Name, { isWeak = false }: { readonly isWeak?: boolean } = {}): Score {
  const alignment = align(searched, listed, { initials: !isWeak });
  const { pairs, searchedOnly, listedOnly } = alignment;
  const agreed = pairs.reduce((sum, { weight, similarity }) => sum + 2 * weight * similarity, 0);
  const left = [...searchedOnly, ...listedOnly];
  const isExact = left.length === 0;
  const isWhole = left.every(isFiller);
  const whole = pairs.reduce((sum, { weight }) => sum + 2 * weight, 0) + (isWhole ? 0 : total(left));
  const share = whole === 0 ? 0 : agreed / whole;
  const factor = isWhole ? 1 : contradiction(alignment) * evidence(alignment);
  const cap = Math.min(
    isWhole ? capForFullMatch(searched, listed, pairs) : capForPartialMatch(alignment),
    capForSingleWord(pairs),
    capForEndings(pairs, isWhole),
    capForCommonWords(searched, listed, alignment),
  );
  const details =
    order(searched, listed, alignment) * forms(searched, listed) * (isExact && searched.remarks.length === 0 ? 1 : READ_OTHERWISE);
  const score = Math.round(Math.min(share * factor * details, cap) * 1000) / 1000;
  return { score, decision: decide(score, isWeak && !isExact, isWeak), alignment };
}

function decide(score: number, isPartOfWeak: boolean, isWeak: boolean): Decision | null {
  if (score < REVIEW_FROM || isPartOfWeak) return null;
  return score >= MATCH_FROM && !isWeak ? 'match' : 'review';
}

/**
 * Returns the factor for unpaired words. If both names have some, they contradict each other; if one name has some, the other may have
 * dropped them.
 */
function contradiction({ searchedOnly, listedOnly, pairs }: Alignment): number {
  const sides = [searchedOnly.some(isIdentifying), listedOnly.some(isIdentifying)];
  const places = [searchedOnly.some(isPlace), listedOnly.some(isPlace)];
  const trades = [searchedOnly.some(isTrade), listedOnly.some(isTrade)];
  const identified = pairs.filter(isIdentifyingPair).length;
  let factor = 1;
  if (sides[0] && sides[1]) factor *= 0.7;
  else if (sides[0] || sides[1]) factor *= 0.85;
  if (places[0] && places[1]) factor *= 0.75;
  else if (places[0] || places[1]) factor *= 0.95;
  if (trades[0] && trades[1]) factor *= identified > 1 ? 0.95 : 0.9;
  return factor;
}

/** Factor for names that agree in no identifying word. They are similar only if all their words agree. */
export const NO_EVIDENCE = 0.8;

function evidence({ pairs }: Alignment): number {
  const best = Math.max(0, ...pairs.filter(isIdentifyingPair).map(({ weight }) => weight));
  return best >= 0.5 ? 1 : NO_EVIDENCE;
}

/** Returns the maximum score of names whose words are all paired. It is lower if the words identify too little. */
function capForFullMatch(searched: Name, listed: Name, pairs: readonly Pair[]): number {
  const said = pairs.reduce((sum, { weight }) => sum + weight, 0);
  const same = sameForms(searched, listed);
  if (said < 0.5 && same !== 'same') {
    if (pairs.length === 1) return 0;
    if (same === 'different' && pairs.some((pair) => pair.similarity < 1)) return 0;
    if (!pairs.every(isSameWord)) return MAX_REVIEW_SCORE;
  }
  const [pair] = pairs;
  const only = pairs.length === 1 && pair?.listed.length === 1 && pair.searched.length === 1 ? pair.listed[0] : undefined;
  if (!only) return 1;
  if (only.text.length <= 3) return same === 'same' ? 1 : MAX_REVIEW_SCORE;
  return only.kind !== 'rare' && same === 'different' ? MAX_REVIEW_SCORE : 1;
}

/** Score of names that are not a candidate. It is below `REVIEW_FROM`. */
const NO_CANDIDATE = 0.7;

/**
 * Returns the maximum score of names that agree in one word only, which they spell differently. Short words, or words with another
 * beginning, count as different words.
 */
function capForSingleWord([pair, second]: readonly Pair[]): number {
  if (!pair || second || pair.similarity > SAME_KEY || pair.searched.length > 1 || pair.listed.length > 1) return 1;
  const [a, b] = [...pair.searched, ...pair.listed] as [NameWord, NameWord];
  const shorter = Math.min(a.text.length, b.text.length);
  const longer = Math.max(a.text.length, b.text.length);
  if (a.key === b.key || a.loose === b.loose) return shorter > 4 || a.text[0] === b.text[0] ? 1 : NO_CANDIDATE;
  return shorter > 5 && longer > 6 && a.key[0] === b.key[0] ? 1 : NO_CANDIDATE;
}

/**
 * Returns the maximum score of names with one identifying word, which they end with different vowels. These may be two words, such as
 * `POSITIVO` and `POSITIVE`. A plural counts as the same word if the rest agrees, and so does another gender in a name of three words or
 * more.
 */
function capForEndings(pairs: readonly Pair[], isWhole: boolean): number {
  const [pair, second] = pairs.filter(isIdentifyingPair);
  if (!pair || second || pair.searched.length > 1 || pair.listed.length > 1) return 1;
  if (pair.searched[0]?.text === pair.listed[0]?.text) return 1;
  const [a, b] = [...pair.searched, ...pair.listed].map(({ text }) => text.replace(/S$/, '')) as [string, string];
  const vowels = a.slice(-1) + b.slice(-1);
  if (a.slice(0, -1) !== b.slice(0, -1) || !FINAL_VOWELS.test(vowels)) return 1;
  return isWhole && (a === b || (pairs.length > 2 && GENDERS.test(vowels))) ? 1 : MAX_REVIEW_SCORE;
}

const FINAL_VOWELS = /^[AEIO]{2}$/;
const GENDERS = /^(?:AO|OA)$/;

/**
 * Returns the maximum score of names with different legal forms that agree in common words only, one of which is translated or missing, or
 * that are a business word and a common one. Many companies may have such a name, as `INVERSIONES ALFA SAS` and `ALFA-INVEST LLC`; few have
 * one of four words or more.
 */
function capForCommonWords(searched: Name, listed: Name, { pairs, searchedOnly, listedOnly }: Alignment): number {
  if (pairs.some((pair) => isIdentifyingPair(pair) && pair.listed.some(({ kind }) => kind === 'rare'))) return 1;
  const isWhole = [...searchedOnly, ...listedOnly].every(isFiller);
  if (sameForms(searched, listed) === 'same') return 1;
  if (isWhole && isTradeAndNoun(pairs)) return MAX_REVIEW_SCORE;
  const others = pairs.filter((pair) => !isSameWord(pair)).length;
  return isWhole && (others === 0 || (others === 1 && pairs.length > 3)) ? 1 : MAX_REVIEW_SCORE;
}

/** True for a business word and a common one: `DISTRIBUIDORA IMPERIAL`. Companies with another legal form, or none, often have such a name. */
const isTradeAndNoun = (pairs: readonly Pair[]): boolean =>
  pairs.length === 2 &&
  pairs.some(({ listed }) => listed.every(isBusiness)) &&
  pairs.some(({ listed }) => listed.every(({ kind }) => kind === 'common'));

/**
 * True for a word in another spelling, a number in words, and an abbreviated business word: `CIA` for `COMPANIA`. False for a translation.
 */
function isSameWord({ searched: [a, second], listed: [b, other] }: Pair): boolean {
  if (!a || !b || second || other) return true;
  return a.sound === b.sound || (a.kind === 'number' && a.key === b.key) || (isBusiness(a) && isShortened(a.text, b.text));
}

/** Returns the maximum score of names with unpaired words. It depends on how well the paired words identify a company. */
function capForPartialMatch({ pairs, searchedOnly, listedOnly }: Alignment): number {
  const identified = pairs.filter(isIdentifyingPair);
  const rare = identified.filter(({ listed }) => listed.some(({ kind, weight }) => kind === 'rare' && weight >= 0.9));
  const letters = rare.reduce((sum, { listed }) => sum + listed.reduce((all, { text }) => all + text.length, 0), 0);
  const isNamed = [...searchedOnly, ...listedOnly].every(({ kind }) => kind === 'general');
  if (isNamed) return letters >= LONG_WORD || (letters > 0 && pairs.length > 1) || identified.length > 1 ? 1 : MAX_REVIEW_SCORE;
  if (rare.length === 0) return identified.length > 1 ? MAX_REVIEW_SCORE : NO_CANDIDATE;
  if (rare.length > 1) return 1;
  if (searchedOnly.some(isTrade)) return letters >= LONG_WORD ? 0.8 : NO_CANDIDATE;
  return letters >= LONG_WORD ? 1 : MAX_REVIEW_SCORE;
}

/** Minimum length of a word that two companies hardly share by chance, in letters. */
const LONG_WORD = 8;

const OTHER_ORDER = 0.99;
const OTHER_FORM = 0.99;
const READ_OTHERWISE = 0.99;

function order(searched: Name, listed: Name, { pairs }: Alignment): number {
  const places = pairs.map(
    ({ searched: [a], listed: [b] }) => [searched.words.indexOf(a as NameWord), listed.words.indexOf(b as NameWord)] as const,
  );
  const sorted = places.toSorted(([a], [b]) => a - b);
  return sorted.every(([, place], i) => i === 0 || place > (sorted[i - 1]?.[1] ?? -1)) ? 1 : OTHER_ORDER;
}

const forms = (searched: Name, listed: Name): number => (sameForms(searched, listed) === 'same' ? 1 : OTHER_FORM);

/** Additions of registries to a legal form, about the state of a company or the licence of a bank. */
const NOT_A_FORM =
  /^(?:SUCURSAL|FILIAL|MATRIZ|BIC|BANCO UNI|INSTITUCION DE|MASSA FALIDA|E[NM] (?:LIQUIDA|PROCESO|QUIEBRA|CON|FALENCIA|RE|INTERVEN).*)/;

/** Compares the legal forms of two names. `missing`: one of the names has none. */
function sameForms(searched: Name, listed: Name): 'same' | 'missing' | 'different' {
  const [a, b] = [searched, listed].map(({ forms }) =>
    [...new Set(forms.filter((form) => !NOT_A_FORM.test(form)).map(shortForm))].toSorted().join(' '),
  );
  if (a === b) return 'same';
  return a === '' || b === '' ? 'missing' : 'different';
}

/** Patterns of the ways to write one legal form. The many forms of limited companies count as one. */
const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/(?:ANONIMA|ACCIONES) SIMPLIFICADA/, 'SAS'],
  [/^SOCIEDAD ANONIMA DE CAPITAL|^SA ?(?:DE )?CV$/, 'SA DE CV'],
  [/^SOCIEDADE? ANONIMA/, 'SA'],
  [/^SOCIEDAD POR ACCIONES$/, 'SPA'],
  [/^COMPANIA ANONIMA$/, 'CA'],
  [/^EMPRESA UNIPERSONAL$/, 'EU'],
  [/^(?:SPR\b|S DE PR\b|SOCIEDAD DE PRODUCCION RURAL)/, 'SPR'],
  [/COMANDITA SIMPLE|^S EN CS$|^SCS$/, 'S EN C'],
  [/^(?:SOCIEDAD )?EN COMANDITA$|^SENC$/, 'S EN C'],
  [/COMANDITA POR ACCIONES|^S EN CA$/, 'SCA'],
  [/^LIMITED LIABILITY CO/, 'LLC'],
  [/^(?:PUBLIC JOINT STOCK|PUBLIC JSC$|PAO$|PUBLICHNOE AK)/, 'PJSC'],
  [/^(?:OPEN JOINT STOCK|OPEN JSC$|OAO$|OTKRYTOE AK)/, 'OJSC'],
  [/^(?:CLOSED JOINT STOCK|CLOSED JSC$|ZAO$|ZAKRYTOE AK)/, 'CJSC'],
  [/^(?:JOINT STOCK|AO$|AK\w+ OBSHCHESTVO$)/, 'JSC'],
  [/^OBSHCHESTVO S |^OOO$/, 'LLC'],
  [/^(?:COMPANY|COMPANIA|COMPANHIA|CIA)$/, 'CO'],
  [/^INCORPORATED$/, 'INC'],
  [/^CORPORATION$/, 'CORP'],
  [/RESP(?:ONSABILIDAD)? (?:LIMITADA|LTDA)$/, 'LTDA'],
  [/^(?:LTD|LIMITED|LIMITADA|LTADA|LDTA|SOCIEDADE? LIMITADA|CO LTD|COMPANY LIMITED|EIRELI)$/, 'LTDA'],
];

const shortForm = (form: string): string => SHORT_FORMS.find(([written]) => written.test(form))?.[1] ?? form;

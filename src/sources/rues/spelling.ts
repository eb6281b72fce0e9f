import { repaired } from '../../domain/encoding.ts';
import { storable } from '../../domain/text.ts';

/* Repairs the texts of the register, some of which were decoded with a wrong charset before they were stored. */

/** Letters and signs of Spanish whose bytes in UTF-8 somebody read as GB18030. */
const LETTERS = 'áéíóúñüÁÉÍÓÚÑÜ°ºª\u00a0';

/** The Chinese character that shows in place of a letter, e.g. `脩` for Ñ. */
const READ_AS_CHINESE: ReadonlyMap<string, string> = new Map(
  [...LETTERS].map((letter) => [new TextDecoder('gb18030').decode(new TextEncoder().encode(letter)), letter]),
);

const CHINESE = /[\u4e00-\u9fff]/g;

/** Replaces `COMPA脩脥A` by `COMPAÑÍA`. A text with any other Chinese character is returned unchanged, because a part of it is lost. */
export function withoutChinese(text: string): string {
  const letters = text.replace(CHINESE, (char) => READ_AS_CHINESE.get(char) ?? char);
  return hasChinese(letters) ? text : letters.normalize('NFC');
}

/** True for a text that could not be repaired. */
export const hasChinese = (text: string): boolean => /[\u4e00-\u9fff]/.test(text);

const MAX_TEXT = 300;

/** Repairs a value and collapses its blanks; null for an absent, an empty one and a lone dash. */
export function stated(value: string | null | undefined): string | null {
  if (value == null) return null;
  const text = withoutChinese(repaired(storable(value, MAX_TEXT)))
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' || text === '-' ? null : text;
}

/** A number in the form of an identity card: six digits or more, in one piece or in groups of three, often with an apostrophe for millions. */
const CARD_NUMBER = /\d{1,4}(?:[ .,'`´\u2018\u2019\u2010-\u2015-]\d{3}){2,}|\d{6,}/g;

/** Repairs a text that is shown, and hides numbers in it that may be a person's identity card. */
export const withoutCards = (value: string | null | undefined): string | null => stated(value)?.replace(CARD_NUMBER, '***') ?? null;

/**
 * Returns the beginning of a text in the form in which the words of the register are compared: capitals without accents and without a dot at
 * the end.
 */
export const comparable = (text: string): string =>
  text.slice(0, MAX_TEXT).normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().replace(/\s+/g, ' ').trim().replace(/\.$/, '').trim();

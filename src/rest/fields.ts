import { z } from 'zod';
import { REGISTRATION_STATUSES } from '../domain/company.ts';
import { MAX_TAX_ID_TEXT } from '../domain/tax-id.ts';

/** Shapes of fields that several endpoints share. */

/*
 * Agent programs convert a text of digits to a number before they send it, and numbers and booleans to texts. Exact values are accepted;
 * in schemas the fields have the type that callers should send.
 */

/** Reads digits that were sent as a JSON number, if it is exact: `31000001000160` → `'31000001000160'`. Other values stay unchanged. */
const digitsToText = (given: unknown): unknown => (Number.isSafeInteger(given) && Number(given) >= 0 ? String(given) : given);

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** The schema of a boolean that also accepts `"true"` and `"false"` in any letter case. */
export const flag = <T extends z.ZodType<boolean>>(schema: T) =>
  z.preprocess((given) => (typeof given === 'string' ? (FLAGS.get(given.trim().toLowerCase()) ?? given) : given), schema);

/** The schema of a whole number that also accepts its digits as text: `"5"`. */
export const wholeNumber = <T extends z.ZodType<number>>(schema: T) =>
  z.preprocess((given) => (typeof given === 'string' && /^\d{1,15}$/.test(given.trim()) ? Number(given) : given), schema);

/** The schema of a text to search for, which may consist of digits. */
export const searchText = <T extends z.ZodType<string>>(schema: T) => z.preprocess(digitsToText, schema);

/** Creates the schema of a code that accepts numbers of these lengths. A number of another length may lack a left zero. */
const codeOf =
  (...lengths: readonly number[]) =>
  <T extends z.ZodType<string>>(schema: T) =>
    z.preprocess((given) => (typeof given === 'number' && lengths.includes(String(given).length) ? digitsToText(given) : given), schema);

/** The schema of the first digits of a CNAE: division, class or the whole code. */
export const activityCode = codeOf(2, 4, 7);
/** The schema of a legal nature, of four digits without a left zero. */
export const legalNatureCode = codeOf(4);

/** Schema of tax ids in a list, which the service parses. It is the argument of `identifierList`. */
export const taxIds = z.array(z.string('Give each tax id as text.'), 'Give the tax ids as a list.');

/** Number of wrong items after which the rest of a list is not read, because each error takes time, and space in the answer. */
const MAX_WRONG_ITEMS = 20;

/**
 * Reads the items of a list as texts, and leaves out what follows its 20th item that is no text of a tax id: the list is refused anyway. One
 * loop does it for 100,000 items, because a schema for each of them would take ten times as long.
 */
function textsUntilWrong(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  const texts: unknown[] = [];
  let wrong = 0;
  for (const item of given) {
    const text = digitsToText(item);
    texts.push(text);
    if (typeof text !== 'string') wrong += 1;
    if (wrong === MAX_WRONG_ITEMS) break;
  }
  return texts;
}

/** The schema of a list of tax ids, whose errors name at most 20 wrong items. */
export const identifierList = <T extends z.ZodType<string[]>>(schema: T) => z.preprocess(textsUntilWrong, schema);

export const identifier = z
  .preprocess(
    digitsToText,
    z.string('Give the tax id as text.').trim().min(1, 'Give a tax id.').max(MAX_TAX_ID_TEXT, 'A tax id is shorter than this.'),
  )
  .describe('Tax id; punctuation, blanks and letter case are ignored, and a CNPJ may lack its left zeros');

/** The tax id of a request in its answer, as it was given. */
export const givenTaxId = z.string().describe('The given tax id');

export const country = z
  .string('Give the country as text: BR, CL or CO.')
  .trim()
  .length(2, 'Give the country as two letters, e.g. BR.')
  .transform((text) => text.toUpperCase())
  .describe('ISO 3166-1 alpha-2');

export const registrationStatus = z.enum(REGISTRATION_STATUSES);

/** Schema of a date `YYYY-MM-DD` or null. */
export const dateOrNull = z.iso.date().nullable();
/** Schema of the day of an answer about the past. */
export const asOfDay = z.iso
  .date('Give a day, YYYY-MM-DD.')
  .optional()
  .describe('BR: answers by the last extract of the registry up to this day, of those that the service has loaded; today when omitted');
export const datetime = z.iso.datetime({ offset: true }).describe('ISO 8601 with a numeric UTC offset, whole seconds');

export const pageSize = z
  .string()
  .regex(/^([1-9]\d?|100)$/, 'Give a number from 1 to 100.')
  .default('100')
  .describe('Items per page, 1 to 100');

/** Schema of the position from which a page of a list begins. */
export const pageAfter = z
  .string()
  .max(256, 'A cursor is shorter than this.')
  .optional()
  .describe('next_after of the previous page; the first page when omitted');

/** Fields that end a page of a list. */
export const pageEnd = {
  has_more: z.boolean().describe('True if more items follow this page'),
  next_after: z.string().nullable().describe('Pass it as `after` to get the next page; null for an empty page'),
};

/** Returns `next_after` of a page. */
export function nextAfter<T>(items: readonly T[], cursorOf: (item: T) => string): string | null {
  const last = items.at(-1);
  return last === undefined ? null : cursorOf(last);
}

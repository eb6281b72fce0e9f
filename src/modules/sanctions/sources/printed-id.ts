import type { PrintedId } from './entry.ts';
import { PRINTED_TYPES } from './list-tax-ids.ts';

/** Matches a number without its type. */
const NUMBER = /^\d[\d./-]{6,24}$/;

/**
 * Parses `[alt. ]<type> <number>[ (<country>)][ issued …| expires …]`. The type is empty for a number and a country alone. It returns an
 * empty list for another remark.
 */
export function printedId(piece: string): PrintedId[] {
  const [whole = ''] = piece.replace(/^alt\. /, '').split(/ (?:issued|expires) /i, 1);
  const [, body = whole, country = null] = /^(.*) \(([^()]*)\)$/.exec(whole) ?? [];
  if (country !== null && NUMBER.test(body)) return [{ type: '', value: body, country }];
  const known = PRINTED_TYPES.find((one) => body.startsWith(`${one} `));
  const type = known ?? (/^(.{1,100}?)(?= #?\S{0,100}\d)/.exec(body) ?? /^([A-Za-z][A-Za-z. ]{1,40}?)(?=\W{0,3}\d)/.exec(body))?.[1];
  return type === undefined ? [] : [{ type, value: body.slice(type.length).trim(), country }];
}

import { operationMessages } from '../messages/operations.ts';
import { type AppError, invalidInput } from './errors.ts';
import { storable } from './text.ts';

/** Number of items of a page whose size is omitted or null. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** Cursor of a row in a list sorted by creation time. */
export interface TimeCursor {
  /** ISO 8601, to the millisecond. */
  readonly at: string;
  /** UUID. */
  readonly id: string;
}

/** Returns a valid page size, the default for null. @throws AppError INVALID_INPUT unless it is 1 to 100 */
export function requireFirst(first: number | null): number {
  const size = first ?? DEFAULT_PAGE_SIZE;
  if (size < 1 || size > MAX_PAGE_SIZE) throw invalidInput('first', operationMessages.pageSize({ max: MAX_PAGE_SIZE }));
  return size;
}

/**
 * Encodes the sort key of an item as an opaque cursor (keyset pagination), so that new items do not shift the pages. `kind` names the
 * connection.
 */
export const toCursor = (kind: string, key: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify([kind, ...key])).toString('base64url');

const notACursor = (): AppError => invalidInput('after', operationMessages.notACursor());

/**
 * Decodes the sort key of a cursor.
 * @param optional number of last parts that may be missing
 * @throws AppError INVALID_INPUT for a cursor of another kind or length
 */
export function parseCursor(kind: string, length: number, cursor: string, optional = 0): readonly (string | null)[] {
  const [cursorKind, ...key] = readJson(Buffer.from(cursor, 'base64url').toString());
  const hasLength = key.length <= length && key.length >= length - optional;
  const isValid =
    cursorKind === kind && hasLength && key.every((part) => part === null || (typeof part === 'string' && storable(part) === part));
  if (!isValid) throw notACursor();
  return key as readonly (string | null)[];
}

function readJson(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Encodes the position in a list that is sorted by time; `createdAt` is epoch ms. */
export const toTimeCursor = (kind: string, { createdAt, id }: { readonly createdAt: number; readonly id: string }): string =>
  toCursor(kind, [new Date(createdAt).toISOString(), id]);

/** @throws AppError INVALID_INPUT */
export function parseTimeCursor(kind: string, cursor: string): TimeCursor {
  const [at, id] = parseCursor(kind, 2, cursor);
  if (!at || !id || !isMoment(at) || !UUID.test(id)) throw notACursor();
  return { at, id };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** True for ISO 8601 in the format of JavaScript, for years from 2000 to 2999. */
const isMoment = (text: string): boolean =>
  /^2\d{3}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** Encodes the position in a list that is sorted by a number. */
export const toNumberCursor = (kind: string, number: number): string => toCursor(kind, [String(number)]);

/** @throws AppError INVALID_INPUT */
export const parseNumberCursor = (kind: string, cursor: string): number => cursorNumber(parseCursor(kind, 1, cursor)[0]);

/** Reads a number that is part of a cursor. @throws AppError INVALID_INPUT */
export function cursorNumber(text: string | null | undefined): number {
  if (!/^\d{1,15}$/.test(text ?? '')) throw notACursor();
  return Number(text);
}

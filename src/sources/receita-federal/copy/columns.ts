import type { CopyText } from '../../../db/copy-text.ts';
import { MAX_LENGTHS } from '../../../domain/text.ts';
import type { QuotedLine } from '../../copies/quoted-rows.ts';
import { cnaeCode } from '../company.ts';
import { centsOf, codeOf, dateOf, isPlausibleDay, type Notes, personalName, plainText } from './values.ts';

/** A field of a line, and the row that its value is written to. */
export interface Column {
  readonly line: QuotedLine;
  readonly out: CopyText;
  readonly notes: Notes;
}

/*
 * Each function writes the value of a field. Nearly all fields of a month are written as the bytes that they are; the others take the
 * way over a string, by the functions of values.ts, which define every value.
 */

/** Minimum number of digits of a text that may contain a CPF. */
const CPF_DIGITS = 9;
const [ZERO, COMMA] = [0x30, 0x2c];

const writeBytes = ({ line, out }: Column, field: number): void => out.plain(line.bytes, line.start(field), line.end(field));

/** Writes a field that was found to be letters and digits, apart from what `text` removes. */
export function writeId(column: Column, field: number): void {
  if (column.line.isPlain(field)) writeBytes(column, field);
  else column.out.value(column.line.text(field));
}

const isPlainText = (line: QuotedLine, field: number): boolean =>
  line.isPlain(field) && line.digits(field) < CPF_DIGITS && line.size(field) <= MAX_LENGTHS.name;

/** Writes the name of a person or of a sole trader. */
export function writeName(column: Column, field: number): void {
  if (isPlainText(column.line, field)) writeBytes(column, field);
  else column.out.value(personalName(column.line.text(field)));
}

/** Writes the name of a company or another text. */
export function writeText(column: Column, field: number): void {
  if (isPlainText(column.line, field)) writeBytes(column, field);
  else column.out.value(plainText(column.line.text(field)));
}

/** Writes a code of at most `digits` digits. */
export function writeCode(column: Column, field: number, digits: number): void {
  const { line, out, notes } = column;
  if (line.isDigits(field) && line.size(field) <= digits) writeBytes(column, field);
  else out.value(codeOf(line.text(field), digits, notes));
}

/** Writes a date. Postgres reads `YYYYMMDD`, too. */
export function writeDate(column: Column, field: number): void {
  const { line, out, notes } = column;
  if (line.size(field) === 0 || isDay(line, field)) writeBytes(column, field);
  else out.value(dateOf(line.text(field), notes));
}

function isDay(line: QuotedLine, field: number): boolean {
  if (line.size(field) !== 8 || !line.isDigits(field)) return false;
  const start = line.start(field);
  return isPlausibleDay(
    numberAt(line.bytes, start, start + 4),
    numberAt(line.bytes, start + 4, start + 6),
    numberAt(line.bytes, start + 6, start + 8),
  );
}

/** Returns the number of some digits. */
function numberAt(bytes: Buffer, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) number = number * 10 + (bytes[at] ?? ZERO) - ZERO;
  return number;
}

/** Longest amount that is surely no placeholder: 11 digits, a comma and two digits. */
const MAX_AMOUNT = 14;

/** Writes an amount with two decimals as cents. */
export function writeCents(column: Column, field: number): void {
  const { line, out, notes } = column;
  const [start, end] = [line.start(field), line.end(field)];
  const size = end - start;
  const isAmount =
    line.isAscii(field) && size > 3 && size <= MAX_AMOUNT && line.digits(field) === size - 1 && line.bytes[end - 3] === COMMA;
  if (isAmount) out.withoutComma(line.bytes, start, end);
  else out.value(centsOf(line.text(field), notes));
}

const CNAE_DIGITS = 7;

/** True for seven digits that are a CNAE as it is. */
const isCnae = (bytes: Buffer, start: number): boolean => numberAt(bytes, start, start + CNAE_DIGITS) > 0;

function activityOf(text: string): number | null {
  const code = cnaeCode(text);
  return code === null ? null : Number(code);
}

/** Writes the number of a CNAE. */
export function writeActivity(column: Column, field: number): void {
  const { line, out } = column;
  if (line.size(field) === CNAE_DIGITS && line.isDigits(field) && isCnae(line.bytes, line.start(field))) writeBytes(column, field);
  else out.value(activityOf(line.text(field)));
}

const MAX_OTHER_ACTIVITIES = 99;

/** Writes the array of the CNAEs of a list. */
export function writeActivities({ line, out }: Column, field: number): void {
  if (isCnaeList(line, field)) out.array(line.bytes, line.start(field), line.end(field));
  else out.value(activitiesOf(line.text(field)));
}

const activitiesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((code) => cnaeCode(code))
    .filter((code) => code !== null)
    .slice(0, MAX_OTHER_ACTIVITIES);

/** True for an empty field, and for CNAEs of seven digits with a comma between them. */
function isCnaeList(line: QuotedLine, field: number): boolean {
  const size = line.size(field);
  if (size === 0) return true;
  const commas = (size + 1) / (CNAE_DIGITS + 1) - 1;
  if (!Number.isInteger(commas) || commas >= MAX_OTHER_ACTIVITIES || !line.isAscii(field) || line.digits(field) !== size - commas)
    return false;
  for (let start = line.start(field); start < line.end(field); start += CNAE_DIGITS + 1) {
    if (!isCnae(line.bytes, start)) return false;
    if (start + CNAE_DIGITS < line.end(field) && line.bytes[start + CNAE_DIGITS] !== COMMA) return false;
  }
  return true;
}

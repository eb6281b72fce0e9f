import { plain } from './markup.ts';

const LONGEST = 160;
/** An e-mail address, a telephone, a CPF, or a RUT that is a person's: its number is shorter than eight digits, or begins with 1 to 4. */
const PERSONAL =
  /[^\s@<>()]+@[^\s@<>(),;]+|(?:\+\d|\(\d{2,3}\) ?\d)[\d ()-]{6,}\d|(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)|(?<![\d.])(?:[1-4]?\d\.\d{3}\.\d{3}|[1-4]?\d{7}) ?- ?[\dk](?![\da-z])/gi;

/** The last words of a text, for a person to judge by: those after the last thing that is a person's, whose name stands before it. */
export function snippetOf(text: string): string {
  const shown = plain((text.split(PERSONAL).at(-1) ?? '').replace(/^[\s,;.:)/-]+/, ''));
  return shown.length > LONGEST ? `…${shown.slice(-LONGEST)}` : shown;
}

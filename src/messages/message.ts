import { LANGUAGES, type Language, type Row } from './languages.ts';
import { moduleNameIn, type NamedModule } from './module-names.ts';
import { type NamedSource, sourceNameIn } from './source-names.ts';

export { LANGUAGES, type Language, type Row, textIn } from './languages.ts';

/*
 * Messages that people read, in three languages. A table has a row for each message; a message is a row with its parameters, and is
 * written in a language only where it leaves the service. The files beside this one are the tables.
 */

/** Something that is written in the language of the reader. */
export interface Localized {
  in(language: Language): string;
}

/** Texts of a list are joined by commas. */
export type Parameter = string | number | Localized | readonly Parameter[];
export type Parameters = Readonly<Record<string, Parameter>>;

/** A message as JSON, or the message itself. */
export interface MessageData {
  readonly code: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Names of the parameters of a text. */
type NamesIn<T extends string> = T extends `${string}{${infer Inner}}${infer Rest}` ? NameOf<Inner> | NamesIn<Rest> : never;
type NameOf<Inner extends string> = Inner extends `${infer Name}|${string}` ? Name : Inner;

/** Parameters that are codes, by their names. In Spanish and Portuguese the message has the name of the code for people. */
interface Coded {
  readonly source: NamedSource;
  readonly list: NamedSource;
  readonly module: NamedModule;
}

/** Creates the message of a row. It takes the parameters that the English text names. */
type Create<R extends Row> = [NamesIn<R[0]>] extends [never]
  ? () => Message
  : (parameters: { readonly [Name in NamesIn<R[0]>]: Name extends keyof Coded ? Coded[Name] : Parameter }) => Message;

/** Code of a message → its texts. */
const rows = new Map<string, Row>();

/** A message with its parameters. Its JSON is its code and its parameters. */
export class Message implements Localized, MessageData {
  readonly code: string;
  readonly parameters: Parameters;

  constructor(code: string, parameters: Parameters) {
    this.code = code;
    this.parameters = parameters;
  }

  in(language: Language): string {
    return fill(rows.get(this.code)?.[LANGUAGES.indexOf(language)] ?? '', this.parameters, language);
  }

  /** Returns the same message with other texts as parameters. */
  mapTexts(change: (text: string) => string): Message {
    const changed = Object.entries(this.parameters).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value]);
    return new Message(this.code, Object.fromEntries(changed));
  }
}

/**
 * Defines a table of messages.
 * @param subject subject of the table, which begins the code of each message: `companies.notFound`
 * @returns a function for each row, which creates its message
 */
export function defineMessages<const T extends Readonly<Record<string, Row>>>(
  subject: string,
  table: T,
): { readonly [K in keyof T]: Create<T[K]> } {
  const created = Object.entries(table).map(([key, row]) => {
    const code = `${subject}.${key}`;
    rows.set(code, row);
    return [key, (parameters: Parameters = {}) => new Message(code, parameters)];
  });
  return Object.fromEntries(created);
}

/** Returns the texts of all messages that are loaded, by code. */
export const allRows = (): ReadonlyMap<string, Row> => rows;

/** Maximum length of a text that is read back, in characters. Our own sentences are shorter. */
const MAX_READ = 500;

/** A sentence with parameters, as an expression. */
interface Pattern {
  readonly code: string;
  readonly names: readonly string[];
  readonly expression: RegExp;
}

/** Code by English sentence, and the sentences with parameters, of the tables that were loaded when they were last used. */
let sentences: { readonly size: number; readonly exact: ReadonlyMap<string, string>; readonly patterns: readonly Pattern[] } | null = null;

function sentencesOfTables() {
  if (sentences?.size === rows.size) return sentences;
  const all = [...rows].flatMap(([code, [text]]) => (text.endsWith('.') ? [{ code, text }] : []));
  const exact = new Map(all.map(({ code, text }) => [text, code]));
  const patterns = all
    .filter(({ text }) => text.includes('{'))
    .map(({ code, text }) => ({ code, names: namesOf(text), expression: expressionOf(text) }));
  sentences = { size: rows.size, exact, patterns };
  return sentences;
}

/**
 * Finds the message of an English sentence, for sentences that pass through code that knows no messages. Its parameters are numbers, codes
 * in capitals, or lists of them.
 * @returns null for a sentence of no table
 */
export function readMessage(english: string): Message | null {
  if (english.length > MAX_READ) return null;
  const { exact, patterns } = sentencesOfTables();
  const known = exact.get(english);
  if (known !== undefined) return new Message(known, {});
  for (const { code, names, expression } of patterns) {
    const values = expression.exec(english)?.slice(1);
    if (values) return new Message(code, Object.fromEntries(names.map((name, i) => [name, values[i] ?? ''])));
  }
  return null;
}

/** Names of the parameters that are values, in their order. The others are words by number. */
const namesOf = (text: string): readonly string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Matches the sentences of a row: a value for each parameter, and either word by number. */
const expressionOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split(/(\{[^{}]*\})/)
      .map(partOf)
      .join('')}$`,
  );

function partOf(part: string): string {
  if (!part.startsWith('{')) return escaped(part);
  const [, ...words] = part.slice(1, -1).split('|');
  return words.length > 0 ? `(?:${words.map(escaped).join('|')})` : '([\\dA-Z, ]+)';
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns an English text in a language; as it is if no table has it. */
export const translated = (english: string, language: Language): string =>
  language === 'en' ? english : (readMessage(english)?.in(language) ?? english);

/** Creates the message of a code that another process may have written; null for a code that this version does not have. */
export function messageOf(code: string, parameters: MessageData['parameters']): Message | null {
  if (!rows.has(code)) return null;
  return new Message(code, Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, parameterOf(value)])));
}

function parameterOf(value: unknown): Parameter {
  if (Array.isArray(value)) return value.map(parameterOf);
  if (typeof value !== 'object' || value === null) return String(value);
  if ('in' in value) return value as Localized;
  const { code, parameters } = value as MessageData;
  return messageOf(code, parameters) ?? '';
}

const PARAMETER = /\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g;

function fill(text: string, parameters: Parameters, language: Language): string {
  if (!text.includes('{')) return text;
  return text.replaceAll(PARAMETER, (_, name: string, one?: string, other?: string) => {
    const value = parameters[name] ?? '';
    if (one !== undefined && other !== undefined) return isOne(Number(value), language) ? one : other;
    return nameOfCode(name, value, language) ?? write(value, language);
  });
}

const NAMES_OF_CODES: Readonly<Record<keyof Coded, (code: string, language: Language) => string>> = {
  source: sourceNameIn,
  list: sourceNameIn,
  module: moduleNameIn,
};

/**
 * Returns the name of the code that a parameter is; undefined for another parameter. An English sentence has the code itself, because
 * customers' programs compare English sentences, and receipts are signed with them.
 */
const nameOfCode = (parameter: string, value: Parameter, language: Language): string | undefined =>
  language !== 'en' && typeof value === 'string' && isCoded(parameter) ? NAMES_OF_CODES[parameter](value, language) : undefined;

const isCoded = (parameter: string): parameter is keyof Coded => Object.hasOwn(NAMES_OF_CODES, parameter);

function write(value: Parameter, language: Language): string {
  if (typeof value !== 'object') return String(value);
  return 'in' in value ? value.in(language) : value.map((one) => write(one, language)).join(', ');
}

const PLURALS = { en: new Intl.PluralRules('en'), es: new Intl.PluralRules('es'), pt: new Intl.PluralRules('pt') };

const isOne = (count: number, language: Language): boolean => PLURALS[language].select(count) === 'one';

/** Texts that are joined by a separator. */
export const joined = (parts: readonly Parameter[], separator: string): Localized => ({
  in: (language) => parts.map((part) => write(part, language)).join(separator),
});

/** A number with the separators of the language. Other numbers are written in digits alone. */
export const grouped = (count: number): Localized => ({ in: (language) => count.toLocaleString(language) });

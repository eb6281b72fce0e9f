import { companyMessages } from './companies.ts';
import { joined, type Language, type Localized, type Message, type Parameter, readMessage } from './message.ts';
import { reasonMessages } from './reasons.ts';
import { isNamedSource, type NamedSource } from './source-names.ts';

/*
 * Reasons that are stored as `<check>.<code>: <sentence>`, with the sentence in English: in receipts, whose text is signed, and in results of
 * screenings. They are read back into messages, so that also those of earlier releases are written in the language of the reader.
 */

/** `1 record on CEIS (`: the number and the list of a sentence with evidence. */
const ON_LIST = /^(\d+) [a-z ]+ on (\w+) \(/;
const NOT_ACTIVE = 'The registration is not active (';
const NOT_FOUND = /^The tax registry has no company with this (\w+)\.$/;
const NOT_IN_REGISTER = / \(as of (\d{4}-\d\d-\d\d)\)\. /;
/** Ends of the sentences with evidence. */
const ENDS = { plain: ')', fine: '). A fine is no ban.', registration: ').' } as const;
const SEPARATOR = '; ';

/** Reads the sentences of a code that has evidence. */
const READERS: Readonly<Record<string, (sentence: string) => Message | null>> = {
  match: (sentence) => onList(sentence, ENDS.plain, (n, list, names) => reasonMessages.matches({ n, list, names })),
  listed: (sentence) => onList(sentence, ENDS.plain, (n, list, text) => recordsOf(n, list, eachOf(text, laborRecord))),
  record: (sentence) => onList(sentence, ENDS.plain, (n, list, text) => recordsOf(n, list, eachOf(text, debarmentRecord))),
  fine: (sentence) =>
    onList(sentence, ENDS.fine, (n, list, text) => reasonMessages.contractFines({ n, list, fines: eachOf(text, contractFine) })),
  inactive: (sentence) => {
    const registration = between(sentence, NOT_ACTIVE.length, ENDS.registration);
    return sentence.startsWith(NOT_ACTIVE) && registration !== null ? reasonMessages.notActive({ registration }) : null;
  },
  not_found: (sentence) => {
    const [, id] = NOT_FOUND.exec(sentence) ?? [];
    if (id !== undefined) return companyMessages.notFoundAs({ id });
    const [, date] = NOT_IN_REGISTER.exec(sentence) ?? [];
    return date === undefined ? null : reasonMessages.notInRegisterAsOf({ date });
  },
};

/**
 * Reads the sentence of a stored reason.
 * @returns null for a sentence that no message of this version writes: the message must have this English text exactly
 */
function readSentence(code: string, sentence: string): Message | null {
  const message = READERS[code]?.(sentence) ?? readMessage(sentence);
  return message?.in('en') === sentence ? message : null;
}

/** Returns a stored reason in a language. A reason of a newer release stays as it was stored. */
export function storedReasonIn(reason: string, language: Language): string {
  if (language === 'en') return reason;
  const [prefix = '', code = ''] = /^\w+\.(\w+): /.exec(reason) ?? [];
  const message = readSentence(code, reason.slice(prefix.length));
  return message ? prefix + message.in(language) : reason;
}

function onList(sentence: string, end: string, create: (n: string, list: NamedSource, evidence: string) => Message): Message | null {
  const [head = '', n, list] = ON_LIST.exec(sentence) ?? [];
  const evidence = between(sentence, head.length, end);
  return n !== undefined && list !== undefined && isNamedSource(list) && evidence !== null ? create(n, list, evidence) : null;
}

/** Returns the part of a text from a position to its given end; null for another end. */
const between = (text: string, from: number, end: string): string | null => (text.endsWith(end) ? text.slice(from, -end.length) : null);

const recordsOf = (n: string, list: NamedSource, records: Localized): Message => reasonMessages.records({ n, list, records });

/** Reads each record of a list. A part that is no record, such as `…` or a name with a semicolon, stays as it is. */
const eachOf = (text: string, read: (record: string) => Message | null): Localized =>
  joined(
    text.split(SEPARATOR).map((record) => read(record) ?? record),
    SEPARATOR,
  );

function laborRecord(text: string): Message | null {
  const [rest, status] = cutLast(text, ', ');
  const [employer, year] = cutLast(rest, ', ');
  return employer === '' ? null : reasonMessages.laborRecord({ employer, year, status: wordOf(status) });
}

function debarmentRecord(text: string): Message | null {
  const [rest, status] = cutLast(text, ', ');
  const [kind, body] = cutLast(rest, ' by ');
  return kind === '' ? null : reasonMessages.debarmentRecord({ kind, body, status: wordOf(status) });
}

function contractFine(text: string): Message | null {
  const [rest, date] = cutLast(text, ', ');
  const [kind, body] = cutLast(rest, ' by ');
  return kind === '' ? null : reasonMessages.contractFine({ kind: wordOf(kind), body, date: wordOf(date) });
}

/** Cuts a text at the last separator. Without one, the first part is empty. */
function cutLast(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.lastIndexOf(separator);
  return at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Messages of single words, by their English text. */
const WORDS: ReadonlyMap<string, Message> = new Map(
  [reasonMessages.active(), reasonMessages.ended(), reasonMessages.fine(), reasonMessages.noDate()].map((word) => [word.in('en'), word]),
);

const wordOf = (text: string): Parameter => WORDS.get(text) ?? text;

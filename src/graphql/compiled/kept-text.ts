import { ObjectSlot } from '../../cache/kept-results.ts';

/*
 * Keeps JSON texts of objects that many requests share. The code that creates such an object allows it (`allowKeptText`); the executor then
 * writes the object once and uses its text again. Each object has one text, that of the last selection: callers repeat their operations, and
 * a text per selection would multiply the memory. The texts count towards the limit in bytes of all caches, and the least recently used
 * ones are dropped.
 */

/** Cache with a limit in bytes for the kept texts. */
export interface TextMemory {
  add(text: CountedText): void;
  /** Marks a text as recently used. */
  touch(text: CountedText): void;
  remove(text: CountedText): void;
}

/** A text that counts towards the limit. */
export interface CountedText {
  readonly owner: typeof TEXTS;
  readonly bytes: number;
  /** Null once it is evicted. */
  text: unknown;
}

/** The cached text of an object. It does not refer to the object. It is evicted when no cache references its object. */
export interface KeptText extends CountedText {
  readonly planId: number;
  text: string | null;
  /** Number of values of the lists in the text, which are charged each time it is used. */
  readonly values: number;
}

/** Owner of all kept texts. */
export const TEXTS = {
  name: 'texts',
  drop(kept: object): void {
    (kept as CountedText).text = null;
  },
};

/**
 * Bytes of a kept text besides its characters, which take one byte each: the object itself and its entries in maps. The number is measured
 * by `npm run bench -- memory`.
 */
export const TEXT_BYTES = 100;

/** Kept text of an object; null if the text may be kept and is not. */
const texts = new ObjectSlot<KeptText | null>('text');

/**
 * Allows keeping the JSON of an object that many requests share and that never changes, as long as the object is in memory and the text is
 * used.
 */
export function allowKeptText<T extends object>(object: T): T {
  texts.set(object, null);
  return object;
}

/** Returns the kept text of an object, of any plan; null if its text may be kept and is not; undefined if it must not be kept. */
export const keptTextOf = (object: object): KeptText | null | undefined => texts.get(object);

/** Keeps a text of an object in place of its last one. @returns the text in one piece */
export function keepText(
  object: object,
  { planId, values }: Pick<KeptText, 'planId' | 'values'>,
  written: string,
  memory: TextMemory,
): string {
  const text = inOnePiece(written);
  const last = texts.get(object);
  if (last) memory.remove(last);
  const kept: KeptText = { owner: TEXTS, planId, text, values, bytes: TEXT_BYTES + text.length };
  texts.set(object, kept);
  memory.add(kept);
  return text;
}

/**
 * Flattens a concatenated text. V8 stores it as a tree of its parts, which takes several times the memory, and which each answer would
 * traverse. Some operations flatten it, but compiled code omits an operation whose result is not used.
 */
export const inOnePiece = (text: string): string => Buffer.from(text).toString();

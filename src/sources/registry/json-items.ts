import { z } from 'zod';
import { nextSlice } from '../../scheduling/slices.ts';
import { readJson } from './json-text.ts';
import { type ListFile, ListFileError } from './list-file.ts';

/** Maximum length of an object of a list, characters. */
const MAX_OBJECT = 64 * 1024;
/** Maximum length of the text around the objects, which has some two characters for each of them. */
const MAX_FRAME = 512 * 1024;

/**
 * Time in ms for which objects are read before the event loop serves others. It is a time and not a number of objects, because an object has
 * between two characters and 64 kB.
 */
const SLICE_MS = 5;

/** Schema of the list in the document around its objects. */
export const OBJECTS = z.custom<readonly unknown[]>(Array.isArray, 'expected a list');

/** A list of objects in a JSON document. */
interface ListForm<T> {
  /** Number of objects and arrays around the list; 0 if the document is the list. */
  readonly depth: number;
  readonly item: z.ZodType<T>;
  /** Number of objects from which the file is refused. */
  readonly limit: number;
  /** Reads the list in the document, in which each of its objects is the number 0. */
  readonly frame: z.ZodType<readonly unknown[]>;
}

/**
 * Yields the objects of the first array at a depth of a JSON document. The document is parsed object by object, so that a long list does not
 * hold the event loop, also if its objects are tiny.
 * @throws ListFileError for a text that is not JSON, an object or a document of another form, too many objects, and one of more than 64 kB
 */
export async function* jsonItems<T>(file: ListFile, { depth, item, limit, frame }: ListForm<T>): AsyncGenerator<T, void, void> {
  if (file.format !== 'csv') throw new ListFileError('the file is not JSON');
  const splitter = new ObjectSplitter(depth);
  let items = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for await (const piece of file.text()) {
    for (const text of splitter.split(piece)) {
      items += 1;
      if (items >= limit) throw new ListFileError(`the list has ${limit} objects or more`);
      if (performance.now() >= sliceEnd) {
        await nextSlice();
        sliceEnd = performance.now() + SLICE_MS;
      }
      yield readJson(item, text);
    }
  }
  await nextSlice();
  if (readJson(frame, splitter.end()).length !== items) throw new ListFileError('the list has values that are no objects');
}

/** Divides a JSON document into the texts of the objects of one array, and the text around them. */
class ObjectSplitter {
  readonly #listDepth: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #list: 'before' | 'inside' | 'after' = 'before';
  #frame = '';
  /** The beginning of an object that is not complete yet; null outside of one. */
  #object: string | null = null;

  constructor(depth: number) {
    this.#listDepth = depth + 1;
  }

  /** Yields the texts of the objects that end in the next piece of the document. */
  *split(piece: string): Generator<string, void, void> {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const mark = this.#isInString ? this.#inString(piece.charAt(at)) : piece.charAt(at);
      if (mark === '"') this.#isInString = true;
      else if (mark === '{' || mark === '[') {
        if (mark === '{' && this.#list === 'inside' && this.#depth === this.#listDepth) {
          this.#frame += `${piece.slice(start, at)}0`;
          this.#object = '';
          start = at;
        }
        this.#depth += 1;
        if (mark === '[' && this.#list === 'before' && this.#depth === this.#listDepth) this.#list = 'inside';
      } else if (mark === '}' || mark === ']') {
        this.#depth -= 1;
        if (this.#object !== null && this.#depth === this.#listDepth) {
          yield short(this.#object + piece.slice(start, at + 1), MAX_OBJECT);
          this.#object = null;
          start = at + 1;
        } else if (this.#list === 'inside' && this.#depth < this.#listDepth) this.#list = 'after';
      }
    }
    this.#keep(piece.slice(start));
  }

  /** Returns the text around the objects. @throws ListFileError for a document that ends within an object */
  end(): string {
    if (this.#object !== null) throw new ListFileError('the file is cut');
    return this.#frame;
  }

  /** Follows a character of a string. It returns no mark, because brackets in strings have no meaning. */
  #inString(character: string): '' {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
    return '';
  }

  #keep(rest: string): void {
    if (this.#object === null) this.#frame = short(this.#frame + rest, MAX_FRAME);
    else this.#object = short(this.#object + rest, MAX_OBJECT);
  }
}

/** @throws ListFileError for a text of more than `length` characters */
function short(text: string, length: number): string {
  if (text.length > length) throw new ListFileError('the file has an object that is too long, or too much text around its objects');
  return text;
}

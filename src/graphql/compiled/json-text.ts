/** JSON text. A short text is a string, a long one consists of pieces. */
export type JoinedText = string | JsonText;

/**
 * The text of a value. A list is the array of the texts of its items, and joined with the object around it, because a callback of its own
 * would take one more microtask.
 */
export type Text = JoinedText | readonly Text[];

/** JSON text in pieces. */
export class JsonText {
  /** Pieces of the text in their order. */
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  get length(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Concatenates the pieces. `join` would copy their characters here, and the HTTP response would copy them again. */
  toString(): string {
    return this.pieces.reduce((text, piece) => text + piece, '');
  }

  toJSON(): unknown {
    return JSON.parse(String(this));
  }
}

const NUL = 0;
/** Minimum length of a piece, in characters. */
const PIECE_LENGTH = 4_096;

/** Number of appended texts from which a text is flattened. */
const FLATTENED_PARTS = 32;

/**
 * Builds a text. Concatenation copies no characters: V8 refers to both parts, which take ten times the memory of their characters. An answer
 * with 250,000 values would keep so many of them that each collection of young objects takes 80 ms. A text of many parts is therefore
 * flattened as soon as it is complete, which sending it would do later. The pieces of a long text are never joined, because allocating 4 MB
 * blocks the event loop as long as writing such a text.
 */
export class TextBuilder {
  /** Pieces of a long text; null while the text is short. */
  #pieces: string[] | null = null;
  #last = '';
  /** Number of texts in `#last`. */
  #parts = 0;

  /** Appends a mark, such as a comma or the name of a field, and a text. */
  add(mark: string, text: JoinedText): void {
    this.#last += mark;
    this.#parts += 1;
    if (typeof text === 'string') {
      this.#last += text;
      if (this.#last.length >= PIECE_LENGTH) this.#endPiece();
      return;
    }
    const pieces = this.#endPiece();
    for (const piece of text.pieces) pieces.push(piece);
  }

  end(mark: string): JoinedText {
    this.#last += mark;
    if (this.#pieces) return new JsonText(this.#endPiece());
    return this.#parts < FLATTENED_PARTS ? this.#last : flattened(this.#last);
  }

  #endPiece(): string[] {
    this.#pieces ??= [];
    this.#pieces.push(flattened(this.#last));
    this.#last = '';
    this.#parts = 0;
    return this.#pieces;
  }
}

/** Replaces the parts of a text by its characters. V8 does so where a character is read, and omits a reading whose result is not used. */
function flattened(text: string): string {
  if (text.charCodeAt(0) === NUL) throw new Error('JSON text begins with NUL');
  return text;
}

/** Joins the items of a list. */
export function joined(text: Text): JoinedText {
  if (typeof text === 'string' || text instanceof JsonText) return text;
  if (text.length === 0) return '[]';
  const json = new TextBuilder();
  let mark = '[';
  for (const item of text) {
    json.add(mark, joined(item));
    mark = ',';
  }
  return json.end(']');
}

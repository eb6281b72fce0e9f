/** A short text is a string, a long one the pieces of it. */
export type JoinedText = string | JsonText;

/** The text of a value. A list is that of its items, and joined with the object around it: a callback of its own would take one more microtask. */
export type Text = JoinedText | readonly Text[];

/** JSON text in pieces. */
export class JsonText {
  /** Parts of the text in their order. */
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  get length(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Concatenates the pieces: `join` would copy their characters here, and again where the text is sent. */
  toString(): string {
    return this.pieces.reduce((text, piece) => text + piece, '');
  }

  toJSON(): unknown {
    return JSON.parse(String(this));
  }
}

/** A text of at least this length is a piece. */
const PIECE_LENGTH = 4_096;

/**
 * A text in the making. Concatenating copies no character: each is copied once, when the text is sent. The pieces of a long text are never put
 * together, because memory for a text of 4 MB takes the event loop as long as writing that text.
 */
export class TextBuilder {
  /** Null for a short text. */
  #pieces: string[] | null = null;
  #last = '';

  /** Adds a mark, such as a comma or the name of a field, and a text. */
  add(mark: string, text: JoinedText): void {
    this.#last += mark;
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
    return this.#pieces ? new JsonText(this.#endPiece()) : this.#last;
  }

  #endPiece(): string[] {
    this.#pieces ??= [];
    this.#pieces.push(this.#last);
    this.#last = '';
    return this.#pieces;
  }
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

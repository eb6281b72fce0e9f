import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { storable } from '../../../domain/text.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';

/** An XML element with its children. Names have no namespace prefix, because publishers change their namespaces. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text of the element itself, storable and trimmed. */
  readonly text: string;
}

/**
 * Maximum number of attributes of one element. The lists have a handful. The parser reads a tag with all its attributes without yielding.
 */
const MAX_ATTRIBUTES = 100;
/** Maximum nesting of elements. The lists have about ten levels. */
const MAX_DEPTH = 100;

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** A complete element and its path, e.g. `CONSOLIDATED_LIST/ENTITIES/ENTITY`. */
export interface XmlRecord {
  readonly path: string;
  readonly element: XmlElement;
}

/**
 * Streams a document: yields its root as an element without children, then each complete element `depth` levels below the root.
 * @throws ListFileError for another root element, an element with too many attributes, and for a document that is not well-formed up to its end
 */
export async function* xmlRecords(file: ListFile, root: string, depth: number): AsyncGenerator<XmlRecord, void> {
  const parser = new RecordParser(root, depth);
  for await (const piece of file.text()) {
    parser.write(piece);
    yield* parser.take();
  }
  parser.close();
  yield* parser.take();
}

class RecordParser {
  private readonly saxes = new SaxesParser({ xmlns: false });
  private readonly open: Open[] = [];
  private ready: XmlRecord[] = [];
  private attributes = 0;
  private readonly root: string;
  private readonly depth: number;

  constructor(root: string, depth: number) {
    this.root = root;
    this.depth = depth;
    this.saxes.on('attribute', () => this.countAttribute());
    this.saxes.on('opentag', (tag) => this.opened(tag));
    this.saxes.on('text', (text) => this.appendText(text));
    this.saxes.on('cdata', (text) => this.appendText(text));
    this.saxes.on('closetag', () => this.closed());
  }

  write(piece: string): void {
    wellFormed(() => this.saxes.write(piece));
  }

  close(): void {
    wellFormed(() => this.saxes.close());
  }

  take(): XmlRecord[] {
    const ready = this.ready;
    this.ready = [];
    return ready;
  }

  private countAttribute(): void {
    this.attributes += 1;
    if (this.attributes > MAX_ATTRIBUTES) throw new ListFileError(`an element has more than ${MAX_ATTRIBUTES} attributes`);
  }

  private opened({ name, attributes }: SaxesTagPlain): void {
    this.attributes = 0;
    if (this.open.length === MAX_DEPTH) throw new ListFileError(`more than ${MAX_DEPTH} elements are within one another`);
    const element: Open = { name: local(name), attributes, children: [], text: '' };
    this.open.push(element);
    if (this.open.length > 1) return;
    if (element.name !== this.root) throw new ListFileError(`the document is not a ${this.root}`);
    this.ready.push({ path: this.root, element: { ...element, children: [] } });
  }

  private appendText(text: string): void {
    const element = this.open.at(-1);
    if (element && this.open.length > this.depth) element.text += text;
  }

  private closed(): void {
    const element = this.open.pop();
    if (!element) return;
    element.text = storable(element.text).trim();
    if (this.open.length > this.depth) this.open.at(-1)?.children.push(element);
    if (this.open.length === this.depth) this.ready.push({ path: [...this.open, element].map(({ name }) => name).join('/'), element });
  }
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

function wellFormed(parse: () => void): void {
  try {
    parse();
  } catch (cause) {
    throw cause instanceof ListFileError ? cause : new ListFileError('the document is not well-formed up to its end', { cause });
  }
}

/** Returns all elements at a path of names: `below(party, 'idList', 'id')`. */
export function below(element: XmlElement, ...names: readonly string[]): readonly XmlElement[] {
  return names.reduce<readonly XmlElement[]>(
    (elements, name) => elements.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [element],
  );
}

/** Returns the texts of the elements at a path, without empty ones. */
export const textsBelow = (element: XmlElement, ...names: readonly string[]): readonly string[] =>
  below(element, ...names).flatMap(({ text }) => text || []);

/** Returns the first text at a path; null where the element is missing or empty. */
export const textBelow = (element: XmlElement, ...names: readonly string[]): string | null => textsBelow(element, ...names)[0] ?? null;

/**
 * Requires that an element has only known children, because an unknown one could hold an id or a name, and without it the party would not
 * be found.
 * @throws ListFileError
 */
export function allowOnly(element: XmlElement, known: ReadonlySet<string>): void {
  const unknown = element.children.find(({ name }) => !known.has(name));
  if (unknown) throw new ListFileError(`${element.name} holds ${unknown.name}, which is not part of the format`);
}

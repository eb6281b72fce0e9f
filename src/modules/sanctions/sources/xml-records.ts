import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';

/** An XML element with what is below it. Names are local: publishers change their namespaces. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, trimmed. */
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** A whole element and the names of those around it, e.g. `CONSOLIDATED_LIST/ENTITIES/ENTITY`. */
export interface XmlRecord {
  readonly path: string;
  readonly element: XmlElement;
}

/**
 * Streams a document: first its root as an element without children, then each element `depth` levels below the root, whole.
 * @throws ListFileError for another root, and for a document that is not well-formed to its end
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
  private readonly root: string;
  private readonly depth: number;

  constructor(root: string, depth: number) {
    this.root = root;
    this.depth = depth;
    this.saxes.on('opentag', (tag) => this.opened(tag));
    this.saxes.on('text', (text) => this.said(text));
    this.saxes.on('cdata', (text) => this.said(text));
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

  private opened({ name, attributes }: SaxesTagPlain): void {
    const element: Open = { name: local(name), attributes, children: [], text: '' };
    this.open.push(element);
    if (this.open.length > 1) return;
    if (element.name !== this.root) throw new ListFileError(`the document is not a ${this.root}`);
    this.ready.push({ path: this.root, element: { ...element, children: [] } });
  }

  private said(text: string): void {
    const element = this.open.at(-1);
    if (element && this.open.length > this.depth) element.text += text;
  }

  private closed(): void {
    const element = this.open.pop();
    if (!element) return;
    element.text = element.text.trim();
    if (this.open.length > this.depth) this.open.at(-1)?.children.push(element);
    if (this.open.length === this.depth) this.ready.push({ path: [...this.open, element].map(({ name }) => name).join('/'), element });
  }
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

function wellFormed(parse: () => void): void {
  try {
    parse();
  } catch (cause) {
    throw cause instanceof ListFileError ? cause : new ListFileError('the document is not well-formed to its end', { cause });
  }
}

/** Every element below, along the names: `below(party, 'idList', 'id')`. A single one is a list too. */
export function below(element: XmlElement, ...names: readonly string[]): readonly XmlElement[] {
  return names.reduce<readonly XmlElement[]>(
    (elements, name) => elements.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [element],
  );
}

/** Texts of the elements below, those without text left out. */
export const textsBelow = (element: XmlElement, ...names: readonly string[]): readonly string[] =>
  below(element, ...names).flatMap(({ text }) => text || []);

/** Text of the one element below; null where there is none or it is empty. */
export const textBelow = (element: XmlElement, ...names: readonly string[]): string | null => textsBelow(element, ...names)[0] ?? null;

/**
 * Seeded damage to the documents of an upstream. Texts are Latin-1 views of the bytes, so that every byte keeps its place, whatever its
 * charset.
 */

/** A document of an upstream: an HTTP answer, or a file. */
export interface Document {
  readonly format: 'json' | 'csv' | 'xml';
  readonly status: number;
  readonly text: string;
}

/** Documents of a source, and the fields in them that damage treats specially. */
export interface DamagePlan {
  /** Separator of a csv; default `;`. */
  readonly delimiter?: string;
  /** True for a csv without a header: its fields are named `#0`, `#1` … */
  readonly headless?: boolean;
  /**
   * Fields on which the verdict depends and which nothing else in the document confirms. They are damaged, but never replaced by another
   * well-formed value: no reader can notice that.
   */
  readonly decisive?: RegExp;
  /** Fields whose verdict is a number: any number is well-formed, and so are its first digits. */
  readonly amounts?: RegExp;
  /** Decisive fields that are well-formed without a value. */
  readonly mayBeEmpty?: RegExp;
  /** True for records that omit their empty fields. No decisive field is removed from them. */
  readonly sparse?: boolean;
  /** Fields of free text that the verdict depends on, in which every text is well-formed. They are left alone. */
  readonly opaque?: RegExp;
}

export interface Damage {
  readonly name: string;
  readonly document: Document;
  /** The texts that the damage put into fields. A changed answer may contain them. */
  readonly says: readonly string[];
}

export type Random = () => number;

/** Mulberry32: 32 bits of state, numbers in [0, 1). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const below = (random: Random, count: number): number => Math.floor(random() * count);
export const pickOf = <T>(random: Random, items: readonly T[]): T => {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** A field of a record: the position of its value in the text. */
interface Field {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Start of the whole member or element, with its name; that of the value for a csv. */
  readonly from: number;
  readonly to: number;
}

const JSON_MEMBER = /"((?:[^"\\]|\\.)*)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/g;
const XML_LEAF = /<([\w:]+)>([^<]*)<\/\1>/g;

function fieldsOf({ format, text }: Document, { delimiter = ';', headless = false, opaque }: DamagePlan): readonly Field[] {
  const fields =
    format === 'csv' ? csvCells(text, delimiter, headless) : [...text.matchAll(format === 'json' ? JSON_MEMBER : XML_LEAF)].map(memberOf);
  return fields.filter(({ name }) => !opaque?.test(name));
}

function memberOf({ 0: whole, 1: name = '', 2: value = '', index }: RegExpExecArray): Field {
  const start = index + (whole.startsWith('<') ? whole.indexOf('>') + 1 : whole.length - value.length);
  return { name, start, end: start + value.length, from: index, to: index + whole.length };
}

/** The cells of a csv, named by its first row. Quotes are not part of a cell. */
function csvCells(text: string, delimiter: string, headless: boolean): readonly Field[] {
  const cells: Field[] = [];
  let header: readonly string[] | null = null;
  let row: Field[] = [];
  const endRow = () => {
    // Some files have a title above the header.
    const isHeader = !header && !headless && row.length >= 3 && row.every(({ start, end }) => end > start);
    if (header || headless) cells.push(...row.map((cell, i) => ({ ...cell, name: header?.[i] ?? `#${i}` })));
    else if (isHeader) header = row.map(({ start, end }) => text.slice(start, end));
    row = [];
  };
  for (let at = 0; at < text.length; ) {
    const isQuoted = text[at] === '"';
    let end = at + Number(isQuoted);
    while (end < text.length && (isQuoted ? text[end] !== '"' || text[end + 1] === '"' : !`${delimiter}\r\n`.includes(text[end] ?? '')))
      end += isQuoted && text[end] === '"' ? 2 : 1;
    const to = end + Number(isQuoted);
    row.push({ name: '', start: at + Number(isQuoted), end, from: at, to });
    at = to + 1;
    if (text[to] !== delimiter) {
      endRow();
      while (text[at] === '\r' || text[at] === '\n') at += 1;
    }
  }
  return cells;
}

const GARBAGE = ['###', '#REF!', '???', '-', '0,00E+00', 'undefined', '[object Object]', '99/99/9999'];
const HTML = '<!doctype html><html><head><title>Manutencao</title></head><body><h1>Voltamos logo</h1></body></html>';

/** Ways to damage a value. Each returns the new value as text, or null if it does not apply. */
type Change = (value: string, random: Random, others: readonly string[], isDecisive: boolean) => string | null;

const CHANGES: Readonly<Record<string, Change>> = {
  emptied: () => '',
  blank: () => '   ',
  garbage: (_, random) => pickOf(random, GARBAGE),
  cut: (value, random, _, isDecisive) => (value.length < 2 ? null : value.slice(0, isDecisive ? 1 : 1 + below(random, value.length - 1))),
  'digits lost': (value) => (/\d/.test(value) ? value.replace(/\d/g, 'X') : null),
  'one digit lost': (value, random) => atDigit(value, random, () => '?'),
  'in scientific notation': (value) => {
    const digits = value.replace(/\D/g, '');
    return digits.length < 8 ? null : `${digits[0]},${digits.slice(1, 3)}E+${digits.length - 1}`;
  },
  'with a control character': (value, random) => {
    const at = below(random, value.length + 1);
    return `${value.slice(0, at)}\u0001${value.slice(at)}`;
  },
  'another value': (_, random, others, isDecisive) => (isDecisive || others.length === 0 ? null : pickOf(random, others)),
  'very long': (value) => (value === '' ? null : value.repeat(Math.ceil(3_000 / value.length))),
};

function atDigit(value: string, random: Random, change: (digit: string) => string): string | null {
  const places = [...value.matchAll(/\d/g)].map(({ index }) => index);
  if (places.length === 0) return null;
  const at = pickOf(random, places);
  return value.slice(0, at) + change(value[at] ?? '') + value.slice(at + 1);
}

/** Raw JSON values of another type. */
const OTHER_TYPES = ['null', 'true', '[]', '{}', '[[]]', '{"a":1}', '1e400', '""', '-1'];

function damagedField(document: Document, plan: DamagePlan, random: Random): Damage | null {
  const { format, text } = document;
  const fields = fieldsOf(document, plan);
  if (fields.length === 0) return null;
  const field = pickOf(random, fields);
  const isAmount = plan.amounts?.test(field.name) ?? false;
  const isDecisive = isAmount || (plan.decisive?.test(field.name) ?? false);
  const value = text.slice(field.start, field.end);
  const put = (start: number, end: number, by: string): Document => ({ ...document, text: text.slice(0, start) + by + text.slice(end) });
  const named = (how: string) => `${field.name} ${how}`;
  if (random() < 0.15 && format !== 'csv' && !(plan.sparse && isDecisive)) {
    if (random() < 0.5) return { name: named('renamed'), document: put(field.from + 1, field.from + 2, 'zz_'), says: [] };
    const comma = format === 'json' && text[field.to] === ',' ? 1 : 0;
    return { name: named('removed'), document: put(field.from, field.to + comma, ''), says: [] };
  }
  if (format === 'json' && random() < 0.4) {
    const raw = pickOf(random, OTHER_TYPES);
    const isOfItsType = isDecisive && typeof JSON.parse(raw) === typeof JSON.parse(value) && raw !== '""';
    if (isOfItsType) return null;
    return { name: named(`is ${raw}`), document: put(field.start, field.end, raw), says: [raw] };
  }
  const isText = format !== 'json' || value.startsWith('"');
  const plain = format === 'json' && isText ? value.slice(1, -1) : value;
  const same = fields.filter(({ name }) => name === field.name).map(({ start, end }) => text.slice(start, end));
  const others = (format === 'json' ? same.filter((other) => other.startsWith('"')).map((other) => other.slice(1, -1)) : same).filter(
    (o) => o !== plain,
  );
  const [how, change] = pickOf(random, Object.entries(CHANGES));
  const changed = change(plain, random, others, isDecisive || !isText);
  if (changed === null || changed === plain) return null;
  if (isAmount && (how === 'cut' || how === 'in scientific notation' || (/^[\s\d.,-]+E?\+?\d*$/.test(changed) && changed.length < 100)))
    return null;
  if (changed.trim() === '' && plan.mayBeEmpty?.test(field.name)) return null;
  const raw = format === 'json' ? `"${changed}"` : changed;
  return { name: named(how), document: put(field.start, field.end, raw), says: [changed] };
}

/** Damage to the document as a whole; none of it is well-formed data of the same kind. */
function damagedWhole(document: Document, { delimiter = ';' }: DamagePlan, random: Random): Damage | null {
  const { format, text, status } = document;
  const whole = (name: string, changed: string, as = status): Damage => ({
    name,
    document: { ...document, status: as, text: changed },
    says: [],
  });
  const at = below(random, text.length);
  const insert = (what: string) => text.slice(0, at) + what + text.slice(at);
  const kinds: readonly (() => Damage | null)[] = [
    () => whole('cut', format === 'csv' ? cutInRow(text, random) : text.slice(0, at)),
    () => whole('nothing', ''),
    () => whole('a page of HTML', HTML),
    () =>
      whole('another shape', { json: '{}', csv: '"id";"nome"\r\n"1";"outra"\r\n', xml: '<status><message>ok</message></status>' }[format]),
    () => whole('a block of NULs', `${text.slice(0, at)}${'\0'.repeat(1 + below(random, 64))}${text.slice(at + 8)}`),
    () =>
      whole('another separator', format === 'csv' ? text.replaceAll(delimiter, '|') : text.replaceAll(format === 'json' ? ':' : '>', '=')),
    () => (format === 'csv' ? null : whole('a bracket too many', format === 'json' ? afterMark(text, random, '}') : insert('<'))),
    () => (format === 'csv' ? null : whole('without its end', text.trimEnd().slice(0, -1))),
    () => (format === 'json' ? whole('an error status', `${text} `, pickOf(random, [202, 204, 301, 400, 403, 404, 410, 500, 503])) : null),
    () => (format === 'json' ? whole('null', 'null') : null),
    () => (format === 'json' ? whole('a list around it', `[${text}]`) : null),
    () => (format === 'json' ? whole('a 404 of a proxy', '{"message":"Rota nao encontrada","error":"not_found"}', 404) : null),
    () => whole('binary', Buffer.from(Buffer.from(text, 'latin1').map((byte) => byte ^ 0xa5)).toString('latin1')),
  ];
  return pickOf(random, kinds)();
}

/** Inserts between two members or elements of a JSON text. */
function afterMark(text: string, random: Random, what: string): string {
  const marks = [...text.matchAll(/[,{[](?=["{[])/g)].map(({ index }) => index + 1);
  const at = marks.length === 0 ? 0 : pickOf(random, marks);
  return text.slice(0, at) + what + text.slice(at);
}

/** Cuts within the first half of a row below the header. No reader of a csv can notice a cut at the end of a row. */
function cutInRow(text: string, random: Random): string {
  const rows = [...text.matchAll(/[^\r\n]{20,}/g)].slice(1);
  if (rows.length === 0) return '';
  const { 0: row, index } = pickOf(random, rows);
  return text.slice(0, index + 2 + below(random, row.length / 2 - 2));
}

/** Draws one damage of the document. */
export function damageOf(document: Document, plan: DamagePlan, random: Random): Damage {
  for (;;) {
    const damage = random() < 0.7 ? damagedField(document, plan, random) : damagedWhole(document, plan, random);
    if (!damage || damage.document.text === document.text) continue;
    const valuesOf = (one: Document) => fieldsOf(one, plan).map(({ start, end }) => one.text.slice(start, end));
    const before = new Set(valuesOf(document));
    const says = [...damage.says, ...valuesOf(damage.document).filter((value) => !before.has(value))];
    return { ...damage, says: says.map((text) => Buffer.from(text, 'latin1').toString(document.format === 'csv' ? 'latin1' : 'utf8')) };
  }
}

import { isAscii, isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { columnName } from '../registry/csv-table.ts';
import { ListFileError } from '../registry/list-file.ts';

/** Columns of a table: our name → the full header in capitals, without accents and underscores. The publisher cuts some headers. */
export type Columns = Readonly<Record<string, string>>;

/** The tables that the registry publishes, each with the columns by which its header is recognised. */
export const COLUMNS = {
  /** One row per company and commercial year. */
  companies: {
    year: 'ANO COMERCIAL',
    rut: 'RUT',
    dv: 'DV',
    name: 'RAZON SOCIAL',
    bracket: 'TRAMO SEGUN VENTAS',
    workers: 'NUMERO DE TRABAJADORES DEPENDIENTES INFORMADOS',
    startedOn: 'FECHA INICIO DE ACTIVIDADES VIGENTE',
    endedOn: 'FECHA TERMINO DE GIRO',
    firstRegisteredOn: 'FECHA PRIMERA INSCRIPCION DE ACTIVIDADES',
    endKind: 'TIPO TERMINO DE GIRO',
    kind: 'SUBTIPO DE CONTRIBUYENTE',
    activity: 'ACTIVIDAD ECONOMICA',
    region: 'REGION',
    commune: 'COMUNA',
  },
  /** One row per legal person, including those newer than the last commercial year. */
  names: {
    rut: 'RUT',
    dv: 'DV',
    subtype: 'COD SUBTIPO',
    name: 'RAZON SOCIAL',
    startedOn: 'FECHA INICIO VIG',
    endedOn: 'FECHA TG VIG',
  },
  /** Any number of rows per legal person. */
  activities: { rut: 'RUT', dv: 'DV', code: 'CODIGO ACTIVIDAD', activity: 'DESC. ACTIVIDAD ECONOMICA' },
  /** Any number of rows per legal person, including domiciles no longer in force. */
  domiciles: { rut: 'RUT', dv: 'DV', inForce: 'VIGENCIA', since: 'FECHA', commune: 'COMUNA', region: 'REGION' },
} as const satisfies Record<string, Columns>;

export type Table = keyof typeof COLUMNS;

/** Indexes of a table's columns in a file. */
export type ColumnIndexes<T extends Table> = { readonly [K in keyof (typeof COLUMNS)[T]]: number };

/** Tables in the order in which they are read: each fills gaps that the tables before it left. */
export const TABLES = Object.keys(COLUMNS) as readonly Table[];

/** A text file of the registry: one row per line, cells separated by tabs, no quoting. */
export interface TabFile {
  readonly path: string;
  /** Name of the file; for a file of a zip, its name there. */
  readonly name: string;
  readonly bytes: number;
  readonly charset: Charset;
  readonly header: readonly string[];
}

export type Charset = 'utf-8' | 'windows-1252';

/** Whole lines of a file. `bytes` is valid until the next block is requested, because blocks share one buffer. */
export interface Block {
  readonly bytes: Buffer;
  /** Bytes of the file read so far, this block included. */
  readonly bytesRead: number;
}

/** Size of a block. Reading one block does not block the event loop noticeably. */
const BLOCK_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Opens a file on disk and reads its size, header and charset. The first block that is not plain ASCII decides the charset of the
 * whole file.
 * @throws ListFileError for a file that is empty, or has a line of more than `MAX_LINE_BYTES`
 */
export async function openTabFile(path: string, name: string): Promise<TabFile> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let header: Buffer | null = null;
    let charset: Charset = 'utf-8';
    for await (const { bytes } of blocks(file, 0)) {
      header ??= Buffer.from(bytes.subarray(0, endOfLine(bytes)));
      if (isAscii(bytes)) continue;
      charset = isUtf8(bytes) ? 'utf-8' : 'windows-1252'; // a block ends with a line, never inside a character
      break;
    }
    if (header === null) throw new ListFileError(`${name} is empty`);
    const cells = new TextDecoder(charset).decode(header).trimEnd().split('\t');
    return { path, name, bytes: size, charset, header: cells };
  } finally {
    await file.close();
  }
}

/** Yields the rows below the header, in blocks. @throws ListFileError for a line of more than `MAX_LINE_BYTES`, and for invalid UTF-8 */
export async function* rowsOf({ path, name, charset }: TabFile): AsyncGenerator<Block, void, void> {
  const file = await open(path);
  try {
    let isFirst = true;
    for await (const { bytes, bytesRead } of blocks(file, 0)) {
      if (charset === 'utf-8' && !isUtf8(bytes)) throw new ListFileError(`${name} is UTF-8 in one place and not in another`);
      const rows = isFirst ? bytes.subarray(endOfLine(bytes) + 1) : bytes;
      isFirst = false;
      yield { bytes: rows, bytesRead };
    }
  } finally {
    await file.close();
  }
}

const endOfLine = (bytes: Buffer): number => {
  const end = bytes.indexOf(LINE_FEED);
  return end < 0 ? bytes.length : end;
};

/** Yields whole lines of a file, one block at a time; all blocks share one buffer. */
async function* blocks(file: FileHandle, position: number): AsyncGenerator<Block, void, void> {
  const memory = Buffer.allocUnsafe(BLOCK_BYTES + MAX_LINE_BYTES);
  let bytesRead = position;
  let rest = 0;
  for (;;) {
    const read = await file.read(memory, rest, BLOCK_BYTES, bytesRead);
    if (read.bytesRead === 0) break;
    bytesRead += read.bytesRead;
    const filled = memory.subarray(0, rest + read.bytesRead);
    const end = filled.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield { bytes: filled.subarray(0, end), bytesRead };
    memory.copyWithin(0, end, filled.length);
    rest = filled.length - end;
    if (rest > MAX_LINE_BYTES) throw new ListFileError('a line has no end');
  }
  if (rest > 0) yield { bytes: memory.subarray(0, rest), bytesRead };
}

/**
 * Returns the index of each needed column in a header; null when one is missing or occurs twice. The publisher cuts or extends some
 * headers, so a prefix of at least `MIN_CUT` characters matches, too.
 */
export function columnIndexes<C extends Columns>(header: readonly string[], columns: C): { readonly [K in keyof C]: number } | null {
  const names = header.map((cell) => columnName(cell.replaceAll('_', ' ')));
  const indexes = Object.entries(columns).map(([ours, full]) => {
    const matches = names.flatMap((name, index) => (isHeader(name, full) ? [index] : []));
    return [ours, matches.length === 1 ? matches[0] : undefined] as const;
  });
  if (indexes.some(([, index]) => index === undefined)) return null;
  return Object.fromEntries(indexes) as { readonly [K in keyof C]: number };
}

/** Minimum length of a header that may be a cut one, in characters. */
const MIN_CUT = 12;

function isHeader(name: string, full: string): boolean {
  const [shorter, longer] = name.length < full.length ? [name, full] : [full, name];
  return name === full || (shorter.length >= MIN_CUT && longer.startsWith(shorter));
}

import type { Knex } from 'knex';
import { pino } from 'pino';
import { SaxesParser } from 'saxes';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { defineRegistry } from '../../src/sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../src/sources/registry/list-file.ts';
import type { ListEntry, ListSummary, Registry, RegistrySpec } from '../../src/sources/registry/registry.ts';
import type { Address, SourceDeps } from '../../src/sources/source.ts';

/** A made-up list in the two formats that real ones have: `ID;TAX;NAME` as csv, `<row id tax name/>` as xml. */
export interface Toy {
  readonly name: string;
}

export const toySpec: RegistrySpec<Toy> = {
  name: 'CEIS',
  attribution: 'Nobody',
  setting: 'QUIPU_TOY_URL',
  address: { live: 'https://toy.invalid/', sandbox: '/toy', description: 'a toy' },
  schemaVersion: 1,
  guard: { minRows: 50, maxShrink: 0.05, maxGrowth: 0.5 },
  everyMs: HOUR_MS,
  staleAfterMs: DAY_MS,
  read: (file) => (file.format === 'xml' ? readXml(file) : readCsv(file)),
};

async function* readCsv(file: ListFile): AsyncGenerator<ListEntry<Toy>, ListSummary, void> {
  let rowsRead = -1;
  for await (const row of file.rows({ delimiter: ';' })) {
    rowsRead += 1;
    if (rowsRead > 0) yield toEntry(row);
    else if (row.join() !== 'ID,TAX,NAME') throw new ListFileError('other columns');
  }
  return { publishedOn: file.nameDate, rowsRead, rowsSkipped: 0 };
}

async function* readXml(file: ListFile): AsyncGenerator<ListEntry<Toy>, ListSummary, void> {
  const parser = new SaxesParser();
  const found: ListEntry<Toy>[] = [];
  let rowsRead = 0;
  parser.on('opentag', ({ name, attributes: { id = '', tax = '', name: called = '' } }) => {
    if (name === 'row') found.push(toEntry([id, tax, called]));
    else if (name !== 'list') throw new ListFileError('another list');
  });
  parser.on('error', (error) => {
    throw new ListFileError('not well-formed', { cause: error });
  });
  for await (const piece of file.text()) {
    parser.write(piece);
    rowsRead += found.length;
    yield* found.splice(0);
  }
  parser.close();
  return { publishedOn: file.nameDate, rowsRead, rowsSkipped: 0 };
}

function toEntry([id = '', tax = '', name = '']: readonly string[]): ListEntry<Toy> {
  if (!/^\d{14}$/.test(tax)) throw new ListFileError('a row without a tax id');
  return { id, keys: [`BR:${tax.slice(0, 8)}`], record: { name } };
}

export interface ToyRow {
  readonly id: string;
  readonly tax: string;
  readonly name: string;
}

/** Rows numbered from 1; the tax id of row n begins with n, padded to eight digits. */
export const toyRows = (count: number, name = 'São “Norte” \\ & Cia'): readonly ToyRow[] =>
  Array.from({ length: count }, (_, i) => ({
    id: String(i + 1),
    tax: `${String(i + 1).padStart(8, '0')}000191`,
    name: `${name} ${i + 1}`,
  }));

export const personOf = (n: number): string => `BR:${String(n).padStart(8, '0')}`;

export const toyCsv = (rows: readonly ToyRow[]): string =>
  `ID;TAX;NAME\r\n${rows.map(({ id, tax, name }) => `${id};${tax};"${name.replaceAll('"', '""')}"\r\n`).join('')}`;

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export const toyXml = (rows: readonly ToyRow[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<list>${rows.map(({ id, tax, name }) => `<row id="${id}" tax="${tax}" name="${xmlText(name)}"/>\n`).join('')}</list>`;

export interface ToyOptions {
  readonly db: Knex;
  readonly tempDir: string;
  readonly url: string;
  readonly origin?: Address['origin'];
  readonly spec?: Partial<RegistrySpec<Toy>>;
  readonly now?: () => number;
  readonly log?: SourceDeps['log'];
}

/** A registry of the toy list at `url`. */
export function toyRegistry({
  db,
  tempDir,
  url,
  origin = 'given',
  spec = {},
  now = Date.now,
  log = pino({ level: 'silent' }),
}: ToyOptions): Registry<Toy> {
  const http = (): never => {
    throw new Error('a list needs no client for live answers');
  };
  const deps: Partial<SourceDeps> = { address: () => ({ url, origin }), http, db, now, log, tempDir };
  return defineRegistry({ ...toySpec, ...spec }).create(deps as SourceDeps);
}

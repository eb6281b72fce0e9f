import type { CopyText } from '../../../db/copy-text.ts';
import { cnpjCheckDigits } from '../../../domain/check-digits.ts';
import type { QuotedLine } from '../../copies/quoted-rows.ts';
import { CNPJ_LENGTH, isPersonalNature, REGISTRATIONS } from '../company.ts';
import { writeActivities, writeActivity, writeCents, writeCode, writeDate, writeId, writeName, writeText } from './columns.ts';
import type { HashContacts } from './links.ts';
import { codeOf, documentOf, flagOf, type Notes, representativeOf } from './values.ts';

/** Tables of a version. */
export const TABLES = ['companies', 'establishments', 'partners', 'regimes', 'links'] as const;
export type TableName = (typeof TABLES)[number];

/** Writes the rows of a line. Returns false, and writes nothing, for a line that cannot be read. */
type WriteRows = (line: QuotedLine) => boolean;

/** A kind of file of the registry with data of companies. */
export interface DataFile {
  readonly columns: number;
  /** Source of a regular expression that matches after the root, and after no date or postal code; absent for a file without those. */
  readonly next?: string;
  /** @param notes counts the values that become null @param rowsOf returns the writer of the rows of a table */
  writer(notes: Notes, hashes: HashContacts, rowsOf: (table: TableName) => CopyText): WriteRows;
}

/** True for the first eight characters of a CNPJ. */
export const isRoot = (text: string): boolean => /^[\dA-Z]{8}$/.test(text);

const companies: DataFile = {
  columns: 7,
  writer: (notes, _, rowsOf) => (line) => {
    const out = rowsOf('companies');
    const column = { line, out, notes };
    const nature = codeOf(line.text(2), 4, notes);
    const isPersonal = isPersonalNature(nature === null ? null : String(nature).padStart(4, '0'), false);
    out.begin(line.bytesUsed);
    writeId(column, 0);
    (isPersonal ? writeName : writeText)(column, 1);
    out.value(nature);
    writeCode(column, 3, 2);
    writeCents(column, 4);
    writeCode(column, 5, 2);
    writeText(column, 6);
    out.end();
    return true;
  },
};

/** Fields of an establishment with contact data. */
const CONTACTS = {
  phones: [
    [21, 22],
    [23, 24],
  ],
  email: 27,
  address: [13, 14, 15, 16, 17, 18, 20],
} as const;

const establishments: DataFile = {
  columns: 30,
  next: String.raw`[\dA-Z]{4}";"\d{2}"`,
  writer: (notes, hashes, rowsOf) => (line) => {
    const [branch, head, status] = [line.text(1), line.text(3), Number(line.text(5))];
    const isValid = /^[\dA-Z]{4}$/.test(branch) && cnpjCheckDigits(line.text(0) + branch) === line.text(2) && /^[12]$/.test(head);
    if (!isValid || !(status in REGISTRATIONS)) return false;
    const out = rowsOf('establishments');
    const column = { line, out, notes };
    out.begin(line.bytesUsed);
    for (const field of [0, 1, 2]) writeId(column, field);
    out.value(String(head === '1'));
    writeName(column, 4);
    out.value(status);
    writeDate(column, 6);
    writeCode(column, 7, 2);
    writeText(column, 8);
    writeCode(column, 9, 3);
    writeDate(column, 10);
    writeActivity(column, 11);
    writeActivities(column, 12);
    const state = line.text(19);
    out.value(/^[A-Z]{2}$/.test(state) ? state : null);
    writeCode(column, 20, 4);
    writeText(column, 28);
    writeDate(column, 29);
    out.end();
    const links = rowsOf('links');
    const key = { line, out: links, notes };
    hashes(line, CONTACTS, (kind, hash) => {
      links.begin(0);
      writeId(key, 0);
      writeId(key, 1);
      links.value(kind);
      links.value(hash);
      links.end();
    });
    return true;
  },
};

/** Kind of a partner that is a company. A partner with a CNPJ is one, whatever the line says: some lines call it foreign, or a person. */
const COMPANY = 1;

const partners: DataFile = {
  columns: 11,
  next: '[123]"',
  writer: (notes, _, rowsOf) => (line) => {
    const code = line.text(1);
    if (!/^[123]$/.test(code)) return false;
    const kind = Number(code) as 1 | 2 | 3;
    const document = documentOf(line.text(3), kind, notes);
    const out = rowsOf('partners');
    const column = { line, out, notes };
    out.begin(line.bytesUsed);
    writeId(column, 0);
    out.value(line.number);
    out.value(document?.length === CNPJ_LENGTH ? COMPANY : kind);
    writeName(column, 2);
    out.value(document);
    writeCode(column, 4, 2);
    writeDate(column, 5);
    writeCode(column, 6, 3);
    out.value(representativeOf(line.text(7), notes));
    writeName(column, 8);
    writeCode(column, 9, 2);
    out.end();
    return true;
  },
};

const regimes: DataFile = {
  columns: 7,
  next: String.raw`[SN]?";"\d{0,8}";"\d{0,8}";"[SN]?"`,
  writer: (notes, _, rowsOf) => (line) => {
    const out = rowsOf('regimes');
    const column = { line, out, notes };
    out.begin(line.bytesUsed);
    writeId(column, 0);
    for (const flag of [1, 4]) {
      out.value(flagOf(line.text(flag)));
      writeDate(column, flag + 1);
      writeDate(column, flag + 2);
    }
    out.end();
    return true;
  },
};

/** The files with data of companies, by the beginning of their name. */
export const DATA_FILES = { Empresas: companies, Estabelecimentos: establishments, Socios: partners, Simples: regimes } as const;

/** Kinds of codes, by the name of the file with their names. */
export const LOOKUP_FILES = {
  Cnaes: 'activity',
  Motivos: 'reason',
  Municipios: 'municipality',
  Naturezas: 'nature',
  Paises: 'country',
  Qualificacoes: 'role',
} as const;

import type { CopyRow } from '../../../db/copy-rows.ts';
import { cnpjCheckDigits } from '../../../domain/tax-id.ts';
import { cnaeCode, isPersonalNature, REGISTRATIONS } from '../company.ts';
import type { HashContacts } from './links.ts';
import { centsOf, codeOf, dateOf, documentOf, flagOf, type Notes, personalName, plainText, representativeOf } from './values.ts';

/** Tables of a version. */
export const TABLES = ['companies', 'establishments', 'partners', 'regimes', 'links'] as const;
export type TableName = (typeof TABLES)[number];

/** Rows of one line, by table; null for a line that cannot be read. */
export type ReadLine = (cells: readonly string[], line: number) => readonly (readonly [TableName, CopyRow])[] | null;

/** A kind of file of the registry with data of companies. */
export interface DataFile {
  readonly columns: number;
  /** @param notes counts the values that become null */
  reader(notes: Notes, hashes: HashContacts): ReadLine;
}

/** True for the first eight characters of a CNPJ. */
export const isRoot = (text: string): boolean => /^[\dA-Z]{8}$/.test(text);

const companies: DataFile = {
  columns: 7,
  reader: (notes) => (cells) => {
    const [root = '', name = '', natureCode = '', role = '', capital = '', size = '', owner = ''] = cells;
    const nature = codeOf(natureCode, 4, notes);
    const isPersonal = isPersonalNature(nature === null ? null : String(nature).padStart(4, '0'), false);
    const shown = isPersonal ? personalName(name) : plainText(name);
    return [
      ['companies', [root, shown, nature, codeOf(role, 2, notes), centsOf(capital, notes), codeOf(size, 2, notes), plainText(owner)]],
    ];
  },
};

const MAX_OTHER_ACTIVITIES = 99;

const activitiesOf = (codes: string): readonly string[] =>
  codes
    .split(',')
    .map((code) => cnaeCode(code))
    .filter((code) => code !== null)
    .slice(0, MAX_OTHER_ACTIVITIES);

const establishments: DataFile = {
  columns: 30,
  reader: (notes, hashes) => (cells) => {
    const at = (index: number): string => cells[index] ?? '';
    const [root, branch, digits] = [at(0), at(1), at(2)];
    const status = Number(at(5));
    const isValid = /^[\dA-Z]{4}$/.test(branch) && cnpjCheckDigits(root + branch) === digits && /^[12]$/.test(at(3));
    if (!isValid || !(status in REGISTRATIONS)) return null;
    const others = at(12) === '' ? [] : activitiesOf(at(12));
    const activity = cnaeCode(at(11));
    const row: CopyRow = [
      ...[root, branch, digits, String(at(3) === '1'), personalName(at(4)), status, dateOf(at(6), notes), codeOf(at(7), 2, notes)],
      ...[plainText(at(8)), codeOf(at(9), 3, notes), dateOf(at(10), notes), activity === null ? null : Number(activity), others],
      ...[/^[A-Z]{2}$/.test(at(19)) ? at(19) : null, codeOf(at(20), 4, notes), plainText(at(28)), dateOf(at(29), notes)],
    ];
    const links = hashes({
      phones: [
        [at(21), at(22)],
        [at(23), at(24)],
      ],
      email: at(27),
      address: [...cells.slice(13, 19), at(20)],
    });
    return [['establishments', row], ...links.map(([kind, hash]) => ['links', [root, branch, kind, hash]] as const)];
  },
};

const partners: DataFile = {
  columns: 11,
  reader: (notes) => (cells, line) => {
    const [
      root = '',
      kindCode = '',
      name = '',
      document = '',
      role = '',
      since = '',
      country = '',
      proxyId = '',
      proxy = '',
      proxyRole = '',
    ] = cells;
    if (!/^[123]$/.test(kindCode)) return null;
    const kind = Number(kindCode) as 1 | 2 | 3;
    const who = [root, line, kind, personalName(name), documentOf(document, kind, notes), codeOf(role, 2, notes), dateOf(since, notes)];
    const behind = [codeOf(country, 3, notes), representativeOf(proxyId, notes), personalName(proxy), codeOf(proxyRole, 2, notes)];
    return [['partners', [...who, ...behind]]];
  },
};

const regimes: DataFile = {
  columns: 7,
  reader: (notes) => (cells) => {
    const [root = '', simples = '', since = '', until = '', mei = '', meiSince = '', meiUntil = ''] = cells;
    const simplesRow = [flagOf(simples), dateOf(since, notes), dateOf(until, notes)];
    return [['regimes', [root, ...simplesRow, flagOf(mei), dateOf(meiSince, notes), dateOf(meiUntil, notes)]]];
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

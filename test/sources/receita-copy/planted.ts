import { type Cells, company, establishment, type Files, monthOf, partner } from './support.ts';

/** A change that was planted between two months, as it is stored. */
export interface Planted {
  readonly root: string;
  readonly branch: string | null;
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The rows of one company. */
interface Rows {
  readonly company: Cells;
  readonly establishments: readonly Cells[];
  readonly partners: readonly Cells[];
}

/** A kind of change: the rows before and after it. */
interface Kind {
  readonly field: string;
  readonly branch?: string;
  readonly before?: (rows: Rows) => Rows;
  readonly after: (rows: Rows) => Rows;
  readonly values: readonly [before: string | null, after: string | null];
}

const ofCompany =
  (column: number, value: string) =>
  (rows: Rows): Rows => ({ ...rows, company: rows.company.with(column, value) });
const ofEstablishment =
  (index: number, change: Readonly<Record<number, string>>) =>
  (rows: Rows): Rows => ({
    ...rows,
    establishments: rows.establishments.map((row, i) => (i === index ? row.map((cell, at) => change[at] ?? cell) : row)),
  });
const rootOf = ({ company }: Rows): string => company[0] ?? '';

/** One kind for each field. As many establishments close as open again, because the guard compares the shares of each status. */
const KINDS: readonly Kind[] = [
  { field: 'name', after: ofCompany(1, 'OUTRO NOME SA'), values: ['UMA EMPRESA LTDA', 'OUTRO NOME SA'] },
  { field: 'size', after: ofCompany(5, '01'), values: ['5', '1'] },
  { field: 'capital', after: ofCompany(4, '0,01'), values: ['10000000', '1'] },
  { field: 'nature', after: ofCompany(2, '2054'), values: ['2062', '2054'] },
  { field: 'status', before: ofEstablishment(0, { 5: '08' }), after: ofEstablishment(0, { 5: '02' }), branch: '0001', values: ['8', '2'] },
  { field: 'activity', after: ofEstablishment(0, { 11: '4120400' }), branch: '0001', values: ['6201501', '4120400'] },
  { field: 'address', after: ofEstablishment(0, { 19: 'MG', 20: '4123' }), branch: '0001', values: ['SP/7107', 'MG/4123'] },
  { field: 'special_situation', after: ofEstablishment(0, { 28: 'EM LIQUIDACAO' }), branch: '0001', values: [null, 'EM LIQUIDACAO'] },
  {
    field: 'partner_joined',
    after: (rows) => ({ ...rows, partners: [partner(rootOf(rows), 'NOVA PESSOA', { 3: '***777777**' }), ...rows.partners] }),
    values: [null, 'NOVA PESSOA'],
  },
  { field: 'partner_left', after: (rows) => ({ ...rows, partners: rows.partners.slice(1) }), values: ['ANA DE TAL', null] },
  {
    field: 'branch_opened',
    after: (rows) => ({ ...rows, establishments: [...rows.establishments, establishment(rootOf(rows), '0003')] }),
    branch: '0003',
    values: [null, '2'],
  },
  { field: 'branch_closed', after: ofEstablishment(1, { 5: '08' }), branch: '0002', values: ['2', '8'] },
];

/**
 * Two months of companies with a branch and two partners each, between which a fifth of the companies changed: one field each, all fields
 * alike. The rows of the second month are in the reverse order, and its trade names and company partners are written differently, which is
 * no change.
 */
export function plantedMonths(changes: number): { readonly before: Files; readonly after: Files; readonly planted: readonly Planted[] } {
  const planted: Planted[] = [];
  const both = Array.from({ length: changes * 5 }, (_, i) => {
    const root = String(50_000_000 + i);
    const kind = i % 5 === 0 ? KINDS[(i / 5) % KINDS.length] : undefined;
    const rows = rowsOf(root);
    if (!kind) return { before: rows, after: rows };
    const [before, after] = kind.values;
    planted.push({ root, branch: kind.branch ?? null, field: kind.field, before, after });
    const earlier = kind.before?.(rows) ?? rows;
    return { before: earlier, after: kind.after(earlier) };
  });
  const before = filesOf(both.map((one) => one.before));
  const after = filesOf(both.map((one) => respelled(one.after)).toReversed());
  return { before, after, planted };
}

const rowsOf = (root: string): Rows => ({
  company: company(root, 'UMA EMPRESA LTDA'),
  establishments: [establishment(root), establishment(root, '0002')],
  partners: [partner(root), partner(root, 'NOME DA SOCIA', { 1: '1', 3: '50000000' })],
});

const respelled = ({ partners, establishments, ...rows }: Rows): Rows => ({
  ...rows,
  establishments: establishments.map((row) => row.with(4, 'OUTRA FANTASIA')).toReversed(),
  partners: partners.map((row) => (row[1] === '1' ? row.with(2, 'NOME ERRADO') : row)).toReversed(),
});

const filesOf = (rows: readonly Rows[]): Files => ({
  ...monthOf(0),
  Empresas0: rows.map((one) => one.company),
  Estabelecimentos0: rows.flatMap((one) => one.establishments),
  Socios0: rows.flatMap((one) => one.partners),
});

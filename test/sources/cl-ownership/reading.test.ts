import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../../src/sources/cl-ownership/lines.ts';
import { COLUMNS, toRow } from '../../../src/sources/cl-ownership/row.ts';
import { readShare } from '../../../src/sources/cl-ownership/share.ts';
import { edge, people } from './support.ts';

const OWNED = 76_900_014;
const OWNER = 76_900_001;

/** Reads a line as a row. */
const rowOf = (line: string) => {
  const cells = cellsOf(line);
  return toRow(Object.fromEntries(Object.keys(COLUMNS).map((name, i) => [name, cells[i]])) as typeof COLUMNS);
};

describe('a share', () => {
  it.each([
    ['60', '60'],
    ['100', '100'],
    ['0', '0'],
    ['0,00', '0'],
    ['33,33', '33.33'],
    ['33.33', '33.33'],
    ['33.3333333', '33.3333333'],
    ['3.3333333333333335', '3.3333333333333335'],
    ['0,30000000000000004', '0.30000000000000004'],
    ['007,50', '7.5'],
    [',5', '0.5'],
    ['60%', '60'],
    ['60,5 %', '60.5'],
    ['100.01', '100'],
    ['100,5', '100'],
    ['-0', '0'],
  ])('of %j is %s percent', (cell, percent) => {
    expect(readShare(cell)).toMatchObject({ percent, problem: null });
  });

  it.each([
    ['', 'blank'],
    ['-5', 'out_of_bounds'],
    ['250', 'out_of_bounds'],
    ['100,51', 'out_of_bounds'],
    ['1.234,5', 'unreadable'],
    ['1,234.5', 'unreadable'],
    ['1e2', 'unreadable'],
    ['33,', 'unreadable'],
    ['.', 'unreadable'],
    ['%', 'unreadable'],
    ['-', 'unreadable'],
    ['sesenta', 'unreadable'],
    ['6O', 'unreadable'],
    ['60;', 'unreadable'],
    ['05', 'unreadable'],
    ['00', 'unreadable'],
    ['1234567890123', 'unreadable'],
  ])('of %j is not known: %s', (cell, problem) => {
    expect(readShare(cell)).toMatchObject({ percent: null, problem });
  });
});

describe('a row', () => {
  it('of a company is an edge, whatever column 7 says', () => {
    const line = edge(OWNED, OWNER, '60');
    expect(rowOf(line)).toMatchObject({ kind: 'company', society: OWNED, partner: OWNER, share: { percent: '60' } });
    expect(rowOf(line.replace(';;60', ';Personas Naturales;60'))).toMatchObject({ kind: 'company', partner: OWNER });
  });

  it.each(['Personas Naturales', 'PERSONAS NATURALES', 'personas náturales', ' Personas  Nat. '])(
    'with %j is that of all people',
    (text) => {
      expect(rowOf(people(OWNED, '40').replace('Personas Naturales', text))).toMatchObject({ kind: 'people', society: OWNED });
    },
  );

  it.each([
    ['neither an owner nor people', people(OWNED, '12').replace('Personas Naturales', '')],
    ['another text than people', people(OWNED, '12').replace('Personas Naturales', 'JUAN INVENTADO')],
    ['an owner with a wrong check digit', edge(OWNED, OWNER, '12').replace('76900001;1;', '76900001;2;')],
    ['an owner without a check digit', edge(OWNED, OWNER, '12').replace('76900001;1;', '76900001;;')],
    ['a check digit without an owner', edge(OWNED, OWNER, '12').replace('76900001;1;', ';1;')],
    ['an owner with left zeros', edge(OWNED, OWNER, '12').replace('76900001;1;', '076900001;1;')],
    ['the RUT of a person', edge(OWNED, OWNER, '12').replace('76900001;1;', '12345678;5;')],
    ['the cut RUT of a company', edge(OWNED, OWNER, '12').replace('76900001;1;', '7690000;1;')],
  ])('with %s is unread, and keeps no number of the owner', (_, line) => {
    const row = rowOf(line);
    expect(row).toEqual({ kind: 'unread', society: OWNED, share: { percent: '12', problem: null } });
    expect(JSON.stringify(row)).not.toMatch(/12345678|7690000[^1]/);
  });

  it.each([
    ['a wrong check digit', edge(OWNED, OWNER, '12').replace('76900014;3;', '76900014;4;')],
    ['no number', edge(OWNED, OWNER, '12').replace('76900014;3;', ';3;')],
    ['the RUT of a person', edge(OWNED, OWNER, '12').replace('76900014;3;', '12345678;5;')],
  ])('whose owned company has %s is lost', (_, line) => {
    expect(rowOf(line)).toEqual({ kind: 'lost' });
  });

  it('takes a check digit in lower case', () => {
    expect(rowOf(edge(OWNED, 76_900_100, '1').replace('76900100;K', '76900100;k'))).toMatchObject({ kind: 'company', partner: 76_900_100 });
  });
});

describe('a line', () => {
  it('may have quotes round whole cells, and other quotes are characters', () => {
    expect(cellsOf('"a";"b;c";d')).toEqual(['a', 'b;c', 'd']);
    expect(cellsOf('"a ""b""";;"')).toEqual(['a "b"', '', '"']);
    expect(cellsOf('a "b" c;"d" e;f')).toEqual(['a "b" c', '"d" e', 'f']);
    expect(cellsOf(' a ; b ;')).toEqual(['a', 'b', '']);
  });

  it('has one cell for what follows 32 cells', () => {
    expect(cellsOf('"a;'.repeat(20_000))).toHaveLength(33);
  });
});

import { expect, it } from 'vitest';
import { edge, fileOf, HEADER, ownershipDb, people, rutOf } from './support.ts';

/* A file that is harder than the sample. The expected answers were computed by hand from the rules of the file. */

const { copy } = ownershipDb();
const [A, B, C, D, E, F, G, H, I] = [
  76_900_001, 76_900_014, 76_900_028, 76_900_031, 76_900_045, 76_900_059, 76_900_062, 76_900_076, 76_900_090,
] as const;
const OWNER = 76_950_001;
const OTHER = 76_950_014;

const owned = (number: number, share: string | null) => ({ rut: rutOf(number), share });

/** Puts quotes round each cell of a row. */
const quoted = (row: string): string =>
  row
    .split(';')
    .map((cell) => `"${cell}"`)
    .join(';');

const ROWS = [
  // both decimal marks, and a percent sign
  edge(A, OWNER, '33,3333'),
  edge(A, OTHER, '16.6667 %'),
  people(A, '50'),
  // quotes round the cells, a semicolon in one of them, blanks
  quoted(edge(B, OWNER, '25,5')),
  quoted(people(B, ' 74,5 ')).replace('SOCIEDAD POR ACCIONES', 'SOCIEDAD; POR ""ACCIONES""'),
  // the same owner twice, and two joint rows
  edge(C, OWNER, '10'),
  edge(C, OWNER, '15,25'),
  people(C, '70'),
  people(C, '4,75'),
  // a blank share beside known ones
  edge(D, OWNER, ''),
  edge(D, OTHER, '40'),
  people(D, ''),
  // rounding above 100, and a zero
  edge(E, OWNER, '100,01'),
  edge(E, OTHER, '0'),
  // out of bounds
  edge(F, OWNER, '150'),
  people(F, '-1'),
  // an owner of itself, and one of its owners that it owns
  edge(G, G, '5'),
  edge(G, OWNER, '95'),
  // text in place of people, beside the whole
  people(H, '100'),
  people(H, '30').replace('Personas Naturales', 'JUAN INVENTADO'),
  // small letters without accents, and a partner that is written with blanks
  people(I, '99,6').replace('Personas Naturales', 'personas naturales'),
];

const EXPECTED = [
  [A, { status: 'published', companies: [owned(OWNER, '33.3333'), owned(OTHER, '16.6667')], people: { share: '50' }, isComplete: true }],
  [B, { status: 'published', companies: [owned(OWNER, '25.5')], people: { share: '74.5' }, isComplete: true }],
  [C, { status: 'published', companies: [owned(OWNER, '25.25')], people: { share: '74.75' }, isComplete: true }],
  [D, { status: 'published', companies: [owned(OTHER, '40'), owned(OWNER, null)], people: { share: null }, isComplete: false }],
  [E, { status: 'published', companies: [owned(OWNER, '100'), owned(OTHER, '0')], people: null, isComplete: true }],
  [F, { status: 'published', companies: [{ ...owned(OWNER, null), text: '150' }], people: { share: null, text: '-1' }, isComplete: false }],
  [G, { status: 'published', companies: [owned(OWNER, '95'), owned(G, '5')], people: null, isComplete: true }],
  [H, { status: 'published', companies: [], people: { share: '100' }, isComplete: true }],
  [I, { status: 'published', companies: [], people: { share: '99.6' }, isComplete: true }],
] as const;

/** Rows whose shares are plausible, so that those above are few among them. */
const PLAIN = Array.from({ length: 400 }, (_, i) => people(77_000_000 + i, '100'));

it.each([
  ['CRLF', (file: string) => file],
  ['LF', (file: string) => file.replaceAll('\r\n', '\n')],
  ['a byte order mark', (file: string) => `\ufeff${file}`],
  ['a quoted header', (file: string) => file.replace(HEADER, quoted(HEADER))],
  ['a header in capitals without the accent', (file: string) => file.replace(HEADER, HEADER.toUpperCase().replace('Ó', 'O'))],
  ['Windows-1252', (file: string) => Buffer.from(file, 'latin1')],
])('owners of a file with %s are read field by field', async (_, write) => {
  const source = copy();
  expect(await source.load(write(fileOf([...ROWS, ...PLAIN])))).toMatchObject({ outcome: 'loaded' });
  for (const [number, expected] of EXPECTED) expect([number, await source.of(number)]).toEqual([number, { isListed: true, ...expected }]);
  expect(await source.of(OWNER)).toMatchObject({ isListed: false, status: 'not_published', companies: [], people: null });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpFailure } from '../../../src/sources/http/failure.ts';
import { readCompany } from '../../../src/sources/rues/choose.ts';
import { RUES_ROW, type RuesRow } from '../../../src/sources/rues/row.ts';
import { groupedRows } from '../../../src/sources/rues/rues.ts';
import { readPrintedRows } from '../../../src/sources/socrata/soda.ts';
import { AS_OF, BASE, NOW, row } from './support.ts';

const CARD = '1023456789';
/** A cancelled company with two registrations. It is neither active nor absent. */
const ROWS: readonly RuesRow[] = [
  row({ estado_matricula: 'CANCELADA', fecha_cancelacion: '20190630', codigo_estado_matricula: '03' }),
  row({ estado_matricula: 'NO ASIGNADO', codigo_categoria_matricula: '00', matricula: '101', codigo_estado_matricula: '05' }),
];
const WHOLE = JSON.stringify(ROWS);

/** Reads an answer about the company, as the source does. */
function statusIn(text: string, status = 200): string {
  const rows = groupedRows(readPrintedRows({ status, text }, RUES_ROW), [BASE], 'nit').get(BASE) ?? [];
  const { record, absence } = readCompany(BASE, rows, { now: NOW, asOf: AS_OF });
  const shown = JSON.stringify(record);
  if (shown.includes(CARD)) throw new Error('an identity card is shown');
  return record?.status ?? absence ?? 'nothing';
}

const NEEDED = ['nit', 'clase_identificacion'] as const;
const columns = Object.keys(ROWS[0] ?? {});
const anyColumn = fc.constantFrom(...columns);
const place = fc.nat({ max: WHOLE.length - 1 });
const changed = (change: (row: Record<string, unknown>) => void): string => {
  const rows = JSON.parse(WHOLE) as Record<string, unknown>[];
  for (const one of rows) change(one);
  return JSON.stringify(rows);
};

/** Kinds of damage that a reader can notice. An answer that lacks whole rows is well-formed, and cannot be distinguished from another company. */
const DAMAGE: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'that is cut off': place.map((end) => WHOLE.slice(0, end)),
  'with a column renamed': anyColumn.map((name) => WHOLE.replaceAll(`"${name}"`, `"otro_${name}"`)),
  'without a column': anyColumn.map((name) => changed((one) => delete one[name])),
  'with a column of another type': fc
    .tuple(anyColumn, fc.constantFrom<unknown>(7, true, [], {}, ['ACTIVA']))
    .map(([name, value]) => changed((one) => Object.assign(one, { [name]: value }))),
  'with an empty column': fc
    .tuple(anyColumn, fc.constantFrom(null, '', ' ', '-'))
    .map(([name, value]) => changed((one) => Object.assign(one, { [name]: value }))),
  'with columns shifted by some places': fc.integer({ min: 1, max: columns.length - 1 }).map((places) =>
    changed((one) => {
      const values = columns.map((name) => one[name] ?? null);
      for (const [i, name] of columns.entries()) Object.assign(one, { [name]: values[(i + places) % columns.length] });
    }),
  ),
  'with a character replaced': fc
    .tuple(place, fc.constantFrom('\ufffd', '?', '脩', 'Ã', '0', 'x', '"', '}', ','))
    .map(([at, char]) => WHOLE.slice(0, at) + char + WHOLE.slice(at + 1)),
  'with a character lost': place.map((at) => WHOLE.slice(0, at) + WHOLE.slice(at + 1)),
  'with unrequested columns': fc
    .constantFrom('num_identificacion_representante_legal', 'primer_nombre', ':id', 'extra')
    .map((name) => changed((one) => Object.assign(one, { [name]: CARD }))),
  // The number of a registration has the form of a card, and is shown.
  'with the number of a card in a column': fc
    .constantFrom(...columns.filter((name) => name !== 'matricula'))
    .map((name) => changed((one) => Object.assign(one, { [name]: CARD }))),
  'with rows of another company': fc.constantFrom('800123456', CARD, '0', '').map((nit) => changed((one) => Object.assign(one, { nit }))),
  'of another kind': fc.constantFrom('<html>CANCELADA</html>', '{}', 'null', '""', '[[]]', '[null]', '[{}]', '{"rows":[]}', ''),
  'that was encoded twice': fc.constant(Buffer.from(WHOLE, 'utf8').toString('latin1').replaceAll('E', 'Ã‰')),
};

describe.each(Object.entries(DAMAGE))('an answer of the register %s', (_, damaged) => {
  it('UP-03 fails or shows the cancelled company, and never an active one, an absence or an identity card', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        try {
          expect(statusIn(text)).toBe('inactive');
        } catch (error) {
          expect(error).toBeInstanceOf(HttpFailure);
        }
      }),
      { numRuns: 400 },
    );
  });
});

it('the undamaged answer is read', () => {
  expect(statusIn(WHOLE)).toBe('inactive');
});

it.each(NEEDED)('UP-03 an answer without %s fails', (name) => {
  expect(() => statusIn(changed((one) => delete one[name]))).toThrow(HttpFailure);
});

it.each([201, 202, 204, 206, 400, 401, 403, 404, 422])('UP-03 the status %d fails', (status) => {
  expect(() => statusIn(WHOLE, status)).toThrow(HttpFailure);
});

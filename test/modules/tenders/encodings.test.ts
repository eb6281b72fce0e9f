import { expect, it } from 'vitest';
import { z } from 'zod';
import { readListing } from '../../../src/modules/tenders/sources/mercadopublico/envelope.ts';
import { readPage } from '../../../src/modules/tenders/sources/pncp/records.ts';
import { readRows } from '../../../src/sources/socrata/soda.ts';

/* The accident that a mirror of a registry had, https://github.com/cuducos/minha-receita/issues/216, is possible in every JSON of a portal. */

const row = z.object({ name: z.string(), body: z.object({ object: z.string().nullable() }) });
const accident = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const BROKEN = { name: accident('CONSTRUÇÃO SÃO JOÃO LTDA'), body: { object: accident('Adquisición de año – Ñuble') } };
const PROPER = { name: 'IRMÃ AÇÃO', body: { object: null } };
const read = [
  { name: 'CONSTRUÇÃO SÃO JOÃO LTDA', body: { object: 'Adquisición de año – Ñuble' } },
  { name: 'IRMÃ AÇÃO', body: { object: null } },
];
const answer = (body: unknown) => ({ status: 200, text: JSON.stringify(body) });

it('the marketplaces repair texts whose UTF-8 was read as Latin-1, and leave proper ones', () => {
  const rows = [BROKEN, PROPER];
  const page = z.object({ data: z.array(row), totalRegistros: z.int(), totalPaginas: z.int() });
  expect(readPage(answer({ data: rows, totalRegistros: 2, totalPaginas: 1 }), page).records).toEqual(read);
  expect(readRows(answer(rows), row)).toEqual(read);
  expect(readListing(answer({ Cantidad: 2, Listado: rows }), row)).toEqual(read);
});

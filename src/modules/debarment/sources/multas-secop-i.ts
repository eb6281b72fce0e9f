import { z } from 'zod';
import { DAY_MS } from '../../../domain/time.ts';
import { columnName } from '../../../sources/registry/csv-table.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import type { ListFile } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { PORTAL_CREDENTIAL } from '../../../sources/socrata/portal.ts';
import { link, sodaParameters } from '../../../sources/socrata/soda.ts';
import { column, tableItems } from '../../../sources/socrata/soda-list.ts';
import { contractorOf, type FineEntry, FineRows, printed, printedId, printedUrl } from './fine-rows.ts';

/** The columns that are requested. */
const FINE = z.strictObject({
  nombre_entidad: column,
  nit_entidad: column,
  numero_de_resolucion: column,
  documento_contratista: column,
  nombre_contratista: column,
  numero_de_contrato: column,
  valor_sancion: column,
  fecha_de_publicacion: column,
  fecha_de_firmeza: column,
  ruta_de_proceso: link,
});
type Fine = z.output<typeof FINE>;

/** All columns of the table: a file that an operator has saved may have them all. */
const ROW = FINE.extend({ nivel: column, orden: column, municipio: column, fecha_de_cargue: column });

/** The table has some 1,700 rows. */
const LIMIT = 20_000;

/** Name of the rows with which the publisher tried the table. */
const TEST_NAME = 'PRUEBA CONTRATISTA';

/**
 * Reads the fines of SECOP I. People are left out. A fine whose document names the buyer in place of the contractor has lost its contractor:
 * the name of such a row is the number of the resolution.
 * @throws ListFileError for another document, an unknown column, and more than 5 % of documents, amounts or dates that cannot be read
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<FineEntry>, ListSummary, void> {
  const rows = new FineRows({ document: 'documento_contratista', amount: 'valor_sancion', date: 'fecha_de_firmeza' });
  let rowsRead = 0;
  for await (const row of tableItems(file, ROW, LIMIT)) {
    rowsRead += 1;
    const entry = entryOf(row, rows);
    if (entry) yield entry;
  }
  return rows.summary(file.lastModified, rowsRead);
}

function entryOf(row: Fine, rows: FineRows): ListEntry<FineEntry> | null {
  // A fine with the NIT of a company is one, whatever name stands beside it.
  if (columnName(row.nombre_contratista) === TEST_NAME && contractorOf(row.documento_contratista).kind !== 'company') {
    rows.skip();
    return null;
  }
  const contractor = rows.contractor(row.documento_contratista, row.nombre_contratista);
  const buyer = contractorOf(row.nit_entidad);
  if (contractor.kind === 'company' && buyer.kind === 'company' && contractor.nit === buyer.nit) {
    rows.lose();
    return null;
  }
  const finalOn = rows.date(row.fecha_de_firmeza);
  const publishedOn = rows.date(row.fecha_de_publicacion);
  const fine = {
    entity: printed(row.nombre_entidad) ?? '',
    entityTaxId: printedId(row.nit_entidad),
    kind: null,
    amountCop: rows.amount(row.valor_sancion),
    resolution: printed(row.numero_de_resolucion),
    date: finalOn ?? publishedOn,
    contract: printedId(row.numero_de_contrato),
    processId: null,
    processUrl: printedUrl(row.ruta_de_proceso),
  };
  // The table has no ids. A fine without the number of its resolution is distinguished from others by its date.
  const key = [row.nit_entidad, row.numero_de_resolucion, row.numero_de_contrato, row.valor_sancion, fine.resolution ? null : fine.date];
  return rows.take(contractor, row.nombre_contratista, key, fine);
}

export const multasSecopISpec: RegistrySpec<FineEntry> = {
  name: 'MULTAS_SECOP_I',
  attribution: 'Colombia Compra Eficiente, SECOP I: Multas y Sanciones, on datos.gov.co: open data under Colombian Law 1712.',
  coverage: [
    'Contract fines, penalty clauses and forfeitures that public bodies published in SECOP I. They are no bans, and have no end: the ban for repeated fines (Law 1474 of 2011, article 90) has to be declared, and is not in this table.',
    'Of some 1,700 rows about 250 are about companies. Rows of people are left out.',
    'The table has no kind of document: a NIT that begins with 8 or 9 is a company, with or without its check digit.',
    'A fine that names the buyer in place of the contractor cannot be assigned. Other fines with a document that cannot be read are compared by name.',
  ],
  setting: 'QUIPU_MULTAS_SECOP_I_URL',
  address: {
    live: 'https://www.datos.gov.co/resource/4n4q-k399.json',
    sandbox: '/multas_secop_i/4n4q-k399.json',
    description: 'Colombia: contract fines of SECOP I, the Socrata table 4n4q-k399, or a file of its rows in JSON. Empty for none.',
    optional: true,
  },
  query: sodaParameters({ select: Object.keys(FINE.shape), order: ':id', limit: LIMIT }),
  credential: PORTAL_CREDENTIAL,
  schemaVersion: 3,
  guard: { minRows: 1_500, maxRows: 4_000, maxShrink: 0.1, maxGrowth: 0.5 },
  everyMs: DAY_MS,
  staleAfterMs: 8 * DAY_MS,
  read,
};

export const multasSecopI = defineRegistry(multasSecopISpec);

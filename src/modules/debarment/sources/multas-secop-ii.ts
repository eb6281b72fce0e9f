import { z } from 'zod';
import { folded } from '../../../domain/text.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { ColumnErrors } from '../../../sources/registry/csv-table.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import type { ListFile } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary, RegistrySpec } from '../../../sources/registry/registry.ts';
import { PORTAL_CREDENTIAL } from '../../../sources/socrata/portal.ts';
import { sodaParameters, stated } from '../../../sources/socrata/soda.ts';
import { column, tableItems } from '../../../sources/socrata/soda-list.ts';
import { type Contractor, type FineEntry, FineRows, MAX_UNREADABLE, printed, printedId, printedUrl } from './fine-rows.ts';
import { type Contract, contractsOf } from './fined-contracts.ts';

/** The columns that are requested. */
const FINE = z.strictObject({
  id_proceso: column,
  id_contrato: column,
  nombre_entidad_creadora: column,
  as_codigo_proveedor_objeto: column,
  nombre_proveedor_objeto_de: column,
  valor: column,
  fecha_evento: column,
  numero_de_acto: column,
  tipo_de_sancion: column,
  descripcion_otro_tipo_de: column,
  estado: column,
  numero_de_version: column,
});
type Fine = z.output<typeof FINE>;

/** All columns of the table: a file that an operator has saved may have them all. */
const ROW = FINE.extend({
  referencia_proceso: column,
  codigo_entidad_creadora: column,
  valor_pagado: column,
  aplico_garantias: column,
  tipo: column,
});

/** The table has some 550 rows. */
const LIMIT = 20_000;

/** Share of fines without a contractor up to which a version is plausible. More means that the contracts were not found. */
const MAX_UNASSIGNED = 0.5;

/**
 * Reads the fines of SECOP II. The table has no tax ids, so the contracts of the fines are requested from the table of contracts, which
 * name their suppliers. Drafts are left out; of several versions of a fine the last one is kept.
 * @throws ListFileError for another document, an unknown column, contracts that are not returned, and more than 5 % of documents,
 * amounts, dates or versions that cannot be read
 */
async function* read(file: ListFile): AsyncGenerator<ListEntry<FineEntry>, ListSummary, void> {
  const all: Fine[] = [];
  for await (const row of tableItems(file, ROW, LIMIT)) all.push(row);
  const rows = new FineRows({ document: 'documento_proveedor', amount: 'valor', date: 'fecha_evento' });
  const published = all.filter((row) => !isDraft(row));
  const contracts = await contractsOf(published, file);
  const fines = lastVersions(published.map((row) => ({ row, contract: contracts.of(row) })));
  rows.skip(all.length - fines.length);
  for (const fine of fines) {
    const entry = entryOf(fine, rows);
    if (entry) yield entry;
  }
  const summary = rows.summary(file.lastModified, all.length);
  const unassigned = summary.rowsUnmatched ?? 0;
  if (unassigned <= fines.length * MAX_UNASSIGNED) return summary;
  return { ...summary, implausible: { reason: 'unassigned', why: `${unassigned} of ${fines.length} fines have no known contractor` } };
}

const PUBLISHED = 'publicado';
const DRAFT = 'borrador';
const isPublished = ({ estado }: Fine): boolean => folded(estado) === PUBLISHED;
/** A fine in a state that is not known may be published, and is kept without a contractor. */
const isDraft = ({ estado }: Fine): boolean => folded(estado) === DRAFT;

/** A row with its contract; null if that is not known. */
interface ContractFine {
  readonly row: Fine;
  readonly contract: Contract | null;
}

/**
 * Returns the last version of each fine, in the order of the table. A fine without the number of its act is distinguished from others by its
 * date.
 * @throws ListFileError for more versions without a number than a published file has
 */
function lastVersions(rows: readonly ContractFine[]): readonly ContractFine[] {
  const versions = new ColumnErrors('numero_de_version', MAX_UNREADABLE);
  const last = new Map<string, ContractFine>();
  for (const fine of rows) {
    const { row, contract } = fine;
    versions.add(NUMBER.test(row.numero_de_version));
    const act = stated(row.numero_de_acto) ?? `${row.fecha_evento} ${row.valor}`;
    const key = JSON.stringify(contract ? [contract.id_contrato, act] : [row.id_proceso, row.id_contrato, act]);
    const known = last.get(key);
    if (!known || versionOf(row) >= versionOf(known.row)) last.set(key, fine);
  }
  versions.assertFew();
  return [...last.values()];
}

const NUMBER = /^\d{1,6}$/;
const versionOf = ({ numero_de_version: version }: Fine): number => (NUMBER.test(version) ? Number(version) : 0);

const UNKNOWN: Contractor = { kind: 'unreadable' };

function entryOf({ row, contract: found }: ContractFine, rows: FineRows): ListEntry<FineEntry> | null {
  const contract = isPublished(row) ? found : null;
  // Consortia have no document in the table of contracts.
  const document = stated(contract?.documento_proveedor);
  const contractor = document === null ? UNKNOWN : rows.contractor(document, row.nombre_proveedor_objeto_de);
  const fine = {
    entity: printed(row.nombre_entidad_creadora) ?? '',
    entityTaxId: contract ? printedId(contract.nit_entidad) : null,
    kind: printed(row.tipo_de_sancion) ?? printed(row.descripcion_otro_tipo_de),
    amountCop: rows.amount(row.valor),
    resolution: printed(row.numero_de_acto),
    date: rows.date(row.fecha_evento),
    contract: printedId(contract?.id_contrato ?? row.id_contrato),
    processId: printedId(row.id_proceso),
    processUrl: printedUrl(contract?.urlproceso),
  };
  const key = [row.id_proceso, row.id_contrato, row.numero_de_acto, row.fecha_evento, row.valor];
  return rows.take(contractor, row.nombre_proveedor_objeto_de, key, fine);
}

export const multasSecopIiSpec: RegistrySpec<FineEntry> = {
  name: 'MULTAS_SECOP_II',
  attribution: 'Colombia Compra Eficiente, SECOP II: Multas y Sanciones, on datos.gov.co: open data under Colombian Law 1712.',
  coverage: [
    'Contract fines and penalties that public bodies published in SECOP II, some 550 rows. They are no bans.',
    'The table has no tax ids. A fine is assigned to a company by its contract, or by its procedure and the code of the supplier, in the table of contracts `jbjy-vk9h`, which lies beside it. Other fines are compared by name.',
    'Drafts are left out; of several versions of a fine the last one is kept. A fine in a state that is neither published nor a draft is compared by name.',
    'Not verified: that the code of the supplier is the same in both tables, and the names of the states besides `Publicado`.',
  ],
  setting: 'QUIPU_MULTAS_SECOP_II_URL',
  address: {
    live: 'https://www.datos.gov.co/resource/it5q-hg94.json',
    sandbox: '/multas_secop_ii/it5q-hg94.json',
    description:
      'Colombia: contract fines of SECOP II, the Socrata table it5q-hg94, or a file of its rows in JSON; jbjy-vk9h.json is requested beside it. Empty for none.',
    optional: true,
  },
  query: sodaParameters({ select: Object.keys(FINE.shape), order: ':id', limit: LIMIT }),
  credential: PORTAL_CREDENTIAL,
  schemaVersion: 3,
  guard: { minRows: 400, maxRows: 3_000, maxShrink: 0.1, maxGrowth: 1 },
  everyMs: DAY_MS,
  staleAfterMs: 8 * DAY_MS,
  read,
};

export const multasSecopIi = defineRegistry(multasSecopIiSpec);

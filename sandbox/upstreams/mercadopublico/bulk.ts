import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import { chileanDate, DAY_MS } from '../../../src/domain/time.ts';
import { startOfDay } from '../../world/calendar.ts';
import { fileReply, type Published, type SimulatedReply, type Simulator, zipped } from '../simulator.ts';
import { ORDER_STATES, orderStateOn, ordersSentOn, type SimulatedOrder } from './orders.ts';
import { type Currency, dayNumber, dayOf, type SimulatedTender, stateOn, TENDER_STATES, tendersPublishedOn } from './tenders.ts';

/** A monthly table of the open data: the columns that a reader needs, in the publisher's order and wording. Cells are unquoted. */
export interface MonthlyTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Days of a month (`2026-09`) up to `asOf`. */
function daysOf(month: string, asOf: string): readonly string[] {
  const first = dayNumber(`${month}-01`);
  return Array.from({ length: 31 }, (_, i) => dayOf(first + i)).filter((day) => day.startsWith(month) && day <= asOf);
}

const ORDERS_HEADER = [
  'ID',
  'Link',
  'Codigo',
  'Nombre',
  'Descripcion/Obervaciones',
  'Tipo',
  'EsTratoDirecto',
  'EsCompraAgil',
  'codigoEstado',
  'Estado',
  'FechaCreacion',
  'FechaEnvio',
  'FechaAceptacion',
  'FechaCancelacion',
  'MontoTotalOC',
  'TipoMonedaOC',
  'MontoTotalOC_PesosChilenos',
  'TotalNetoOC',
  'RutUnidadCompra',
  'UnidadCompra',
  'CodigoOrganismoPublico',
  'OrganismoPublico',
  'CodigoSucursal',
  'RutSucursal',
  'Sucursal',
  'CodigoProveedor',
  'NombreProveedor',
  'CodigoLicitacion',
  'IDItem',
  'EspecificacionComprador',
  'cantidad',
  'monedaItem',
  'precioNeto',
  'totalLineaNeto',
];

/** Formats a decimal: `279.8` → `279,8`. */
const decimal = (amount: number): string => String(amount).replace('.', ',');
/** Formats a number. Many round numbers are in scientific notation. */
const scientific = (amount: number): string =>
  amount >= 1e7 && amount % 1e6 === 0 ? decimal(amount / 1e7).concat('e+07') : decimal(amount);

const NONE = 'NA';
const NO_DATE = '1900-01-01';

/** Orders sent in a month, in their state on `asOf`: one row per line. The lines of an order are not adjacent. */
export function ordersTable(month: string, asOf: string): MonthlyTable {
  const orders = daysOf(month, asOf).flatMap(ordersSentOn);
  const rows = [0, 1, 2].flatMap((line) => orders.filter(({ lines }) => line < lines.length).map((order) => orderRow(order, line, asOf)));
  return { header: ORDERS_HEADER, rows };
}

function orderRow(order: SimulatedOrder, at: number, asOf: string): readonly string[] {
  const state = orderStateOn(order, asOf);
  const { body, supplier, lines } = order;
  const { product = '', quantity = 0, unitPrice = 0 } = lines[at] ?? {};
  const type = order.code.slice(-4, -2);
  return [
    String(38_000_000 + dayNumber(order.sentOn)),
    `https://example.invalid/oc/${order.code}`,
    order.code,
    order.purchase.title,
    `${order.purchase.title}\r\n${body.unitName}`,
    type,
    type === 'SE' ? 'Si' : 'No',
    type === 'AG' ? 'Si' : 'No',
    String(state),
    ORDER_STATES[state],
    order.sentOn,
    order.sentOn,
    NO_DATE,
    NO_DATE,
    scientific(order.total),
    order.currency,
    order.currency === 'CLP' ? scientific(order.total) : scientific(Math.round(order.total * 39_485)),
    scientific(order.net),
    body.rut,
    body.unitName,
    body.number,
    body.name,
    `7${supplier.number}`,
    supplier.rut,
    supplier.name,
    supplier.number,
    supplier.name,
    order.tenderCode ?? NONE,
    String(at + 1),
    `${product}\n"SEGÚN BASES" – sin costo de despacho\u0081`,
    String(quantity),
    order.currency,
    decimal(unitPrice),
    decimal(quantity * unitPrice),
  ];
}

const TENDERS_HEADER = [
  'Codigo',
  'Link',
  'CodigoExterno',
  'Nombre',
  'Descripcion',
  'Tipo de Adquisicion',
  'CodigoEstado',
  'Estado',
  'CodigoOrganismo',
  'NombreOrganismo',
  'RutUnidad',
  'NombreUnidad',
  'Tipo',
  'CodigoMoneda',
  'Moneda Adquisicion',
  'MontoEstimado',
  'FechaPublicacion',
  'FechaCierre',
  'FechaAdjudicacion',
  'Correlativo',
  'Codigoitem',
  'Nombre linea Adquisicion',
  'Cantidad',
  'CodigoProveedor',
  'RutProveedor',
  'NombreProveedor',
  'Nombre de la Oferta',
  'Estado Oferta',
  'Cantidad Ofertada',
  'Moneda de la Oferta',
  'MontoUnitarioOferta',
  'Valor Total Ofertado',
  'CantidadAdjudicada',
  'MontoLineaAdjudica',
  'Oferta seleccionada',
];

const CURRENCY_NAMES: Readonly<Record<Currency, string>> = { CLP: 'Peso Chileno', CLF: 'Unidad de Fomento', USD: 'Dolar Americano' };

/** Tenders published in a month and closed by `asOf`: one row per line and offer. */
export function tendersTable(month: string, asOf: string): MonthlyTable {
  const closed = daysOf(month, asOf)
    .flatMap(tendersPublishedOn)
    .filter((tender) => stateOn(tender, asOf) !== 5);
  const rows = closed.flatMap((tender) => tender.lines.flatMap((_, i) => [0, 1].map((offer) => tenderRow(tender, i, offer, asOf))));
  return { header: TENDERS_HEADER, rows };
}

function tenderRow(tender: SimulatedTender, at: number, offer: number, asOf: string): readonly string[] {
  const state = stateOn(tender, asOf);
  const { body, purchase, currency } = tender;
  const line = tender.lines[at];
  const { supplier, unitPrice = 0 } = line?.offers[offer] ?? {};
  const quantity = line?.quantity ?? 0;
  const won = state === 8 && offer === 0;
  return [
    String(dayNumber(tender.publishedOn)),
    `https://example.invalid/lic/${tender.code}`,
    tender.code,
    purchase.title,
    purchase.description,
    'Pública',
    // The files use other state numbers than the API.
    state === 8 ? '8' : '11',
    state === 7 ? 'Desierta (o art. 3 ó 9 Ley 19.886)' : TENDER_STATES[state],
    body.number,
    body.name,
    body.rut,
    body.unitName,
    tender.code.slice(-4, -2),
    currency,
    CURRENCY_NAMES[currency],
    NONE,
    tender.publishedOn,
    tender.closesOn,
    state === 8 ? tender.settledOn : NO_DATE,
    String(at + 1),
    `${dayNumber(tender.publishedOn)}${at}`,
    line?.product ?? '',
    String(quantity),
    supplier?.number ?? NONE,
    supplier?.rut ?? NONE,
    supplier?.name ?? NONE,
    `Oferta; "${supplier?.name}"`,
    'Aceptada',
    String(quantity),
    CURRENCY_NAMES[currency],
    decimal(unitPrice),
    decimal(quantity * unitPrice),
    won ? String(quantity) : '0',
    won ? scientific(Math.round(quantity * unitPrice * 100) / 100) : '0',
    won ? 'Seleccionada' : 'No Seleccionada',
  ];
}

const TABLES = {
  'oc-da': { prefix: '', table: ordersTable, column: 'RutSucursal' },
  'lic-da': { prefix: 'lic_', table: tendersTable, column: 'RutProveedor' },
} as const;

/** First month with data. */
const FIRST_MONTH = '2024-01';
const ABSENT =
  '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code><Message>The specified blob does not exist.</Message></Error>';

/**
 * ChileCompra's open data: `GET /oc-da/2026-9.zip` (orders) and `/lic-da/2026-9.zip` (tenders), the month without a left zero. A csv
 * in Windows-1252, every cell quoted, with an ETag of its content. One day behind.
 */
export const mercadopublicoBulkSimulator: Simulator = {
  name: 'mercadopublico_bulk',
  handle({ path, headers, now }) {
    const [, folder = '', year = '', number = ''] = /^\/(oc-da|lic-da)\/(\d{4})-([1-9]|1[0-2])\.zip$/.exec(path) ?? [];
    const month = `${year}-${number.padStart(2, '0')}`;
    const yesterday = chileanDate(now - DAY_MS);
    if (!(folder in TABLES) || month < FIRST_MONTH || month > yesterday.slice(0, 7)) return absent();
    const { prefix, table, column } = TABLES[folder as keyof typeof TABLES];
    const { header, rows } = table(month, yesterday);
    if (rows.length === 0) return absent();
    const etag = `"0x${createHash('sha1').update(JSON.stringify(rows)).digest('hex').slice(0, 16).toUpperCase()}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' };
    const reply = fileReply('application/zip', csv({ header, rows }, column, `${prefix}${year}-${number}.csv`), startOfDay(now));
    return { ...reply, headers: { ...reply.headers, etag } };
  },
};

const absent = (): SimulatedReply => ({ status: 404, headers: { 'content-type': 'application/xml' }, body: ABSENT });

const csv = ({ header, rows }: MonthlyTable, column: string, name: string): Published => ({
  format: 'csv',
  rows: rows.map(quoted),
  frame: (lines) => [quoted(header), ...lines, ''].join('\r\n'),
  renameRequired: (text) => text.replace(`"${column}"`, `"otra_${column}"`),
  charset: 'windows-1252',
  pack: (bytes) => zipped(name, bytes, Date.parse('2026-01-01')),
});

const quoted = (cells: readonly string[]): string => stringify([cells], { delimiter: ';', quoted: true, quoted_empty: true, eof: false });

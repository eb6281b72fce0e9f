import { encode } from '../../../sandbox/upstreams/simulator.ts';
import { zipOf } from '../../support/files.ts';

export type Row = Readonly<Record<string, string>>;

/** A row of an order with the columns of the monthly files that are read. */
export const orderRow = (change: Row = {}): Row => ({
  ID: '38211111',
  Codigo: '2097-241-SE26',
  Nombre: 'Insumos dentales',
  Estado: 'Aceptada',
  codigoEstado: '6',
  FechaEnvio: '2026-11-20',
  CodigoLicitacion: '2097-165-L126',
  OrganismoPublico: 'Hospital de Ñadie',
  RutUnidadCompra: '61.602.209-1',
  NombreProveedor: 'ILHABELLA EIRL',
  RutSucursal: '76.242.192-5',
  TipoMonedaOC: 'CLP',
  MontoTotalOC: '41650',
  EspecificacionComprador: 'Jeringa 3 grs.\nKIT x 4',
  ...change,
});

/** A row with a line and an offer of a tender. */
export const offerRow = (change: Row = {}): Row => ({
  Codigo: '1',
  CodigoExterno: '1509-5-LE26',
  Nombre: 'Insumos médicos',
  Estado: 'Adjudicada',
  NombreOrganismo: 'Hospital de Ñadie',
  RutUnidad: '61.608.006-7',
  FechaPublicacion: '2026-11-02',
  FechaAdjudicacion: '2026-11-20',
  RutProveedor: '76.012.551-2',
  'Moneda de la Oferta': 'Unidad de Fomento',
  MontoLineaAdjudica: '279,8',
  'Oferta seleccionada': 'Seleccionada',
  ...change,
});

/** Returns a row without some columns. */
export const without = (row: Row, ...columns: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)));

const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');

/** Returns the rows as CSV in Windows-1252 with every cell quoted. */
export const csvOf = (...rows: readonly Row[]): Buffer =>
  encode([quoted(Object.keys(rows[0] ?? {})), ...rows.map((row) => quoted(Object.values(row))), ''].join('\r\n'), 'windows-1252');

/** Returns the same CSV in a zip, as published. */
export const zipOfRows = (...rows: readonly Row[]): Promise<Buffer> => zipOf({ '2026-11.csv': csvOf(...rows) });

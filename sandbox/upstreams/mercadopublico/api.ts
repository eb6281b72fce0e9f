import { setTimeout as wait } from 'node:timers/promises';
import { chileanDate } from '../../../src/domain/time.ts';
import { jsonReply, type SimulatedReply, type SimulatedRequest, type Simulator } from '../simulator.ts';
import { ORDER_STATES, orderStateOn, ordersSentOn, type SimulatedOrder } from './orders.ts';
import { SUPPLIERS, supplierByRut } from './parties.ts';
import {
  dayNumber,
  dayOf,
  openTenders,
  type SimulatedTender,
  stateOn,
  TENDER_STATES,
  tendersOfDay,
  tendersPublishedOn,
} from './tenders.ts';

/**
 * The only valid ticket: the sandbox value of the setting `QUIPU_MERCADOPUBLICO_TICKET`. It is a copy, because the sandbox imports no
 * source.
 */
const TICKET = '00000000-5A4D-4B0C-9E1F-000000000000';

const BASE = '/servicios/v1/publico';
/** Duration of a request. A concurrent request on the same ticket is refused. */
const ANSWER_MS = 10;
/** Number of days for which documents can be requested by code. */
const KNOWN_DAYS = 400;
const PARAMETERS: ReadonlySet<string> = new Set(['ticket', 'codigo', 'fecha', 'estado', 'CodigoOrganismo', 'CodigoProveedor']);

/** Hosts of the sandboxes with a request in progress. */
const hostsInProgress = new Set<string>();

/**
 * Mercado Público's API v1: `GET /servicios/v1/publico/licitaciones.json` and `/ordenesdecompra.json` by `codigo`, `fecha` (ddmmaaaa)
 * or `estado`, and `/servicios/v1/Publico/Empresas/BuscarProveedor`. Errors are in the body, whatever the status. The supplier
 * filter works with a date only. For an unknown RUT it returns other companies.
 */
export const mercadopublicoSimulator: Simulator = {
  name: 'mercadopublico',
  async handle(request) {
    const { query, headers } = request;
    const host = headers.host ?? '';
    if (query.get('ticket') !== TICKET) return errorReply(200, 203, 'Ticket no válido.');
    if (hostsInProgress.has(host)) return errorReply(500, 10_500, 'Lo sentimos. Hemos detectado que existen peticiones simultáneas.');
    hostsInProgress.add(host);
    try {
      await wait(ANSWER_MS);
      return answer(request);
    } finally {
      hostsInProgress.delete(host);
    }
  },
};

function answer({ path, query, now }: SimulatedRequest): SimulatedReply {
  const today = chileanDate(now);
  if (path === '/servicios/v1/Publico/Empresas/BuscarProveedor') return suppliers(query.get('rutempresaproveedor') ?? '');
  const known = [...query.keys()].every((name) => PARAMETERS.has(name));
  if (!known) return errorReply(400, 400, 'Nombre de parametro no válido.');
  const fecha = query.get('fecha');
  if (fecha !== null && dayIn(fecha) === null) return errorReply(500, 10_300, 'Formato de fecha no válido.');
  if (path === `${BASE}/licitaciones.json`) return listing(tenders(query, today));
  if (path === `${BASE}/ordenesdecompra.json`) return listing(orders(query, today));
  return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><title>404 - File or directory not found.</title></html>' };
}

function tenders(query: URLSearchParams, today: string): readonly object[] {
  const code = query.get('codigo');
  if (code !== null) {
    return lastDays(today)
      .flatMap(tendersPublishedOn)
      .filter((tender) => tender.code === code)
      .map((tender) => tenderDetail(tender, today));
  }
  const day = dayIn(query.get('fecha') ?? '');
  if (day === null) return (query.get('estado') === 'activas' ? openTenders(today) : []).map((tender) => tenderStub(tender, today));
  const number = query.get('CodigoProveedor');
  const offered = ({ lines }: SimulatedTender) => lines.some(({ offers }) => offers.some(({ supplier }) => supplier.number === number));
  return (day > today ? [] : tendersOfDay(day))
    .filter((tender) => !number || offered(tender))
    .filter((tender) => query.get('estado') !== 'adjudicada' || stateOn(tender, today) === 8)
    .map((tender) => tenderStub(tender, today));
}

function orders(query: URLSearchParams, today: string): readonly object[] {
  const code = query.get('codigo');
  const ofCode = (order: SimulatedOrder) => order.code === code;
  if (code !== null)
    return lastDays(today)
      .flatMap(ordersSentOn)
      .filter(ofCode)
      .map((order) => orderDetail(order, today));
  const day = dayIn(query.get('fecha') ?? '') ?? today;
  const number = query.get('CodigoProveedor');
  return (day > today ? [] : ordersSentOn(day))
    .filter(({ supplier }) => !number || supplier.number === number)
    .map((order) => orderStub(order, today));
}

const lastDays = (today: string): readonly string[] => Array.from({ length: KNOWN_DAYS }, (_, i) => dayOf(dayNumber(today) - i));

/** Parses a day `21112026` to `2026-11-21`; null for any other text. */
function dayIn(text: string): string | null {
  const [, date, month, year] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  return year === undefined ? null : `${year}-${month}-${date}`;
}

function suppliers(rut: string): SimulatedReply {
  if (!/^\d{2}\.\d{3}\.\d{3}-[\dkK]$/.test(rut))
    return errorReply(500, 500, 'Referencia a objeto no establecida como instancia de un objeto.');
  const found = supplierByRut(rut);
  const named = found ? [found] : SUPPLIERS.slice(5, 7);
  const listaEmpresas = named.map(({ number, name }) => ({ CodigoEmpresa: number, NombreEmpresa: name }));
  return jsonReply(200, { Cantidad: named.length, FechaCreacion: '2026-10-10T14:27:53.6261063Z', listaEmpresas }, 'listaEmpresas');
}

const listing = (rows: readonly object[]): SimulatedReply =>
  jsonReply(200, { Cantidad: rows.length, FechaCreacion: '2026-10-10T14:27:53.6261063Z', Version: 'v1', Listado: rows }, 'Listado');

const errorReply = (status: number, code: number, message: string): SimulatedReply =>
  jsonReply(status, { Codigo: code, Mensaje: message }, 'Codigo');

/** Name in the documents' fields about people. */
const PERSON = 'PERSONA INVENTADA';

const buyerJson = ({ body }: SimulatedTender | SimulatedOrder) => ({
  CodigoOrganismo: body.number,
  NombreOrganismo: body.name,
  RutUnidad: body.rut,
  CodigoUnidad: body.unit,
  NombreUnidad: body.unitName,
  DireccionUnidad: 'Calle Inventada  100',
  ComunaUnidad: body.commune,
  RegionUnidad: body.region,
});

const tenderStub = (tender: SimulatedTender, today: string) => ({
  CodigoExterno: tender.code,
  Nombre: tender.purchase.title,
  CodigoEstado: stateOn(tender, today),
  FechaCierre: `${tender.closesOn}T15:10:00`,
});

function tenderDetail(tender: SimulatedTender, today: string) {
  const state = stateOn(tender, today);
  const awarded = state === 8;
  return {
    CodigoExterno: tender.code,
    Nombre: `${tender.purchase.title} `,
    CodigoEstado: state,
    Descripcion: tender.purchase.description,
    FechaCierre: null,
    Estado: TENDER_STATES[state],
    Comprador: { ...buyerJson(tender), RutUsuario: '', CodigoUsuario: '590344', NombreUsuario: PERSON, CargoUsuario: 'Contabilidad' },
    CodigoTipo: 1,
    Tipo: tender.code.slice(-4, -2),
    Moneda: tender.currency,
    Etapas: 1,
    CantidadReclamos: 100,
    Fechas: {
      FechaCreacion: `${tender.publishedOn}T08:52:56.653`,
      FechaCierre: `${tender.closesOn}T15:10:00`,
      FechaPublicacion: `${tender.publishedOn}T10:00:17.1734567`,
      FechaAdjudicacion: awarded ? `${tender.settledOn}T16:42:13.133` : null,
      FechaEstimadaAdjudicacion: `${tender.closesOn}T15:55:00`,
    },
    Estimacion: 2,
    VisibilidadMonto: 0,
    MontoEstimado: null,
    NombreResponsablePago: PERSON,
    NombreResponsableContrato: PERSON,
    EmailResponsableContrato: '',
    Adjudicacion: awarded ? { Tipo: 5, Fecha: `${tender.settledOn}T00:00:00`, Numero: '7', NumeroOferentes: 2, UrlActa: '' } : null,
    Items: {
      Cantidad: tender.lines.length,
      Listado: tender.lines.map(({ product, quantity, offers: [won] }, i) => ({
        Correlativo: i + 1,
        CodigoProducto: 42271718,
        CodigoCategoria: '42271700',
        NombreProducto: product,
        UnidadMedida: 'Unidad',
        Cantidad: quantity,
        Adjudicacion:
          awarded && won
            ? { RutProveedor: won.supplier.rut, NombreProveedor: won.supplier.name, Cantidad: quantity, MontoUnitario: won.unitPrice }
            : null,
      })),
    },
  };
}

const orderStub = (order: SimulatedOrder, today: string) => ({
  Codigo: order.code,
  Nombre: order.purchase.title,
  CodigoEstado: orderStateOn(order, today),
});

function orderDetail(order: SimulatedOrder, today: string) {
  const state = orderStateOn(order, today);
  return {
    Codigo: order.code,
    Nombre: order.purchase.title,
    CodigoEstado: state,
    Estado: ORDER_STATES[state],
    CodigoLicitacion: order.tenderCode ?? '',
    Descripcion: `${order.purchase.title}\r\n${order.body.unitName}`,
    CodigoTipo: '8',
    Tipo: order.code.slice(-4, -2),
    TipoMoneda: order.currency,
    CodigoEstadoProveedor: 4,
    EstadoProveedor: 'Aceptada',
    Fechas: {
      FechaCreacion: `${order.sentOn}T09:00:01.96`,
      FechaEnvio: `${order.sentOn}T09:36:28`,
      FechaAceptacion: null,
      FechaCancelacion: null,
      FechaUltimaModificacion: `${order.sentOn}T09:11:00`,
    },
    TotalNeto: order.net,
    PorcentajeIva: 19,
    Total: order.total,
    Comprador: { ...buyerJson(order), NombreContacto: PERSON, CargoContacto: 'Abastecimiento', FonoContacto: '', MailContacto: '' },
    Proveedor: {
      Codigo: order.supplier.number,
      Nombre: order.supplier.name,
      CodigoSucursal: `7${order.supplier.number}`,
      NombreSucursal: order.supplier.name,
      RutSucursal: order.supplier.rut,
      NombreContacto: PERSON,
      CargoContacto: '',
      FonoContacto: '',
      MailContacto: '',
    },
    Items: {
      Cantidad: order.lines.length,
      Listado: order.lines.map(({ product, quantity, unitPrice }, i) => ({
        Correlativo: i + 1,
        Producto: product,
        EspecificacionComprador: product,
        Cantidad: quantity,
        Unidad: null,
        Moneda: order.currency,
        PrecioNeto: unitPrice,
        Total: quantity * unitPrice,
      })),
    },
  };
}

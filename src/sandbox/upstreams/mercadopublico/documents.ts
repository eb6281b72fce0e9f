import { ORDER_STATES, orderStateOn, type SimulatedOrder } from './orders.ts';
import { type SimulatedTender, stateOn, TENDER_STATES } from './tenders.ts';

/** The API's documents in its own wording, with the fields about people. */

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

export const tenderStub = (tender: SimulatedTender, today: string) => ({
  CodigoExterno: tender.code,
  Nombre: tender.purchase.title,
  CodigoEstado: stateOn(tender, today),
  FechaCierre: `${tender.closesOn}T15:10:00`,
});

export function tenderDetail(tender: SimulatedTender, today: string) {
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

export const orderStub = (order: SimulatedOrder, today: string) => ({
  Codigo: order.code,
  Nombre: order.purchase.title,
  CodigoEstado: orderStateOn(order, today),
});

export function orderDetail(order: SimulatedOrder, today: string) {
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

import { z } from 'zod';
import { type HttpAnswer, HttpFailure } from '../../../../sources/http/client.ts';
import type { AwardedContract, TenderNotice, TenderOrder } from '../../domain.ts';
import { integer, readListing, supplierRut, trimmedText, trimmedTextOrNull } from './envelope.ts';
import { currencyOf, legalPersonOf, localDay, localTime, money, orderPage, tenderPage, tenderState } from './values.ts';

/** A tender as a list shows it. */
export interface TenderStub {
  readonly code: string;
  readonly name: string;
  readonly status: string;
  /** Local datetime; null where the list has none. */
  readonly closesAt: string | null;
}

const tenderStub = z
  .object({
    CodigoExterno: trimmedText.pipe(z.string().min(1)),
    Nombre: trimmedTextOrNull,
    CodigoEstado: integer,
    FechaCierre: z.string().nullable(),
  })
  .transform(
    (row): TenderStub => ({
      code: row.CodigoExterno,
      name: row.Nombre ?? '',
      status: tenderState(row.CodigoEstado),
      closesAt: localTime(row.FechaCierre),
    }),
  );

/** `licitaciones.json` by day or state. @throws HttpFailure */
export const readTenderStubs = (answer: HttpAnswer): readonly TenderStub[] => readListing(answer, tenderStub);

/** A tender's award to one legal person. */
export interface SupplierAward {
  /** As `legalPersonText` writes it. */
  readonly supplier: string;
  readonly award: AwardedContract;
}

/** A tender in full. Fields about the buyer's people are never read. */
export interface Tender {
  readonly notice: TenderNotice;
  /** One a supplier; lines that nobody or a person won are none's. */
  readonly awards: readonly SupplierAward[];
}

const amount = z.coerce.number().nonnegative();
const line = z.object({
  Adjudicacion: z.object({ RutProveedor: supplierRut, Cantidad: amount, MontoUnitario: amount }).nullable(),
});
const tenderDetail = z.object({
  CodigoExterno: trimmedText,
  Nombre: trimmedText,
  Descripcion: trimmedTextOrNull,
  CodigoEstado: integer,
  Estado: trimmedTextOrNull,
  Comprador: z.object({ NombreOrganismo: trimmedText, RutUnidad: trimmedText }),
  Moneda: trimmedText,
  MontoEstimado: amount.nullish(),
  VisibilidadMonto: integer.nullish(),
  Fechas: z.object({ FechaPublicacion: trimmedTextOrNull, FechaCierre: trimmedTextOrNull, FechaAdjudicacion: z.string().nullable() }),
  Adjudicacion: z.object({ Fecha: trimmedTextOrNull }).nullable(),
  Items: z.object({ Cantidad: integer, Listado: z.array(line) }),
});
type TenderDetail = z.output<typeof tenderDetail>;

/**
 * `licitaciones.json?codigo=`: the tender asked for; null where there is none.
 * @throws HttpFailure for another tender, or one whose lines or award make no sense
 */
export function readTender(answer: HttpAnswer, asked: string): Tender | null {
  const [got] = readListing(answer, tenderDetail);
  if (!got) return null;
  if (got.CodigoExterno.toUpperCase() !== asked.toUpperCase()) throw new HttpFailure('wrong_document', 'answered for another tender');
  if (got.Items.Listado.length !== got.Items.Cantidad) throw new HttpFailure('unknown_shape', 'lines are missing');
  const currency = currencyOf(got.Moneda);
  if (currency === null) throw new HttpFailure('unknown_shape', 'a currency that is not known');
  return { notice: toNotice(got, currency), awards: awardsOf(got, currency) };
}

const stateOf = (got: TenderDetail): string => got.Estado ?? tenderState(got.CodigoEstado);

function toNotice(got: TenderDetail, currency: string): TenderNotice {
  const shown = got.VisibilidadMonto === 1 && got.MontoEstimado;
  return {
    code: got.CodigoExterno,
    name: got.Nombre,
    description: got.Descripcion,
    status: stateOf(got),
    closesAt: localTime(got.Fechas.FechaCierre),
    publishedAt: localTime(got.Fechas.FechaPublicacion),
    estimate: shown ? money(shown, currency) : null,
    buyer: got.Comprador.NombreOrganismo,
    buyerTaxId: got.Comprador.RutUnidad,
    url: tenderPage(got.CodigoExterno),
  };
}

/** What each supplier won: the sum of its lines, each a quantity at a price. */
function awardsOf(got: TenderDetail, currency: string): readonly SupplierAward[] {
  const won = new Map<string, number>();
  for (const { Adjudicacion: award } of got.Items.Listado) {
    const supplier = award && legalPersonOf(award.RutProveedor);
    if (supplier) won.set(supplier, (won.get(supplier) ?? 0) + award.Cantidad * award.MontoUnitario);
  }
  const awardedAt = localTime(got.Fechas.FechaAdjudicacion) ?? localTime(got.Adjudicacion?.Fecha);
  if (won.size > 0 && awardedAt === null) throw new HttpFailure('unknown_shape', 'awarded on no date');
  return [...won].map(([supplier, sum]) => ({
    supplier,
    award: {
      code: got.CodigoExterno,
      name: got.Nombre,
      status: stateOf(got),
      total: money(sum, currency),
      awardedAt: awardedAt ?? '',
      buyer: got.Comprador.NombreOrganismo,
      buyerTaxId: got.Comprador.RutUnidad,
    },
  }));
}

const orderCode = z.object({ Codigo: trimmedText.pipe(z.string().min(1)) }).transform(({ Codigo }) => Codigo);

/** `ordenesdecompra.json` by day → the codes of its orders. @throws HttpFailure */
export const readOrderCodes = (answer: HttpAnswer): readonly string[] => readListing(answer, orderCode);

const company = z.object({ CodigoEmpresa: z.coerce.string().min(1) }).transform(({ CodigoEmpresa }) => CodigoEmpresa);

/**
 * `BuscarProveedor` → the marketplace's own numbers of companies that may be the one asked for. For a RUT that it does not know it
 * names others: whoever uses a number must see the RUT on a document of its.
 * @throws HttpFailure
 */
export const readSupplierNumbers = (answer: HttpAnswer): readonly string[] => readListing(answer, company, 'listaEmpresas');

/** An order, and whose it is. */
export interface SupplierOrder {
  /** As `legalPersonText` writes it; null for a person. */
  readonly supplier: string | null;
  readonly order: TenderOrder;
}

/** `Proveedor.Codigo` is the marketplace's own number and no RUT. Fields about people are never read. */
const orderDetail = z.object({
  Codigo: trimmedText,
  Nombre: trimmedText,
  Estado: trimmedText.pipe(z.string().min(1)),
  CodigoLicitacion: trimmedTextOrNull,
  TipoMoneda: trimmedText,
  Total: z.coerce.number(),
  Fechas: z.object({ FechaEnvio: z.string().nullable(), FechaCreacion: trimmedTextOrNull }),
  Comprador: z.object({ NombreOrganismo: trimmedText, RutUnidad: trimmedText }),
  Proveedor: z.object({ RutSucursal: supplierRut }),
});

/**
 * `ordenesdecompra.json?codigo=`: the order asked for; null where there is none.
 * @throws HttpFailure for another order, or one without the supplier's RUT
 */
export function readOrder(answer: HttpAnswer, asked: string): SupplierOrder | null {
  const [got] = readListing(answer, orderDetail);
  if (!got) return null;
  if (got.Codigo.toUpperCase() !== asked.toUpperCase()) throw new HttpFailure('wrong_document', 'answered for another order');
  const currency = currencyOf(got.TipoMoneda);
  const supplier = legalPersonOf(got.Proveedor.RutSucursal);
  return {
    supplier,
    order: {
      code: got.Codigo,
      name: got.Nombre,
      status: got.Estado,
      total: currency === null ? null : money(got.Total, currency),
      date: localDay(got.Fechas.FechaEnvio) ?? localDay(got.Fechas.FechaCreacion),
      buyer: got.Comprador.NombreOrganismo,
      buyerTaxId: got.Comprador.RutUnidad,
      tenderCode: got.CodigoLicitacion,
      supplierTaxId: supplier && got.Proveedor.RutSucursal,
      url: orderPage(got.Codigo),
    },
  };
}

import { z } from 'zod';
import { type HttpAnswer, HttpFailure } from '../../../../sources/http/failure.ts';
import type { AwardedContract, TenderNotice, TenderOrder } from '../../domain.ts';
import { integer, number, readListing, supplierRut, trimmedText, trimmedTextOrNull } from './envelope.ts';
import { currencyOf, legalPersonOf, localDay, localTime, money, orderPage, tenderPage, tenderState } from './values.ts';

/** A tender as in the API's lists. */
export interface TenderStub {
  readonly code: string;
  readonly name: string;
  readonly status: string;
  /** Local datetime; null if the list has none. */
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

/** Reads `licitaciones.json` by day or state. @throws HttpFailure */
export const readTenderStubs = (answer: HttpAnswer): readonly TenderStub[] => readListing(answer, tenderStub);

/** A tender's award to one legal person. */
export interface SupplierAward {
  /** Legal person in the format of `legalPersonText`. */
  readonly supplier: string;
  readonly award: AwardedContract;
}

/** A complete tender. Fields about people are not read. */
export interface Tender {
  readonly notice: TenderNotice;
  /** Awards, one per supplier. Lines without a winner, or won by a person, are omitted. */
  readonly awards: readonly SupplierAward[];
}

const amount = number.pipe(z.number().nonnegative());
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
 * Reads `licitaciones.json?codigo=`: the requested tender; null for none.
 * @throws HttpFailure for another tender, or one with inconsistent lines or award
 */
export function readTender(answer: HttpAnswer, requested: string): Tender | null {
  const [got] = readListing(answer, tenderDetail);
  if (!got) return null;
  if (got.CodigoExterno.toUpperCase() !== requested.toUpperCase()) throw new HttpFailure('wrong_document', 'answered for another tender');
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

/** Sums the lines that each supplier won: quantity times unit price. */
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

/** Reads the codes of the orders in `ordenesdecompra.json` by day. @throws HttpFailure */
export const readOrderCodes = (answer: HttpAnswer): readonly string[] => readListing(answer, orderCode);

const company = z
  .object({ CodigoEmpresa: z.union([z.string(), z.number()]).nullish() })
  .transform(({ CodigoEmpresa }) => String(CodigoEmpresa ?? '').trim() || null);

/**
 * Reads `BuscarProveedor`: the marketplace's numbers of companies that may be the requested one. For an unknown RUT it returns
 * other companies, so a caller must verify the RUT on a document. Null for a company without a number.
 * @throws HttpFailure, also if no company has a number
 */
export function readSupplierNumbers(answer: HttpAnswer): readonly (string | null)[] {
  const numbers = readListing(answer, company, 'listaEmpresas');
  if (numbers.length > 0 && numbers.every((number) => number === null)) throw new HttpFailure('unknown_shape', 'no company has a number');
  return numbers;
}

/** An order and its supplier. */
export interface SupplierOrder {
  /** Legal person in the format of `legalPersonText`; null for a person. */
  readonly supplier: string | null;
  readonly order: TenderOrder;
}

/** An order's detail. `Proveedor.Codigo` is the marketplace's number, not a RUT. Fields about people are not read. */
const orderDetail = z.object({
  Codigo: trimmedText,
  Nombre: trimmedText,
  Estado: trimmedText.pipe(z.string().min(1)),
  CodigoLicitacion: trimmedTextOrNull,
  TipoMoneda: trimmedText,
  Total: number.nullable(),
  Fechas: z.object({ FechaEnvio: z.string().nullable(), FechaCreacion: trimmedTextOrNull }),
  Comprador: z.object({ NombreOrganismo: trimmedText, RutUnidad: trimmedText }),
  Proveedor: z.object({ RutSucursal: supplierRut }),
});

/**
 * Reads `ordenesdecompra.json?codigo=`: the requested order; null for none.
 * @throws HttpFailure for another order, or one without the supplier's RUT
 */
export function readOrder(answer: HttpAnswer, requested: string): SupplierOrder | null {
  const [got] = readListing(answer, orderDetail);
  if (!got) return null;
  if (got.Codigo.toUpperCase() !== requested.toUpperCase()) throw new HttpFailure('wrong_document', 'answered for another order');
  const currency = currencyOf(got.TipoMoneda);
  const supplier = legalPersonOf(got.Proveedor.RutSucursal);
  return {
    supplier,
    order: {
      code: got.Codigo,
      name: got.Nombre,
      status: got.Estado,
      total: currency === null || got.Total === null ? null : money(got.Total, currency),
      date: localDay(got.Fechas.FechaEnvio) ?? localDay(got.Fechas.FechaCreacion),
      buyer: got.Comprador.NombreOrganismo,
      buyerTaxId: got.Comprador.RutUnidad,
      tenderCode: got.CodigoLicitacion,
      supplierTaxId: supplier && got.Proveedor.RutSucursal,
      url: orderPage(got.Codigo),
    },
  };
}

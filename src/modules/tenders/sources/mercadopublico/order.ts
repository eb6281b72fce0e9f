import { z } from 'zod';
import { type HttpAnswer, HttpFailure } from '../../../../sources/http/client.ts';
import type { TenderOrder } from '../../domain.ts';
import { readListing, supplierRut, words, wordsOrNull } from './envelope.ts';
import { currencyOf, legalPersonOf, localDay, money, orderPage } from './values.ts';

const stub = z.object({ Codigo: words.pipe(z.string().min(1)) }).transform(({ Codigo }) => Codigo);

/** `ordenesdecompra.json` by day → the codes of its orders. @throws HttpFailure */
export const readOrderCodes = (answer: HttpAnswer): readonly string[] => readListing(answer, stub);

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
const detail = z.object({
  Codigo: words,
  Nombre: words,
  Estado: words.pipe(z.string().min(1)),
  CodigoLicitacion: wordsOrNull,
  TipoMoneda: words,
  Total: z.coerce.number(),
  Fechas: z.object({ FechaEnvio: z.string().nullable(), FechaCreacion: wordsOrNull }),
  Comprador: z.object({ NombreOrganismo: words, RutUnidad: words }),
  Proveedor: z.object({ RutSucursal: supplierRut }),
});

/**
 * `ordenesdecompra.json?codigo=`: the order asked for; null where there is none.
 * @throws HttpFailure for another order, or one without the supplier's RUT
 */
export function readOrder(answer: HttpAnswer, asked: string): SupplierOrder | null {
  const [got] = readListing(answer, detail);
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

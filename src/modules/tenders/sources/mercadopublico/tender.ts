import { z } from 'zod';
import { type HttpAnswer, HttpFailure } from '../../../../sources/http/client.ts';
import type { AwardedContract, TenderNotice } from '../../domain.ts';
import { readListing, supplierRut, whole, words, wordsOrNull } from './envelope.ts';
import { tenderState } from './states.ts';
import { currencyOf, legalPersonOf, localTime, money, tenderPage } from './values.ts';

/** A tender as a list shows it. */
export interface TenderStub {
  readonly code: string;
  readonly name: string;
  readonly status: string;
  /** Local datetime; null where the list has none. */
  readonly closesAt: string | null;
}

const stub = z
  .object({ CodigoExterno: words.pipe(z.string().min(1)), Nombre: wordsOrNull, CodigoEstado: whole, FechaCierre: z.string().nullable() })
  .transform(
    (row): TenderStub => ({
      code: row.CodigoExterno,
      name: row.Nombre ?? '',
      status: tenderState(row.CodigoEstado),
      closesAt: localTime(row.FechaCierre),
    }),
  );

/** `licitaciones.json` by day or state. @throws HttpFailure */
export const readTenderStubs = (answer: HttpAnswer): readonly TenderStub[] => readListing(answer, stub);

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
const detail = z.object({
  CodigoExterno: words,
  Nombre: words,
  Descripcion: wordsOrNull,
  CodigoEstado: whole,
  Estado: wordsOrNull,
  Comprador: z.object({ NombreOrganismo: words, RutUnidad: words }),
  Moneda: words,
  MontoEstimado: amount.nullish(),
  VisibilidadMonto: whole.nullish(),
  Fechas: z.object({ FechaPublicacion: wordsOrNull, FechaCierre: wordsOrNull, FechaAdjudicacion: z.string().nullable() }),
  Adjudicacion: z.object({ Fecha: wordsOrNull }).nullable(),
  Items: z.object({ Cantidad: whole, Listado: z.array(line) }),
});
type Detail = z.output<typeof detail>;

/**
 * `licitaciones.json?codigo=`: the tender asked for; null where there is none.
 * @throws HttpFailure for another tender, or one whose lines or award make no sense
 */
export function readTender(answer: HttpAnswer, asked: string): Tender | null {
  const [got] = readListing(answer, detail);
  if (!got) return null;
  if (got.CodigoExterno.toUpperCase() !== asked.toUpperCase()) throw new HttpFailure('wrong_document', 'answered for another tender');
  if (got.Items.Listado.length !== got.Items.Cantidad) throw new HttpFailure('unknown_shape', 'lines are missing');
  const currency = currencyOf(got.Moneda);
  if (currency === null) throw new HttpFailure('unknown_shape', 'a currency that is not known');
  return { notice: toNotice(got, currency), awards: awardsOf(got, currency) };
}

const stateOf = (got: Detail): string => got.Estado ?? tenderState(got.CodigoEstado);

function toNotice(got: Detail, currency: string): TenderNotice {
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
function awardsOf(got: Detail, currency: string): readonly SupplierAward[] {
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

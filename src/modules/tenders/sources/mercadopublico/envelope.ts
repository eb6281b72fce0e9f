import { z } from 'zod';
import { mapTexts, repaired } from '../../../../domain/encoding.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../domain/time.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../../../../sources/http/failure.ts';
import { rowsOf } from '../../../../sources/http/rows.ts';
import { isInvalidRut } from './values.ts';

/** Error bodies of the API, with any status: `{"Codigo": 203, "Mensaje": …}`, or its gateway's `{"message": …}`. */
const complaint = z.object({ Codigo: z.coerce.number().int(), Mensaje: z.string() });
const gateway = z.object({ message: z.string() });

const TICKET_INVALID = 203;
const SIMULTANEOUS = 10_500;
/** Codes for an invalid parameter name or date format. A retry cannot succeed. */
const MALFORMED: ReadonlySet<number> = new Set([400, 10_300]);
/** Maximum length of an error body, in characters. Longer bodies are lists, which are parsed once. */
const MAX_COMPLAINT = 4_096;
/** Pause after the daily quota or a limit by IP address; the API states no duration. */
const QUOTA_PAUSE_MS = 5 * MINUTE_MS;

/** Pauses after one, two and more consecutive refusals of simultaneous requests. */
const SIMULTANEOUS_BACKOFF_MS: readonly number[] = [30 * SECOND_MS, 60 * SECOND_MS, 120 * SECOND_MS];

/** Classifies errors by their body first, since the API's statuses are not reliable. Counts refusals, so use one per ticket. */
export interface ErrorClassifier {
  /** Returns the failure that a response means, whatever its status; null for a valid response. */
  classify(answer: HttpAnswer): HttpFailure | null;
}

export function createErrorClassifier(): ErrorClassifier {
  let refusals = 0;
  return {
    classify({ status, text }) {
      const json = text.length > MAX_COMPLAINT ? null : jsonOrNull(text);
      const code = complaint.safeParse(json).data?.Codigo;
      if (code === SIMULTANEOUS) {
        const retryAfterMs = SIMULTANEOUS_BACKOFF_MS[Math.min(refusals, SIMULTANEOUS_BACKOFF_MS.length - 1)];
        refusals += 1;
        return new HttpFailure('simultaneous', 'the ticket was used for two questions at once', { retryAfterMs });
      }
      refusals = 0;
      if (code === TICKET_INVALID) return new HttpFailure('ticket_invalid', 'the ticket is not valid');
      if (status === 429) return new HttpFailure('quota', 'the quota is used up', { retryAfterMs: QUOTA_PAUSE_MS });
      // After a gateway timeout the request may still run: a retry would be simultaneous.
      if (status === 504 || gateway.safeParse(json).success) return new HttpFailure('gateway_timeout', 'the gateway gave up');
      if (code === undefined) return null;
      return new HttpFailure(`refused_${code}`, `refused with code ${code}`, { retryable: status >= 500 && !MALFORMED.has(code) });
    },
  };
}

function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/**
 * Reads the rows of a response: `{"Cantidad": n, "Listado": […]}`. An empty list is a valid answer.
 * @throws HttpFailure for any other shape, or a number of rows other than `Cantidad`
 */
export function readListing<T>(
  { status, text }: HttpAnswer,
  row: z.ZodType<T>,
  list: 'Listado' | 'listaEmpresas' = 'Listado',
): readonly T[] {
  // A maintenance page has status 200 and is usually gone on a retry.
  if (/^\s*</.test(text)) throw new HttpFailure('html', 'a page stands where JSON should be', { retryable: true });
  const json = parseJson(text);
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const listing = z.object({ Cantidad: integer, [list]: rowsOf(row) }).safeParse(json);
  if (!listing.success) throw new HttpFailure('unknown_shape', z.prettifyError(listing.error));
  const rows = (listing.data as unknown as Record<typeof list, readonly T[]>)[list];
  if (rows.length !== listing.data.Cantidad) throw new HttpFailure('unknown_shape', `${rows.length} rows of ${listing.data.Cantidad}`);
  return mapTexts(rows, repaired);
}

/** Field types: texts with extra blanks, numbers as texts. */
export const trimmedText = z.string().transform((text) => text.trim());
export const trimmedTextOrNull = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null);
/**
 * Reads a number, also as text. An empty text, a list or a truth value is rejected, because coercion would convert it to 0 or 1, which are
 * amounts.
 */
export const number = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i)
      .transform(Number),
  ])
  .pipe(z.number());
export const integer = number.pipe(z.int());

/** Reads a supplier's RUT. An invalid one is a failure, because the document could be attributed to a wrong company. */
export const supplierRut = trimmedText.refine((rut) => !isInvalidRut(rut), 'expected a RUT');

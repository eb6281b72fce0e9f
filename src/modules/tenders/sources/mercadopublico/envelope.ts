import { z } from 'zod';
import { MINUTE_MS, SECOND_MS } from '../../../../domain/time.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../../../../sources/http/client.ts';
import { isInvalidRut } from './values.ts';

/** What the API says when it will not answer, whatever the status: `{"Codigo": 203, "Mensaje": …}`, or its gateway's `{"message": …}`. */
const complaint = z.object({ Codigo: z.coerce.number().int(), Mensaje: z.string() });
const gateway = z.object({ message: z.string() });

const TICKET_INVALID = 203;
const SIMULTANEOUS = 10_500;
/** A parameter's name and a date's form: asking again does not mend them. */
const MALFORMED: ReadonlySet<number> = new Set([400, 10_300]);
/** The day's quota, or a limit by address; nothing says for how long. */
const QUOTA_HOLD_MS = 5 * MINUTE_MS;

/** How long the ticket is left alone after each refusal in a row of simultaneous questions. */
const SIMULTANEOUS_BACKOFF_MS: readonly number[] = [30 * SECOND_MS, 60 * SECOND_MS, 120 * SECOND_MS];

/** Tells failures by their body first: the API's statuses say little. One for each ticket, because it counts. */
export interface ErrorClassifier {
  /** The failure that an answer means, whatever its status; null for one that complains of nothing. */
  classify(answer: HttpAnswer): HttpFailure | null;
}

export function createErrorClassifier(): ErrorClassifier {
  let refusals = 0;
  return {
    classify({ status, text }) {
      const code = complaint.safeParse(jsonOrNull(text)).data?.Codigo;
      if (code === SIMULTANEOUS) {
        const retryAfterMs = SIMULTANEOUS_BACKOFF_MS[Math.min(refusals, SIMULTANEOUS_BACKOFF_MS.length - 1)];
        refusals += 1;
        return new HttpFailure('simultaneous', 'the ticket was used for two questions at once', { retryAfterMs });
      }
      refusals = 0;
      if (code === TICKET_INVALID) return new HttpFailure('ticket_invalid', 'the ticket is not valid');
      if (status === 429) return new HttpFailure('quota', 'the quota is used up', { retryAfterMs: QUOTA_HOLD_MS });
      // A question that the gateway gave up on may still be under way: another one now would be a second at once.
      if (status === 504 || gateway.safeParse(jsonOrNull(text)).success) return new HttpFailure('gateway_timeout', 'the gateway gave up');
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
 * The rows of an answer to one question: `{"Cantidad": n, "Listado": […]}`. None is the API's own "none".
 * @throws HttpFailure for anything else, rows that do not add up to `Cantidad` included
 */
export function readListing<T>(
  { status, text }: HttpAnswer,
  row: z.ZodType<T>,
  list: 'Listado' | 'listaEmpresas' = 'Listado',
): readonly T[] {
  // A maintenance page comes with status 200, and is gone with the next try.
  if (/^\s*</.test(text)) throw new HttpFailure('html', 'a page stands where JSON should be', { retryable: true });
  const json = parseJson(text);
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const listing = z.object({ Cantidad: z.coerce.number().int(), [list]: z.array(row) }).safeParse(json);
  if (!listing.success) throw new HttpFailure('unknown_shape', z.prettifyError(listing.error));
  const rows = (listing.data as unknown as Record<typeof list, readonly T[]>)[list];
  if (rows.length !== listing.data.Cantidad) throw new HttpFailure('unknown_shape', `${rows.length} rows of ${listing.data.Cantidad}`);
  return rows;
}

/** Text and numbers as the API mixes them. */
export const trimmedText = z.string().transform((text) => text.trim());
export const trimmedTextOrNull = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null);
export const integer = z.coerce.number().int();

/** Whose a document is decides who is told of it: one that cannot be read is a failure. */
export const supplierRut = trimmedText.refine((rut) => !isInvalidRut(rut), 'expected a RUT');

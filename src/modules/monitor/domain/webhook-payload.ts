import type { Country } from '../../../domain/company.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import type { Change } from './change.ts';

/** The webhook body of `/v1`: exactly these members, in at most 20 KiB. A value longer than `MAX_VALUE_BYTES` is cut. */
export interface WebhookPayload {
  readonly subscription_id: string;
  readonly identifier: string;
  readonly country: Country;
  readonly changed_fields: Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>;
  readonly detected_at: string;
}

/** Maximum size of one value in JSON, in bytes. */
const MAX_VALUE_BYTES = 1_500;
/** Maximum size of all values, in bytes. They leave 2 KiB for the rest of the body. */
const MAX_VALUES_BYTES = 18_000;
const CUT = '…';

/** Cuts a value that is too long after a whole character, and marks it with `…`. The change log keeps the complete value. */
function cut(value: string | null, maxBytes: number): string | null {
  if (value === null || jsonBytes(value) <= maxBytes) return value;
  let bytes = jsonBytes(CUT);
  let kept = '';
  for (const character of value) {
    bytes += jsonBytes(character) - QUOTES;
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept + CUT;
}

const QUOTES = 2;
const UTF8 = new TextEncoder();
const jsonBytes = (text: string): number => UTF8.encode(JSON.stringify(text)).length;

/** Change → webhook body. @param subscriptionId public id of the monitor */
export const toWebhookPayload = (
  subscriptionId: string,
  { identifier, company, fields, detectedAt }: Pick<Change, 'identifier' | 'company' | 'fields' | 'detectedAt'>,
): WebhookPayload => {
  const maxBytes = Math.min(MAX_VALUE_BYTES, Math.floor(MAX_VALUES_BYTES / (2 * fields.length)));
  return {
    subscription_id: subscriptionId,
    identifier,
    country: company.country,
    changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from: cut(from, maxBytes), to: cut(to, maxBytes) }])),
    detected_at: isoWithOffset(detectedAt),
  };
};

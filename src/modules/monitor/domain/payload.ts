import type { Country } from '../../../domain/company.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import type { FieldChange } from './snapshot.ts';

/** The change notification of `/v1`: exactly these members. */
export interface Payload {
  readonly subscription_id: string;
  readonly identifier: string;
  readonly country: Country;
  readonly changed_fields: Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>;
  readonly detected_at: string;
}

/** What a change is called on the wire of a webhook. */
export const toPayload = (
  subscriptionId: string,
  {
    identifier,
    country,
    fields,
    detectedAt,
  }: {
    readonly identifier: string;
    readonly country: Country;
    readonly fields: readonly FieldChange[];
    readonly detectedAt: number;
  },
): Payload => ({
  subscription_id: subscriptionId,
  identifier,
  country,
  changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
  detected_at: isoWithOffset(detectedAt),
});

import type { Country } from '../../../domain/company.ts';

export type RetryPolicy = 'none' | 'standard';
/** How a receiver has been answering: `failing` after repeated failures, `disabled` when nothing is sent any more. */
export type EndpointState = 'active' | 'failing' | 'disabled';

/** A subscription to the changes of some companies. Times are epoch ms. */
export interface Monitor {
  /** UUID; callers see `mon_…`. */
  readonly id: string;
  readonly keyId: string;
  readonly country: Extract<Country, 'BR' | 'CL'>;
  /** As the caller wrote them, trimmed, each company once. */
  readonly identifiers: readonly string[];
  readonly webhookUrl: string;
  readonly retryPolicy: RetryPolicy;
  /** True: its webhook is told of list news, too. */
  readonly listNews: boolean;
  readonly status: 'active' | 'cancelled';
  readonly endpointState: EndpointState;
  readonly createdAt: number;
  readonly cancelledAt: number | null;
}

/** Companies that one monitor may watch. */
export const MAX_IDENTIFIERS = 500;

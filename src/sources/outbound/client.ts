import type { Logger } from 'pino';
import type { Dns } from '../dns/dns.ts';
import { type OutboundClient, OutboundFailure } from './outbound.ts';

export interface OutboundOptions {
  readonly dns: Dns;
  /** Private networks (CIDR) that may be dialled all the same. */
  readonly allow: readonly string[];
  readonly log: Logger;
}

export function createOutboundClient(_options: OutboundOptions): OutboundClient {
  return {
    request: () => Promise.reject(new OutboundFailure('connection', 'no client yet')),
    check: () => undefined,
    close: async () => undefined,
  };
}

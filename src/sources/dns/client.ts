import type { Logger } from 'pino';
import type { Clock } from '../../domain/time.ts';
import { type Dns, DnsFailure } from './dns.ts';

export interface DnsOptions {
  /** host:port each; the system's own where empty. */
  readonly servers: readonly string[];
  readonly now: Clock;
  readonly log: Logger;
}

export function createDns(_options: DnsOptions): Dns {
  const no = (): Promise<never> => Promise.reject(new DnsFailure('unreachable', 'no client yet'));
  return {
    mx: no,
    txt: no,
    ns: no,
    addresses: no,
    health: () => ({ circuit: 'closed', lastSuccessAt: null, lastErrorAt: null, lastError: null }),
  };
}

import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

const KEYS_PER_MINUTE = 20;
/** Whoever has an IPv6 address has its neighbours too. */
const IPV6_SITE_BITS = 64;

/** Counts keys that did not open, by where they came from. Each process counts for itself. */
export interface BadKeys {
  /** One more from this address; 0 while it may go on, else the seconds until it may. */
  count(address: string): Promise<number>;
}

export function createBadKeys(): BadKeys {
  const limiter = new RateLimiterMemory({ points: KEYS_PER_MINUTE, duration: MINUTE_MS / SECOND_MS });
  return {
    count: (address) =>
      limiter.consume(siteOf(address)).then(
        () => 0,
        ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / SECOND_MS)),
      ),
  };
}

/** An IPv4 address, also where it is written as an IPv6 one; of an IPv6 address the network that one customer has. */
function siteOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*/, '')}/${IPV6_SITE_BITS}`).toString();
}

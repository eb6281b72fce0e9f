import ipaddr from 'ipaddr.js';
import { limitName, type SharedLimits } from '../cache/shared-limits.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/time.ts';

/** Maximum number of invalid keys from one address in a minute. Further ones are refused. */
const MAX_INVALID = 20;
/** Maximum number from all addresses together, above which further unknown keys cost no statement each. */
const MAX_INVALID_IN_ALL = 200;
/** Prefix length of the network that counts as one address. A customer usually has a whole IPv6 /64. */
const IPV6_PREFIX_BITS = 64;
/** Maximum number of addresses that are counted. Beyond it the oldest one is deleted; the limit of all addresses together still applies. */
const MAX_ADDRESSES = 20_000;

/** Limits invalid keys by client address, in a window of one minute that begins with the first. */
export interface InvalidKeyLimit {
  begin(address: string): KeyAttempt;
}

/** One key that is being checked. */
export interface KeyAttempt {
  /**
   * True when too many keys from this address, or from all addresses, are invalid or still being checked, so that an unknown key must cost
   * no statement.
   */
  readonly isFlood: boolean;
  /** Marks the key as checked. */
  end(): void;
  /** Counts the key as invalid. Returns 0 within the limit of the address, else the seconds until its window ends. */
  countInvalid(): Promise<number>;
}

interface Window {
  invalid: number;
  beingChecked: number;
  endsAt: number;
}

const windowFrom = (time: number): Window => ({ invalid: 0, beingChecked: 0, endsAt: time + MINUTE_MS });

export interface InvalidKeyLimitDeps {
  readonly now: Clock;
  /**
   * Limits over all processes. Without them, and while Redis is unavailable, each process counts separately. The maximum from all
   * addresses together is always per process.
   */
  readonly limits?: SharedLimits | undefined;
  /** Secret of the hashes of addresses in Redis. */
  readonly secret: string;
}

/** Creates the limit. An attempt with a valid key costs one map lookup. */
export function createInvalidKeyLimit({ now, limits, secret }: InvalidKeyLimitDeps): InvalidKeyLimit {
  /** Network → its window. All windows have one length, so the order of insertion is the order of their ends. */
  const windows = new Map<string, Window>();
  let all = windowFrom(now());

  /** Removes ended windows, and the oldest window if there are too many. */
  function makeRoom(time: number): void {
    for (const [network, { endsAt }] of windows) {
      if (endsAt > time && windows.size < MAX_ADDRESSES) return;
      windows.delete(network);
    }
  }

  function windowOf(network: string, time: number): Window {
    const known = windows.get(network);
    if (known && known.endsAt > time) return known;
    makeRoom(time);
    const window = windowFrom(time);
    windows.delete(network);
    windows.set(network, window);
    return window;
  }

  /** Counts an invalid key in the window of all processes, which this process uses from then on. Returns false beyond the limit. */
  async function countForAll(network: string, own: Window): Promise<boolean> {
    const count = await limits?.count(limitName('invalid-keys', secret, network), { max: MAX_INVALID, ms: MINUTE_MS });
    if (!count) return true;
    own.invalid = Math.max(own.invalid, count.count);
    own.endsAt = Math.min(own.endsAt, now() + count.leftMs);
    return count.isAllowed;
  }

  return {
    begin(address) {
      const time = now();
      if (all.endsAt <= time) all = windowFrom(time);
      const network = networkOf(address);
      const own = windowOf(network, time);
      const ofAll = all;
      const isFlood = countOf(own) >= MAX_INVALID || countOf(ofAll) >= MAX_INVALID_IN_ALL;
      own.beingChecked += 1;
      ofAll.beingChecked += 1;
      return {
        isFlood,
        end() {
          own.beingChecked -= 1;
          ofAll.beingChecked -= 1;
        },
        async countInvalid() {
          own.invalid += 1;
          ofAll.invalid += 1;
          const isWithin = own.invalid <= MAX_INVALID && (await countForAll(network, own));
          return isWithin ? 0 : Math.max(1, Math.ceil((own.endsAt - now()) / SECOND_MS));
        },
      };
    },
  };
}

const countOf = ({ invalid, beingChecked }: Window): number => invalid + beingChecked;

/** Returns the IPv4 address, also of an IPv4-mapped IPv6 address; the /64 network of an IPv6 address; `unknown` for any other text. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*/, '')}/${IPV6_PREFIX_BITS}`).toString();
}

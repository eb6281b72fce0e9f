import { type CallSlots, createCallSlots } from './policy.ts';

/** Limits that belong to a host and not to a source: the sources on it share them. Circuit breakers and statistics stay per source. */
export interface HostLimits {
  readonly slots: CallSlots;
  /** Epoch ms before which no call is sent, by `Retry-After`, or because the daily quota is used up. */
  pausedUntil: number;
}

export const createHostLimits = (concurrency: number): HostLimits => ({ slots: createCallSlots(concurrency), pausedUntil: 0 });

/**
 * Creates the limits of the hosts of this process. The first source of a host sets its number of slots, so all sources of a host declare the
 * same number. @returns the limits of a host (scheme, name and port)
 */
export function createHosts(): (origin: string, concurrency: number) => HostLimits {
  const hosts = new Map<string, HostLimits>();
  return (origin, concurrency) => {
    const limits = hosts.get(origin) ?? createHostLimits(concurrency);
    hosts.set(origin, limits);
    return limits;
  };
}

import { sourceUnavailable } from '../../domain/errors.ts';
import type { Address } from '../source.ts';
import type { Registry, RegistrySpec } from './registry.ts';

/** A list that has no address: nobody to visit, no edition, and every question fails. */
export const switchedOff = <R>(spec: RegistrySpec<R>, origin: Address['origin']): Registry<R> => ({
  spec,
  name: spec.name,
  everyMs: spec.everyMs,
  off: true,
  async lookup() {
    throw sourceUnavailable(spec.name, 'the list has no address');
  },
  edition: () => null,
  async refresh() {},
  async sync() {
    return { outcome: 'refused', reason: 'switched_off' };
  },
  async status() {
    return {
      name: spec.name,
      kind: 'list',
      origin,
      lastSuccessAt: null,
      lastErrorAt: null,
      lastError: null,
      circuit: 'closed',
      list: null,
      usable: false,
      off: true,
    };
  },
});

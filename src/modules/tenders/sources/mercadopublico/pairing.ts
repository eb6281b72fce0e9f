import type { Address } from '../../../../sources/source.ts';

/** Which of the two upstreams may answer for what. */
export interface Pairing {
  /** The API can be asked: there is a ticket, or an address of the operator's own, which may need none. */
  readonly canAsk: boolean;
  /** The monthly files are fetched. */
  readonly hasFiles: boolean;
  /** The index may answer, be it made of files that the operator brought. */
  readonly hasIndex: boolean;
  /** The API may answer for suppliers too, beside the index or in its place. */
  readonly standsIn: boolean;
}

/**
 * A default address goes with a default address of the same kind only: the made-up world must not answer for the real one, nor the
 * real files for a stand-in of the API. What the operator gives goes with anything real.
 */
export function pairingOf(api: Address['origin'], files: Address['origin'], ticket: string): Pairing {
  const canAsk = ticket !== '' || api === 'given';
  const hasFiles = files === 'given' || files === api;
  return { canAsk, hasFiles, hasIndex: hasFiles || files === 'live', standsIn: canAsk && (api === 'given' || api === files) };
}

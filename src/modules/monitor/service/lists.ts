import { createHash } from 'node:crypto';

import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import { ceis, cnep } from '../../debarment/source.ts';
import { trabalhoEscravo } from '../../labor/source.ts';
import { ofacSdn } from '../../sanctions/sources/ofac-sdn.ts';
import { unConsolidated } from '../../sanctions/sources/un-consolidated.ts';
import type { WatchedList } from '../domain/listing.ts';

/** Where a watched list is read. */
export interface ListSource extends WatchedList {
  readonly source: RegistrySource<unknown>;
}

/** Every list of which there is news. */
export const LISTS: readonly ListSource[] = [
  { list: 'CEIS', field: 'debarment', source: ceis },
  { list: 'CNEP', field: 'debarment', source: cnep },
  { list: 'OFAC_SDN', field: 'sanctions', source: ofacSdn },
  { list: 'UN_CONSOLIDATED', field: 'sanctions', source: unConsolidated },
  { list: 'TRABALHO_ESCRAVO', field: 'labor', source: trabalhoEscravo },
];

/**
 * Entries → a short text each for what it says, sorted. Ids are left out: some lists number their rows anew in each edition, and the
 * others have their ids in the record, too.
 */
export const fingerprints = (entries: readonly ListEntry<unknown>[]): readonly string[] =>
  entries.map(({ record }) => createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)).toSorted();

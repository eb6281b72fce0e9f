import type { RegistrySource } from '../../../sources/registry/registry.ts';
import { SANCTIONS_LISTS, type SanctionsList } from '../domain.ts';
import type { SanctionsEntry } from './entry.ts';
import { ofacSdn } from './ofac-sdn.ts';
import { unConsolidated } from './un-consolidated.ts';

const SOURCE_OF: Readonly<Record<SanctionsList, RegistrySource<SanctionsEntry>>> = {
  OFAC_SDN: ofacSdn,
  UN_CONSOLIDATED: unConsolidated,
};

/** The source of each list, in the order of `SANCTIONS_LISTS`. */
export const sanctionsSources: readonly RegistrySource<SanctionsEntry>[] = SANCTIONS_LISTS.map((list) => SOURCE_OF[list]);

import { CHOSEN_SANCTIONS_LISTS } from '../../../domain/catalogue.ts';
import type { RegistrySource } from '../../../sources/registry/registry.ts';
import { ALL_SANCTIONS_LISTS, SANCTIONS_LISTS, type SanctionsList } from '../domain.ts';
import type { SanctionsEntry } from './entry.ts';
import { euConsolidated } from './eu-consolidated.ts';
import { ofacNonSdn } from './ofac-non-sdn.ts';
import { ofacSdn } from './ofac-sdn.ts';
import { ukSanctions } from './uk-sanctions.ts';
import { unConsolidated } from './un-consolidated.ts';
import { worldBank } from './world-bank.ts';

/** The source of each list. */
export const SOURCE_OF: Readonly<Record<SanctionsList, RegistrySource<SanctionsEntry>>> = {
  OFAC_SDN: ofacSdn,
  UN_CONSOLIDATED: unConsolidated,
  OFAC_NON_SDN: ofacNonSdn,
  EU_CONSOLIDATED: euConsolidated,
  UK_SANCTIONS: ukSanctions,
  WORLD_BANK_DEBARRED: worldBank,
};

/** The sources of all lists, in the order of answers. */
export const allSanctionsSources: readonly RegistrySource<SanctionsEntry>[] = ALL_SANCTIONS_LISTS.map((list) => SOURCE_OF[list]);

/** The sources of the lists that are searched where a request chooses none. */
export const sanctionsSources: readonly RegistrySource<SanctionsEntry>[] = SANCTIONS_LISTS.map((list) => SOURCE_OF[list]);

/** The sources of the lists that are searched only where they are chosen. */
export const chosenSanctionsSources: readonly RegistrySource<SanctionsEntry>[] = CHOSEN_SANCTIONS_LISTS.map((list) => SOURCE_OF[list]);

/** Creates a value for each list. */
export const forEachList = <T>(make: (list: RegistrySource<SanctionsEntry>) => T): Readonly<Record<SanctionsList, T>> =>
  Object.fromEntries(ALL_SANCTIONS_LISTS.map((list) => [list, make(SOURCE_OF[list])])) as Record<SanctionsList, T>;

import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import type { RegistrySpec } from '../../../sources/registry/registry.ts';
import type { ListingTerms } from '../domain.ts';
import type { SanctionsEntry } from './entry.ts';
import { ofacReader } from './ofac.ts';
import { OFAC_DOWNLOAD_HOSTS } from './ofac-list.ts';

/**
 * Programme → the list of OFAC that has its parties. The file has no column for it. `RUSSIA-EO14024` alone is on two lists, so its parties
 * are `non-SDN` unless another of their programmes tells.
 */
const LISTS: readonly (readonly [RegExp, string])[] = [
  [/^UKRAINE-EO13662$/, 'SSI'],
  [/^NS-PLC$/, 'NS-PLC'],
  [/^CMIC-EO13959$/, 'NS-CMIC'],
  [/^561-Related$/i, 'CAPTA'],
];
const AMBIGUOUS = 'non-SDN';

/** The parties are restricted and not blocked. */
function termsOf(programs: readonly string[]): ListingTerms {
  const lists = LISTS.flatMap(([program, list]) => (programs.some((one) => program.test(one)) ? list : []));
  return { effect: 'restricted', measures: lists.length > 0 ? lists : [AMBIGUOUS], startsOn: null, endsOn: null };
}

export const ofacNonSdnSpec: RegistrySpec<SanctionsEntry> = {
  name: 'OFAC_NON_SDN',
  attribution:
    'US Department of the Treasury, Office of Foreign Assets Control: consolidated non-SDN list, a US government work in the public domain.',
  setting: 'QUIPU_OFAC_NON_SDN_URL',
  address: {
    live: 'https://sanctionslistservice.ofac.treas.gov/api/download/CONS_PRIM.CSV',
    sandbox: '/ofac_non_sdn/CONS_PRIM.CSV',
    description:
      'OFAC consolidated (non-SDN) list: cons_prim.csv with cons_alt.csv, cons_add.csv and cons_comments.csv in the same folder, or CONSOLIDATED.XML, zipped or not.',
    optional: true,
  },
  schemaVersion: 3,
  guard: { minRows: 300, maxRows: 1_000, maxShrink: 0.15, maxGrowth: 1 },
  everyMs: 4 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  members: ['consolidated.xml', 'cons_prim.csv'],
  redirectHosts: OFAC_DOWNLOAD_HOSTS,
  read: ofacReader({
    companions: { aliases: 'cons_alt.csv', addresses: 'cons_add.csv', comments: 'cons_comments.csv' },
    idLimits: null,
    termsOf,
  }),
};

export const ofacNonSdn = defineRegistry(ofacNonSdnSpec);

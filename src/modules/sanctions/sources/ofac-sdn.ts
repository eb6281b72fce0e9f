import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import type { RegistrySpec } from '../../../sources/registry/registry.ts';
import type { SanctionsEntry } from './entry.ts';
import { SDN_LIMITS } from './id-floors.ts';
import { ofacReader } from './ofac.ts';
import { OFAC_DOWNLOAD_HOSTS } from './ofac-list.ts';

export const ofacSdnSpec: RegistrySpec<SanctionsEntry> = {
  name: 'OFAC_SDN',
  attribution:
    'US Department of the Treasury, Office of Foreign Assets Control: Specially Designated Nationals list, a US government work in the public domain.',
  setting: 'QUIPU_OFAC_SDN_URL',
  address: {
    live: 'https://sanctionslistservice.ofac.treas.gov/api/download/SDN_XML.ZIP',
    sandbox: '/ofac_sdn/SDN_XML.ZIP',
    description: 'OFAC SDN list: SDN.XML, or sdn.csv with alt.csv and sdn_comments.csv in the same folder, zipped or not.',
  },
  schemaVersion: 5,
  guard: { minRows: 10_000, maxShrink: 0.05, maxGrowth: 0.15 },
  everyMs: 2 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  members: ['sdn.xml', 'sdn.csv'],
  redirectHosts: OFAC_DOWNLOAD_HOSTS,
  read: ofacReader({
    companions: { aliases: 'alt.csv', addresses: 'add.csv', comments: 'sdn_comments.csv' },
    idLimits: SDN_LIMITS,
  }),
};

export const ofacSdn = defineRegistry(ofacSdnSpec);

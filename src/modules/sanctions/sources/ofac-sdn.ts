import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { defineRegistry } from '../../../sources/registry/define-registry.ts';
import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { Edition, ListEntry, RegistrySpec } from '../../../sources/registry/registry.ts';
import type { SanctionsEntry } from './entry.ts';
import { readOfacCsv } from './ofac-csv.ts';
import { readOfacXml } from './ofac-xml.ts';

/** Reads the list in either of its forms; both give the same parties. @throws ListFileError */
function read(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, Edition, void> {
  if (file.format === 'xml') return readOfacXml(file);
  if (file.format === 'csv') return readOfacCsv(file);
  throw new ListFileError(`the list is published as xml or csv, not ${file.format}`);
}

export const ofacSdnSpec: RegistrySpec<SanctionsEntry> = {
  name: 'OFAC_SDN',
  attribution:
    'US Department of the Treasury, Office of Foreign Assets Control: Specially Designated Nationals list, a US government work in the public domain.',
  setting: 'QUIPU_OFAC_SDN_URL',
  address: {
    live: 'https://sanctionslistservice.ofac.treas.gov/api/download/SDN_XML.ZIP',
    sandbox: '/ofac_sdn/SDN_XML.ZIP',
    description: 'OFAC SDN list: SDN.XML, or sdn.csv with alt.csv and sdn_comments.csv beside it, zipped or not',
  },
  shape: 1,
  guard: { minRows: 10_000, maxShrink: 0.05, maxGrowth: 0.15 },
  everyMs: 2 * HOUR_MS,
  staleAfterMs: 3 * DAY_MS,
  members: ['sdn.xml', 'sdn.csv'],
  redirectHosts: ['wc2h-sls-prod-public-published.s3.us-gov-west-1.amazonaws.com'],
  read,
};

export const ofacSdn = defineRegistry(ofacSdnSpec);

import type { OfacParty } from './party.ts';
import { branch, leaf } from './xml.ts';

/** Namespace since May 2024. */
const NAMESPACE = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML';

/** The list around its entries. `publishedOn` is MM/DD/YYYY; the misspelt element is OFAC's. */
export const sdnXml = (publishedOn: string, entries: readonly string[]): string =>
  `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="${NAMESPACE}">
  <publshInformation>
    <Publish_Date>${publishedOn}</Publish_Date>
    <Record_Count>${entries.length}</Record_Count>
  </publshInformation>
${entries.join('')}</sdnList>
`;

/** One `sdnEntry`, its elements in the order of the schema. */
export function sdnEntry(party: OfacParty): string {
  const items = '      ';
  const inner = '        ';
  const uid = (i: number): string => leaf('uid', String(party.uid * 10 + i), inner);
  const ids = party.ids.map((id, i) =>
    branch(
      'id',
      uid(i) + leaf('idType', id.type, inner) + leaf('idNumber', id.number, inner) + leaf('idCountry', id.country ?? '', inner),
      items,
    ),
  );
  const aliases = party.aliases.map(({ kind, name, weak }, i) =>
    branch(
      'aka',
      uid(i) + leaf('type', kind, inner) + leaf('category', weak ? 'weak' : 'strong', inner) + leaf('lastName', name, inner),
      items,
    ),
  );
  const addresses = party.addresses.map(({ street, city, country }, i) =>
    branch('address', uid(i) + leaf('address1', street, inner) + leaf('city', city, inner) + leaf('country', country, inner), items),
  );
  const field = (name: string, text: string): string => leaf(name, text, '    ');
  const list = (name: string, children: readonly string[]): string => branch(name, children.join(''), '    ');
  return branch(
    'sdnEntry',
    field('uid', String(party.uid)) +
      field('firstName', party.givenName) +
      field('lastName', party.name) +
      field('title', party.title) +
      field('sdnType', party.type) +
      field('remarks', party.remarks.join('; ')) +
      list(
        'programList',
        party.programs.map((program) => leaf('program', program, items)),
      ) +
      list('idList', ids) +
      list('akaList', aliases) +
      list('addressList', addresses) +
      list('vesselInfo', vesselInfo(party)),
    '  ',
  );
}

const VESSEL_FIELDS = ['callSign', 'vesselType', 'vesselFlag', 'vesselOwner', 'tonnage', 'grossRegisteredTonnage'];

const vesselInfo = ({ vessel }: OfacParty): string[] => (vessel ?? []).map((text, i) => leaf(VESSEL_FIELDS[i] ?? '', text, '      '));

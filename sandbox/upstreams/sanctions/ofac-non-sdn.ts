import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { csvFilesOf, ofacSimulator } from './ofac.ts';
import { at, id, type OfacParty, party, strong, weak } from './ofac-parties.ts';

const vyd = at('Moscow', 'Russia');

/** Companies of the fictional world that are restricted: one by its CNPJ, one by its name alone. */
const brazilians: readonly OfacParty[] = [
  party(980_001, companyByScenario('clean-builder').name, ['VENEZUELA-EO13850'], {
    ids: [id('Tax ID No.', formatCnpj(companyByScenario('clean-builder').cnpj), 'Brazil')],
    addresses: [at('Sao Paulo', 'Brazil', 'Rua dos Exemplos 2')],
  }),
  party(980_002, companyByScenario('clean-sa-open').name, ['CMIC-EO13959'], { addresses: [at('Shenzhen', 'China')] }),
];

/** A party of every group of programmes that the real list prints, and people. */
const others: readonly OfacParty[] = [
  party(980_010, 'NEFT VYDUMKA OPEN JOINT STOCK COMPANY', ['UKRAINE-EO13662'], {
    ids: [id('Tax ID No.', '9900000011', 'Russia'), id('Registration Number', '9990000000011', 'Russia')],
    aliases: [strong('OAO NEFT VYDUMKA'), strong('VYDUMKA OIL', 'f.k.a.'), weak('NV')],
    addresses: [vyd],
  }),
  party(980_011, 'BANK NIGDE PJSC', ['UKRAINE-EO13662', 'RUSSIA-EO14024'], { aliases: [strong('NIGDE BANK')], addresses: [vyd] }),
  party(980_012, 'LIZING NIGDE AO', ['RUSSIA-EO14024'], { addresses: [vyd] }),
  party(980_013, 'XUGOU GUTI WEIDIANZI CO., LTD.', ['CMIC-EO13959'], {
    aliases: [strong('XUGOU SOLID STATE MICROELECTRONICS')],
    addresses: [at('Shanghai', 'China')],
  }),
  party(980_014, 'KHIALI KORESPONDENT BANK', ['561-Related'], { addresses: [at('Tehran', 'Iran')] }),
  party(980_015, 'NEFT NIGDE SERVIS', ['CAATSA - RUSSIA'], {
    addresses: [vyd],
    remarks: Array.from(
      { length: 17 },
      (_, i) => `For more information on directives, see the invented notice number ${101 + i} of the list`,
    ),
    ids: [id('Tax ID No.', '9900000012', 'Russia')],
  }),
  party(980_020, 'KHIALI', ['NS-PLC'], { type: 'Individual', givenName: 'Fulan', births: ['01 Jan 1960'], aliases: [weak('ABU FULAN')] }),
  party(980_021, 'KHIALI', ['SDGT', 'NS-PLC'], { type: 'Individual', givenName: 'Allan', births: ['circa 1962'] }),
];

/** The fictional list of parties that are not on the SDN list, in the order of the file. */
export const ofacNonSdnParties: readonly OfacParty[] = [...brazilians, ...others];

export const ofacNonSdnSimulator = ofacSimulator('OFAC_NON_SDN', ofacNonSdnParties, {
  xml: 'CONSOLIDATED.XML',
  csvFiles: csvFilesOf('CONS_PRIM.CSV', 'CONS_', 'CONS_COMMENTS.CSV'),
});

import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { startOfDay } from '../../world/calendar.ts';
import { branch, fileReply, leaf, type Simulator } from '../simulator.ts';

/** An entity of the fictional UN list. The list has no tax ids. */
export interface UnEntity {
  readonly dataId: number;
  readonly name: string;
  /** Name in its original script. */
  readonly original: string;
  /** Regime. */
  readonly list: string;
  readonly reference: string;
  readonly listedOn: string;
  /** Quality (`a.k.a.`, `f.k.a.`) and name of each alias. An empty list becomes an empty placeholder. */
  readonly aliases: readonly (readonly [quality: string, name: string])[];
  readonly city: string;
  readonly country: string;
}

export interface UnIndividual {
  readonly dataId: number;
  /** First to fourth name. */
  readonly names: readonly string[];
  readonly list: string;
  readonly reference: string;
  readonly listedOn: string;
  readonly nationality: string;
  /** Quality (`Good`, `Low`) and name. */
  readonly aliases: readonly (readonly [quality: string, name: string])[];
}

const DPRK = "Democratic People's Republic of Korea";
const IRAN = 'Iran (Islamic Republic of)';

const entity = (
  dataId: number,
  reference: string,
  list: string,
  name: string,
  country: string,
  rest: Partial<UnEntity> = {},
): UnEntity => ({
  dataId,
  reference,
  list,
  name,
  country,
  original: '',
  listedOn: '2014-06-30',
  aliases: [],
  city: '',
  ...rest,
});

const individual = (
  dataId: number,
  reference: string,
  list: string,
  names: readonly string[],
  nationality: string,
  ...aliases: UnIndividual['aliases']
): UnIndividual => ({
  dataId,
  reference,
  list,
  names,
  nationality,
  listedOn: '2012-12-31',
  aliases,
});

export const unEntities: readonly UnEntity[] = [
  entity(6_990_001, 'QDe.901', 'Al-Qaida', 'CONDOR IMAGINARIO TRADING LTDA', 'Panama', {
    aliases: [['f.k.a.', 'Condor Trading']],
    city: 'Colón',
  }),
  entity(6_990_002, 'QDe.902', 'Al-Qaida', 'BAZAR DO DESERTO INVENTADO LTDA', 'United Arab Emirates', {
    original: 'بازار الصحراء المخترعة',
  }),
  // Two names in one cell, and an acronym in parentheses.
  entity(
    6_990_003,
    'CDe.903',
    'DRC',
    'COMPAGNIE AERIENNE DE NULLE PART (CANP) ; NOWHERE LAKES BUSINESS COMPANY (NLBC)',
    'Democratic Republic of the Congo',
    {
      aliases: [['a.k.a.', 'CANP']],
      city: 'Goma',
    },
  ),
  entity(6_990_004, 'KPe.904 ', 'DPRK', 'IMAGINARY MINING DEVELOPMENT TRADING CORPORATION (IMDTC)', DPRK, {
    aliases: [['a.k.a.', '"KOIMAG"']],
    city: 'Pyongyang',
  }),
  entity(6_990_005, 'KPe.905', 'DPRK', 'PAPER CRANE SHIPPING CO., LTD.', DPRK, { aliases: [['', '']] }),
  entity(6_990_006, 'IRe.906', 'Iran', 'KHIALI TEJARAT COMPANY (BRANCH OF NOWHERE INDUSTRIES)', IRAN, {
    aliases: [
      ['a.k.a.', 'Sherkat-e Khiali Tejarat'],
      ['a.k.a.', 'شرکت خیالی تجارت'],
    ],
    city: 'Tehran',
  }),
  entity(6_990_007, 'IRe.907', 'Iran', 'PAPER TURBINE MANUFACTURING AND IMAGINARY PETROCHEMICALS', IRAN, { listedOn: '2025-09-27' }),
  entity(6_990_008, 'IQe.908', 'Iraq', 'STATE ENTERPRISE FOR INVENTED INDUSTRIES', 'Iraq'),
  entity(6_990_009, 'TAe.909', 'Taliban', 'INVENTED HAWALA & PARTNERS', 'Afghanistan', {
    original: 'حواله اختراعي',
    aliases: [['a.k.a.', 'Hawala’s Exchange']],
  }),
  entity(6_990_010, 'SOe.910', 'Somalia', 'AL-KHAYAL', 'Somalia', { aliases: [['a.k.a.', 'The Imaginary Youth']] }),
  entity(6_990_011, 'HTe.911', 'Haiti', 'GANG IMAGINAIRE DE PORT-NULLE-PART', 'Haiti', { aliases: [['a.k.a.', 'Gang Imaginé']] }),
  entity(6_990_012, 'YEe.912', 'Yemen', 'ANSAR AL-WAHM', 'Yemen', {
    aliases: [
      ['a.k.a.', 'PARTISANS OF ILLUSION'],
      ['a.k.a.', 'ANSARALWAHM'],
    ],
  }),
];

export const unIndividuals: readonly UnIndividual[] = [
  individual(
    6_991_001,
    'CDi.901',
    'DRC',
    ['JÉRÔME', 'INVENTÉ'],
    'Democratic Republic of the Congo',
    ['Good', 'Jerome Invente'],
    ['Low', 'Papier'],
  ),
  individual(6_991_002, 'CDi.902', 'DRC', ['ERIC', 'NULLE', 'PART'], 'Rwanda'),
  individual(6_991_003, 'QDi.903', 'Al-Qaida', ['ABU', 'AL-WAHM'], 'Yemen', ['Low', 'Abu Khayal']),
  individual(6_991_004, 'QDi.904', 'Al-Qaida', ['FULANO', 'DE', 'TAL', 'MARROQUI'], 'Morocco'),
  individual(6_991_005, 'KPi.905', 'DPRK', ['KIM', 'SANG SANG'], DPRK, ['Good', 'Kim Sangsang']),
  individual(6_991_006, 'KPi.906', 'DPRK', ['RI', 'KARA'], DPRK),
  individual(6_991_007, 'IRi.907', 'Iran', ['KHIAL', 'NADARAD'], IRAN),
  individual(6_991_008, 'TAi.908', 'Taliban', ['MULLAH', 'HICHKAS'], 'Afghanistan', ['Good', 'Mawlawi Hichkas'], ['', '']),
  individual(6_991_009, 'LYi.909', 'Libya', ['LA', 'AHAD'], 'Libya'),
  individual(6_991_010, 'SOi.910', 'Somalia', ['CIDNA', 'MA', 'AHA'], 'Somalia'),
];

/** Wraps the records into the list: people first, then entities. `generatedAt` is an ISO instant. */
export const consolidatedXml = (generatedAt: string, records: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CONSOLIDATED_LIST xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://www.un.org/sc/resources/sc-sanctions.xsd" dateGenerated="${generatedAt}">
  <INDIVIDUALS>
${records.filter((record) => record.startsWith('    <INDIVIDUAL>')).join('')}  </INDIVIDUALS>
  <ENTITIES>
${records.filter((record) => record.startsWith('    <ENTITY>')).join('')}  </ENTITIES>
</CONSOLIDATED_LIST>
`;

/** Writes an empty element, which the list has for a missing value. */
const empty = (name: string, indent = FIELD): string => `${indent}<${name}/>\n`;
const FIELD = '      ';
const INNER = '        ';

const field = (name: string, text: string): string => leaf(name, text, FIELD);
const value = (name: string, text: string): string => branch(name, leaf('VALUE', text, INNER) || empty('VALUE', INNER), FIELD);
const sortKeys = empty('SORT_KEY') + empty('SORT_KEY_LAST_MOD');

type Listing = Pick<UnEntity, 'dataId' | 'list' | 'reference' | 'listedOn'>;
const head = ({ dataId }: Listing): string => field('DATAID', String(dataId)) + field('VERSIONNUM', '1');
const listing = ({ list, reference, listedOn }: Listing): string =>
  field('UN_LIST_TYPE', list) + field('REFERENCE_NUMBER', reference) + field('LISTED_ON', listedOn);

/** Writes the aliases, or an empty placeholder if there are none. */
function aliases(name: string, known: UnEntity['aliases']): string {
  const all = known.length ? known : ([['', '']] as const);
  const part = (element: string, text: string): string => leaf(element, text, INNER) || empty(element, INNER);
  return all.map(([quality, alias]) => branch(name, part('QUALITY', quality) + part('ALIAS_NAME', alias), FIELD)).join('');
}

export const entityRecord = (entity: UnEntity): string =>
  branch(
    'ENTITY',
    head(entity) +
      field('FIRST_NAME', entity.name) +
      listing(entity) +
      field('COMMENTS1', 'Made up: no such entity exists.') +
      field('NAME_ORIGINAL_SCRIPT', entity.original) +
      value('LIST_TYPE', 'UN List') +
      value('LAST_DAY_UPDATED', '2020-08-19') +
      aliases('ENTITY_ALIAS', entity.aliases) +
      branch('ENTITY_ADDRESS', leaf('CITY', entity.city, INNER) + leaf('COUNTRY', entity.country, INNER), FIELD) +
      sortKeys,
    '    ',
  );

const NAMES = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];

export const individualRecord = (person: UnIndividual): string =>
  branch(
    'INDIVIDUAL',
    head(person) +
      person.names.map((name, i) => field(NAMES[i] ?? '', name)).join('') +
      listing(person) +
      field('GENDER', 'Male') +
      field('COMMENTS1', 'Made up: no such person exists.') +
      value('NATIONALITY', person.nationality) +
      value('LIST_TYPE', 'UN List') +
      value('LAST_DAY_UPDATED', '') +
      aliases('INDIVIDUAL_ALIAS', person.aliases) +
      branch('INDIVIDUAL_ADDRESS', empty('COUNTRY', INNER), FIELD) +
      branch('INDIVIDUAL_DATE_OF_BIRTH', leaf('TYPE_OF_DATE', 'APPROXIMATELY', INNER) + leaf('YEAR', '1970', INNER), FIELD) +
      branch('INDIVIDUAL_PLACE_OF_BIRTH', empty('COUNTRY', INNER), FIELD) +
      empty('INDIVIDUAL_DOCUMENT') +
      sortKeys,
    '    ',
  );

/** UN Security Council: `GET /consolidated.xml`, regenerated every night at 23:00 UTC, changed or not. */
export const unConsolidatedSimulator: Simulator = {
  name: 'UN_CONSOLIDATED',
  handle({ path, now }) {
    if (path !== '/consolidated.xml')
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><title>404</title></html>' };
    const generated = startOfDay(now) - DAY_MS + 23 * HOUR_MS;
    return fileReply(
      'application/xml',
      {
        format: 'xml',
        rows: [...unIndividuals.map(individualRecord), ...unEntities.map(entityRecord)],
        frame: (records) => consolidatedXml(new Date(generated).toISOString(), records),
        renameRequired: (text) => text.replaceAll('DATAID>', 'RECORDID>'),
        charset: 'utf-8',
      },
      generated,
    );
  },
};

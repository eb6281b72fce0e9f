import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { isoDate } from '../../../src/domain/time.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { startOfDay } from '../../world/calendar.ts';
import { foreignCompanyByScenario } from '../../world/foreign-companies.ts';
import { fileReply, type Simulator } from '../simulator.ts';

interface EuName {
  readonly whole: string;
  readonly language: string;
  readonly strong: boolean;
  readonly remark?: string;
}

interface EuId {
  readonly type: string;
  readonly number: string;
  /** ISO code; `00` for an unknown country. */
  readonly country: string;
  readonly isFalse?: boolean;
}

/** A party of the fictional list. */
export interface EuListed {
  readonly id: number;
  readonly kind: 'person' | 'enterprise';
  readonly programme: string;
  readonly names: readonly EuName[];
  /** Code and name of the country of each address. */
  readonly addresses?: readonly (readonly [code: string, name: string])[];
  readonly ids?: readonly EuId[];
  /** Date of birth, complete or a year. */
  readonly birth?: string;
  readonly citizenship?: readonly [code: string, name: string];
}

const strong = (whole: string, language = 'EN'): EuName => ({ whole, language, strong: true });
const weak = (whole: string): EuName => ({ whole, language: '', strong: false, remark: 'low quality' });

const builder = companyByScenario('clean-builder');
const macondo = foreignCompanyByScenario('co-clean');
const BRAZIL = ['BR', 'BRAZIL'] as const;
const RUSSIA = ['RU', 'RUSSIAN FEDERATION'] as const;
const UNKNOWN = ['00', 'UNKNOWN'] as const;

/** The fictional list, in the order of the file. */
export const euParties: readonly EuListed[] = [
  {
    id: 990_001,
    kind: 'enterprise',
    programme: 'FICT',
    names: [strong(builder.name, 'PT'), strong('CASTELO DE AREIA S.A.')],
    addresses: [BRAZIL],
    ids: [{ type: 'fiscalcode', number: formatCnpj(builder.cnpj), country: 'BR' }],
  },
  {
    id: 990_002,
    kind: 'enterprise',
    programme: 'FICT',
    names: [weak('LUNA'), strong(macondo.name, 'ES')],
    addresses: [['CO', 'COLOMBIA']],
    // The list itself states that the id is not the party's.
    ids: [{ type: 'taxid', number: macondo.taxId, country: 'CO', isFalse: true }],
  },
  {
    id: 990_003,
    kind: 'enterprise',
    programme: 'RUSFICT',
    names: [strong('Vydumka Trading & Co'), strong('ООО «Выдумка»', 'RU')],
    addresses: [RUSSIA, UNKNOWN],
    ids: [
      { type: 'fiscalcode', number: '9900000031', country: 'RU' },
      { type: 'regnumber', number: '9990000000031', country: 'RU' },
    ],
  },
  {
    id: 990_004,
    kind: 'enterprise',
    programme: 'RUSFICT',
    names: [strong(companyByScenario('clean-sa-closed').name)],
    addresses: [UNKNOWN],
  },
  {
    id: 990_010,
    kind: 'person',
    programme: 'RUSFICT',
    names: [strong('Ivan Vydumanny'), strong('Иван Выдуманный', 'RU')],
    ids: [{ type: 'passport', number: 'ZZ000003', country: 'RU' }],
    birth: '1960-01-04',
    citizenship: RUSSIA,
  },
  {
    id: 990_011,
    kind: 'person',
    programme: 'FICT',
    names: [strong('Fulano De Tal'), strong('Neusa Da Silva Inventada')],
    birth: '1971',
    citizenship: BRAZIL,
  },
];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Writes an element with attributes. */
function element(name: string, attributes: Readonly<Record<string, string>>, children = ''): string {
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return children ? `<${name}${all.join('')}>${children}</${name}>` : `<${name}${all.join('')}/>`;
}

const country = ([code, name]: readonly [string, string]) => ({ countryIso2Code: code, countryDescription: name });

function names({ id, names: all }: EuListed): readonly string[] {
  return all.map(({ whole, language, strong: isStrong, remark }, i) =>
    element(
      'nameAlias',
      {
        firstName: '',
        middleName: '',
        lastName: '',
        wholeName: whole,
        function: '',
        gender: '',
        title: '',
        nameLanguage: language,
        strong: String(isStrong),
        logicalId: String(id * 10 + i),
      },
      remark ? `<remark>${remark}</remark>` : '',
    ),
  );
}

const idElement = ({ type, number, country: code, isFalse = false }: EuId): string =>
  element('identification', {
    diplomatic: 'false',
    knownExpired: 'false',
    knownFalse: String(isFalse),
    reportedLost: 'false',
    revokedByIssuer: 'false',
    issuedBy: '',
    latinNumber: '',
    nameOnDocument: '',
    number,
    region: '',
    countryIso2Code: code,
    countryDescription: '',
    identificationTypeCode: type,
    identificationTypeDescription: '',
  });

function birthElement(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const isComplete = day !== '';
  return element('birthdate', {
    circa: 'false',
    calendarType: 'GREGORIAN',
    birthdate: isComplete ? date : '',
    dayOfMonth: day,
    monthOfYear: month,
    year,
    countryIso2Code: '00',
    countryDescription: 'UNKNOWN',
  });
}

function entityElement(party: EuListed): string {
  const { id, kind, programme, addresses = [], ids = [], birth, citizenship } = party;
  const children = [
    element(
      'regulation',
      {
        regulationType: 'regulation',
        organisationType: 'council',
        publicationDate: '2024-02-02',
        entryIntoForceDate: '2024-02-02',
        numberTitle: '2024/901 (OJ L 901)',
        programme,
      },
      '<publicationUrl>https://example.invalid/1</publicationUrl>',
    ),
    element('subjectType', { code: kind, classificationCode: kind === 'person' ? 'P' : 'E' }),
    ...names(party),
    ...addresses.map((one) => element('address', { city: '', street: '', zipCode: '', ...country(one) })),
    ...ids.map(idElement),
    ...(birth ? [birthElement(birth)] : []),
    ...(citizenship ? [element('citizenship', { region: '', ...country(citizenship) })] : []),
  ];
  const attributes = { designationDetails: '', unitedNationId: '', euReferenceNumber: `EU.${id}.1`, logicalId: String(id) };
  return ` ${element('sanctionEntity', attributes, children.map((child) => `\n  ${child}`).join(''))}\n`;
}

/** Writes the list. @param on ISO date */
const euXml = (entities: readonly string[], on: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="${on}T00:00:00.000+02:00" globalFileId="1">\n${entities.join('')}</export>\n`;

/** Writes the list of these parties. @param on ISO date */
export const euFile = (parties: readonly EuListed[], on: string): string => euXml(parties.map(entityElement), on);

/** The financial sanctions files of the Commission: `GET /xmlFullSanctionsList_1_1.xml`, generated every night. */
export const euConsolidatedSimulator: Simulator = {
  name: 'EU_CONSOLIDATED',
  handle({ path, now }) {
    if (path !== '/xmlFullSanctionsList_1_1.xml') return { status: 404, body: '' };
    const version = startOfDay(now);
    return fileReply(
      'application/xml',
      {
        format: 'xml',
        rows: euParties.map(entityElement),
        frame: (entities) => euXml(entities, isoDate(version)),
        renameRequired: (text) => text.replaceAll('nameAlias', 'alias'),
        charset: 'utf-8',
      },
      version,
    );
  },
};

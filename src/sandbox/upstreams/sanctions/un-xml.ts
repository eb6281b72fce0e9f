import type { UnEntity, UnIndividual } from './un-parties.ts';
import { branch, leaf } from './xml.ts';

/** The list around its records: people first, then entities. `generatedAt` is an ISO instant. */
export const consolidatedXml = (generatedAt: string, records: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CONSOLIDATED_LIST xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://www.un.org/sc/resources/sc-sanctions.xsd" dateGenerated="${generatedAt}">
  <INDIVIDUALS>
${records.filter((record) => record.startsWith('    <INDIVIDUAL>')).join('')}  </INDIVIDUALS>
  <ENTITIES>
${records.filter((record) => record.startsWith('    <ENTITY>')).join('')}  </ENTITIES>
</CONSOLIDATED_LIST>
`;

/** Elements that are there, empty, where there is nothing to say. */
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

/** A placeholder stands where there is no alias. */
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
      branch('INDIVIDUAL_DATE_OF_BIRTH', leaf('TYPE_OF_DATE', 'EXACT', INNER) + leaf('YEAR', '1970', INNER), FIELD) +
      branch('INDIVIDUAL_PLACE_OF_BIRTH', empty('COUNTRY', INNER), FIELD) +
      empty('INDIVIDUAL_DOCUMENT') +
      sortKeys,
    '    ',
  );

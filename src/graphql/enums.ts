import { registerEnumType } from 'type-graphql';
import { MIRRORS, MODULE_DESCRIPTIONS, SOURCES } from '../domain/catalogue.ts';
import type { Country, RegisterAbsence, RegistrationStatus } from '../domain/company.ts';
import type { Language } from '../messages/message.ts';

/**
 * Defines a GraphQL enum from domain values and their descriptions: `not_found` becomes `NOT_FOUND` and resolves to `not_found`.
 * Pass the returned object to `@Field`.
 */
export function defineEnum<W extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<W, string>>,
): Readonly<Record<string, W>> {
  const all = Object.keys(descriptions) as W[];
  const values = Object.fromEntries(all.map((value) => [value.toUpperCase(), value]));
  const valuesConfig = Object.fromEntries(all.map((value) => [value.toUpperCase(), { description: descriptions[value] }]));
  registerEnumType(values, { name, description, valuesConfig });
  return values;
}

export const CountryEnum = defineEnum<Country>('Country', 'Country in which a company is registered, ISO 3166-1 alpha-2.', {
  BR: 'Brazil: CNPJ.',
  CL: 'Chile: RUT.',
  CO: 'Colombia: NIT.',
});

export const ModuleEnum = defineEnum('Module', 'A permission that a key can have.', MODULE_DESCRIPTIONS);

export const SourceNameEnum = defineEnum('SourceName', 'An upstream, by name.', SOURCES);

export const RegistryMirrorEnum = defineEnum('RegistryMirror', 'A mirror of the Brazilian tax registry.', MIRRORS);

export const LanguageEnum = defineEnum<Language>('Language', 'Language of texts for people.', {
  en: 'English.',
  es: 'Spanish.',
  pt: 'Portuguese.',
});

export const RegistrationStatusEnum = defineEnum<RegistrationStatus>('RegistrationStatus', 'Registration status at the tax registry.', {
  active: 'Registered and active.',
  inactive: 'Registered, but closed, suspended, unfit, void or never started.',
  not_found: 'The registry has no such company.',
});

export const RegisterAbsenceEnum = defineEnum<RegisterAbsence>(
  'RegisterAbsence',
  'Reason for which the commercial register of Colombia has no record of a company.',
  {
    not_in_register:
      'No chamber of commerce has a registration under this NIT, at the date of the data. The state, consortia and temporary unions, condominiums, churches, unions and bodies that a ministry registers never register there, so the company may exist.',
    not_registered: 'Chambers of commerce know this NIT and state that it is not registered (NO MATRICULADO).',
    natural_person: 'A NIT of fewer than nine digits beside the check digit is that of a natural person, about whom nothing is shown.',
  },
);

export const ListCompletenessEnum = defineEnum<'complete' | 'partial'>(
  'ListCompleteness',
  'Completeness of a list that is read in pages.',
  {
    complete: 'The list has every item that the source has.',
    partial: 'Items may be missing; `reason` says why.',
  },
);

export const ListingStatusEnum = defineEnum('ListingStatus', 'State of a listing.', {
  active: 'In force.',
  ended: 'Its end date has passed; it still counts.',
});

export const CnpjMatchKindEnum = defineEnum('CnpjMatchKind', 'The part of the CNPJ that a record matches.', {
  cnpj: 'It names the requested establishment.',
  root: 'It names another branch of the same legal person.',
});

import { registerEnumType } from 'type-graphql';
import { COUNTRIES } from '../domain/company.ts';
import { SOURCE_NAMES } from '../domain/source-names.ts';

/** Words of the domain → a GraphQL enum object: `not_found` becomes `NOT_FOUND`, its value stays. */
export const enumOf = <W extends string>(words: readonly W[]): Readonly<Record<string, W>> =>
  Object.fromEntries(words.map((word) => [word.toUpperCase(), word]));

export const CountryEnum = enumOf(COUNTRIES);
registerEnumType(CountryEnum, {
  name: 'Country',
  description: 'Where a company is registered, ISO 3166-1 alpha-2.',
  valuesConfig: { BR: { description: 'Brazil: CNPJ.' }, CL: { description: 'Chile: RUT.' }, CO: { description: 'Colombia: NIT.' } },
});

export const SourceNameEnum = enumOf(SOURCE_NAMES);
registerEnumType(SourceNameEnum, {
  name: 'SourceName',
  description: 'An upstream, by name.',
  valuesConfig: {
    RECEITA_FEDERAL: { description: 'Brazilian tax registry, asked live.' },
    CEIS: { description: 'Brazil: companies barred from public contracts.' },
    CNEP: { description: 'Brazil: penalties of the anti-corruption law.' },
    TRABALHO_ESCRAVO: { description: 'Brazil: employers found using labour analogous to slavery.' },
    OFAC_SDN: { description: 'US Treasury: Specially Designated Nationals.' },
    UN_CONSOLIDATED: { description: 'UN Security Council: consolidated list.' },
  },
});

export const ListingStatusEnum = enumOf(['active', 'ended'] as const);
registerEnumType(ListingStatusEnum, {
  name: 'ListingStatus',
  description: 'Whether a listing is in force.',
  valuesConfig: { ACTIVE: { description: 'In force.' }, ENDED: { description: 'Its end date has passed; it still counts.' } },
});

export const CnpjMatchKindEnum = enumOf(['cnpj', 'root'] as const);
registerEnumType(CnpjMatchKindEnum, {
  name: 'CnpjMatchKind',
  description: 'How a record belongs to the company asked for.',
  valuesConfig: {
    CNPJ: { description: 'It names this very establishment.' },
    ROOT: { description: 'It names another branch of the same legal person.' },
  },
});

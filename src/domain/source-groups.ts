import type { SourceName } from './catalogue.ts';
import type { Country } from './company.ts';

/** A group of sources on a page for people: those of a country, the international lists, or the services of the internet. */
export type SourceGroup = Country | 'INTERNATIONAL' | 'INTERNET';

/** The groups in the order in which a page shows them. */
export const SOURCE_GROUPS: readonly SourceGroup[] = ['BR', 'CL', 'CO', 'INTERNATIONAL', 'INTERNET'];

/** The group of each source. The file imports types alone, because the dashboard loads it, too. */
const GROUP_OF: Readonly<Record<SourceName, SourceGroup>> = {
  receita_federal: 'BR',
  sii: 'CL',
  cl_ownership: 'CL',
  rues: 'CO',
  TAX_DEBTORS_CL: 'CL',
  mercadopublico: 'CL',
  pncp: 'BR',
  secopii: 'CO',
  rdap: 'BR',
  dns: 'INTERNET',
  website: 'INTERNET',
  known_domains: 'INTERNET',
  CEIS: 'BR',
  CNEP: 'BR',
  CEPIM: 'BR',
  TCU_INIDONEOS: 'BR',
  BCB_PROIBIDOS: 'BR',
  ACORDO_LENIENCIA: 'BR',
  MULTAS_SECOP_I: 'CO',
  MULTAS_SECOP_II: 'CO',
  TRABALHO_ESCRAVO: 'BR',
  OFAC_SDN: 'INTERNATIONAL',
  OFAC_NON_SDN: 'INTERNATIONAL',
  UN_CONSOLIDATED: 'INTERNATIONAL',
  EU_CONSOLIDATED: 'INTERNATIONAL',
  UK_SANCTIONS: 'INTERNATIONAL',
  WORLD_BANK_DEBARRED: 'INTERNATIONAL',
};

const BY_CODE = new Map(Object.entries(GROUP_OF).map(([code, group]) => [code.toUpperCase(), group]));

/**
 * Returns the group of a source.
 * @param code its code in any case. A source of a newer release is shown with those of no country.
 */
export const sourceGroupOf = (code: string): SourceGroup => BY_CODE.get(code.toUpperCase()) ?? 'INTERNET';

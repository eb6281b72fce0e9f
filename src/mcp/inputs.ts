import { z } from 'zod';
import { ALL_SANCTIONS_LISTS } from '../domain/catalogue.ts';
import { COUNTRIES } from '../domain/company.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../domain/paging.ts';
import { LIMITS } from '../graphql/limits.ts';
import { activityCode, flag, identifier, legalNatureCode, searchText, wholeNumber } from '../rest/fields.ts';

/** Inputs that several tools share. All are bounded. */

export const country = z.enum(COUNTRIES);
export const optionalCountry = country.optional().describe('Detected from the form of the tax id when omitted');
export const first = wholeNumber(z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE)).describe('Items of a page');
export const after = z.string().min(1).max(500).optional();
export const nextPage = after.describe('`pageInfo.endCursor` of the page before');
export const identifiers = z.array(identifier).min(1).max(LIMITS.listItems);
export const date = z.iso.date().optional();
export const asOf = date.describe(
  'YYYY-MM-DD; today when omitted. BR: by the last extract of the registry up to this day; CL, owners only: by the last yearly file of owners',
);

/** Lists to compare names with. */
export const sanctionsLists = z
  .array(z.enum(ALL_SANCTIONS_LISTS))
  .min(1)
  .max(20)
  .optional()
  .describe('By default OFAC_SDN, UN_CONSOLIDATED and those that the account has chosen');

/** Words to search for. */
export const words = (max: number) => searchText(z.string().trim().min(1).max(max));

/** Conditions of the search by name. */
export const companyFilter = z.strictObject({
  status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  state: z.string().max(2).optional().describe('UF, e.g. SP'),
  municipality: z.string().max(60).optional(),
  activity: activityCode(z.string().max(10)).optional().describe('First 2 to 7 digits of the CNAE'),
  legalNature: legalNatureCode(z.string().max(5)).optional(),
  size: z.enum(['MICRO', 'SMALL', 'OTHER']).optional(),
  openedFrom: date.describe('YYYY-MM-DD, inclusive'),
  openedTo: date.describe('YYYY-MM-DD, inclusive'),
  isHeadOffice: flag(z.boolean()).optional(),
});

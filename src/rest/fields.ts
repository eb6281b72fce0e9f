import { z } from 'zod';
import { REGISTRATION_STATUSES } from '../domain/company.ts';
import { MAX_TAX_ID_TEXT } from '../domain/tax-id.ts';

/** Shapes of fields that several endpoints share. */

export const identifier = z
  .string('Give the tax id as text.')
  .trim()
  .min(1, 'Give a tax id.')
  .max(MAX_TAX_ID_TEXT, 'A tax id is shorter than this.')
  .describe('Tax id; punctuation, blanks and letter case are ignored');

export const country = z
  .string('Give the country as text: BR, CL or CO.')
  .trim()
  .length(2, 'Give the country as two letters, e.g. BR.')
  .transform((text) => text.toUpperCase())
  .describe('ISO 3166-1 alpha-2');

export const registrationStatus = z.enum(REGISTRATION_STATUSES);

/** `YYYY-MM-DD` or null. */
export const dateOrNull = z.iso.date().nullable();
export const datetime = z.iso.datetime({ offset: true }).describe('ISO 8601 with a numeric UTC offset, whole seconds');

export const pageSize = z
  .string()
  .regex(/^([1-9]\d?|100)$/, 'Give a number from 1 to 100.')
  .default('100')
  .describe('Items per page, 1 to 100');

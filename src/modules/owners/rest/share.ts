import { z } from 'zod';
import { dateOrNull } from '../../../rest/fields.ts';
import { type OwnershipShare, SHARE_BASES, type ShareBasis } from '../domain/share.ts';

/** The share of an owner in a company. */
export const shareReply = z
  .object({
    percent: z.string().nullable().describe('Percentage as a decimal; null if it is not known'),
    basis: z.enum(Object.keys(SHARE_BASES) as [ShareBasis, ...ShareBasis[]]),
    as_of: dateOrNull.describe('Date of the file that states it'),
    source: z.string().nullable(),
    declared_text: z
      .string()
      .optional()
      .describe(
        'Text of the share in the file if it is no percentage of 0 to 100: the reason for `not_declared`. Absent for another reason',
      ),
  })
  .meta({ id: 'OwnershipShare' });

export const toShareReply = ({ percent, basis, asOf, source, declaredText }: OwnershipShare): z.input<typeof shareReply> => ({
  percent,
  basis,
  as_of: asOf,
  source,
  ...(declaredText !== undefined && { declared_text: declaredText }),
});

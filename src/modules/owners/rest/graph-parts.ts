import { z } from 'zod';
import { dateOrNull, wholeNumber } from '../../../rest/fields.ts';
import { GAP_REASONS, type GapReason, GROUP_DIRECTIONS, type GraphGap, type OwnershipEdge } from '../domain/graph.ts';
import type { ProbableIdentity } from '../domain/path.ts';
import { shareReply, toShareReply } from './share.ts';

/** Shapes that the endpoints of the company graph share. */

export const cnpj = z.string().describe('Bare CNPJ or RUT');
export const companyName = z.string().nullable();

/** The schema of the names of a record. */
export const namesOf = <T extends string>(words: Readonly<Record<T, string>>) => z.enum(Object.keys(words) as [T, ...T[]]);

const WRONG_DEPTH = 'Give a depth from 1 to 10.';
export const groupDepth = wholeNumber(z.int().min(1, WRONG_DEPTH).max(10, WRONG_DEPTH).default(3)).describe('Levels to follow');
export const groupDirection = z.enum(GROUP_DIRECTIONS).default('both').describe('up: to its owners; down: to the companies that it owns');

export const edgeReply = z
  .object({ owner: cnpj, owned: cnpj, role: z.string(), since: dateOrNull, share: shareReply.optional().describe('CL only') })
  .meta({ id: 'OwnershipEdge' });

export const toEdgeReply = ({ share, ...edge }: OwnershipEdge): z.input<typeof edgeReply> => ({
  ...edge,
  ...(share && { share: toShareReply(share) }),
});

export const gapReply = z
  .object({
    reason: namesOf<GapReason>(GAP_REASONS),
    count: z.int().describe('Number of companies, owners or lines, as far as known; 0 if unknown'),
    companies: z.array(cnpj).describe('Companies at which the graph stops, at most 10'),
  })
  .meta({ id: 'GraphGap' });

export const toGapReply = ({ companies, ...gap }: GraphGap): z.input<typeof gapReply> => ({ ...gap, companies: [...companies] });

export const identityReply = z
  .object({
    identifier: z.string().describe('Masked CPF'),
    name: z.string().describe('Normalised name'),
    namesakes: z.int().describe('Different masked CPFs in the registry with this name and the region of this CPF'),
    expected_others: z.number().describe('Expected number of other people with this name and the same visible digits'),
  })
  .meta({ id: 'ProbableIdentity' });

export const toIdentityReply = ({ identifier, name, namesakes, expectedOthers }: ProbableIdentity): z.input<typeof identityReply> => ({
  identifier,
  name,
  namesakes,
  expected_others: expectedOthers,
});

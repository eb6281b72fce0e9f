import { z } from 'zod';
import { type Language, translated } from '../../../messages/message.ts';
import { companyRoute } from '../../../rest/company-route.ts';
import { dateOrNull, datetime } from '../../../rest/fields.ts';
import { type ContractFine, type ContractFines, FINE_LISTS } from '../domain/contract-fines.ts';
import { contractFinesLoader } from '../loaders/contract-fines.ts';

const fineReply = z
  .object({
    source: z.enum(FINE_LISTS),
    entity: z.string().describe('The public body'),
    entity_tax_id: z.string().nullable().describe('NIT of the public body, as printed'),
    kind: z.string().nullable().describe('Word of the publisher, such as `Multa`; null on SECOP I, which states none'),
    amount: z.number().nullable().describe('COP; 0 is printed at times'),
    resolution: z.string().nullable().describe('Number of the resolution or act'),
    date: dateOrNull.describe('SECOP I: when the fine became final, else when it was published; SECOP II: when it was imposed'),
    contract: z.string().nullable().describe('Number of the contract'),
    process_id: z.string().nullable().describe('SECOP II only'),
    process_url: z.string().nullable(),
    is_historical: z.boolean().describe('True if the date is more than five years ago'),
  })
  .meta({ id: 'ContractFine' });

/** The result of the check, without the request. */
export const contractFinesReply = z.object({
  is_debarred: z.literal(false).describe('Always false: a contract fine is no ban'),
  records: z.array(fineReply).describe('Newest first'),
  sources_checked: z.array(z.enum(FINE_LISTS)).describe('Lists that were read: both, unless one failed and the other has a record'),
  names_compared: z
    .boolean()
    .optional()
    .describe(
      'True if the names of the company in the commercial register were compared with those of the unassigned fines, and none is similar; otherwise, also for a company that is not in the register, a fine may be missing',
    ),
  unassigned_fines: z.int().describe('Number of fines on these lists that cannot be assigned to any company'),
  coverage: z.string().describe('A sentence on the coverage of the lists'),
});

const toFineReply = (fine: ContractFine): z.input<typeof fineReply> => ({
  source: fine.source,
  entity: fine.entity,
  entity_tax_id: fine.entityTaxId,
  kind: fine.kind,
  amount: fine.amount,
  resolution: fine.resolution,
  date: fine.date,
  contract: fine.contract,
  process_id: fine.processId,
  process_url: fine.processUrl,
  is_historical: fine.isHistorical,
});

export const toContractFinesReply = (value: ContractFines, language: Language): z.input<typeof contractFinesReply> => ({
  is_debarred: value.isDebarred,
  records: value.records.map(toFineReply),
  sources_checked: [...value.sourcesChecked],
  names_compared: value.namesCompared,
  unassigned_fines: value.unassignedFines,
  coverage: translated(value.coverage, language),
});

/**
 * POST /v1/contract-fines: fines of SECOP I and SECOP II. The reply for an unknown NIT is 200 without records. 422 for a malformed identifier
 * or another country; 503 when a list cannot be read, or may have a fine of the company under a number that cannot be read.
 */
export const contractFinesRoute = companyRoute({
  path: '/v1/contract-fines',
  operationId: 'checkContractFines',
  summary:
    'Fines that Colombian public bodies imposed on a contractor (SECOP I and SECOP II). A fine is no ban, and few fines are published.',
  loader: contractFinesLoader,
  reply: z.object({ identifier: z.string(), country: z.string(), ...contractFinesReply.shape, checked_at: datetime }),
  toReply: ({ value }, { identifier, country, checkedAt, language }) => ({
    identifier,
    country,
    ...toContractFinesReply(value, language),
    checked_at: checkedAt,
  }),
});

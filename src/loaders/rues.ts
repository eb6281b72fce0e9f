import { z } from 'zod';
import type { Found } from '../domain/answer.ts';
import { chunksOf } from '../domain/chunks.ts';
import { type CompanyKey, companyKeyText, REGISTER_ABSENCES } from '../domain/company.ts';
import { HOUR_MS } from '../domain/time.ts';
import { RUES_COMPANY, type RuesFinding } from '../sources/rues/company.ts';
import { NITS_PER_CALL, rues } from '../sources/rues/rues.ts';
import { answered } from './copy-facts.ts';
import type { FetchingLoader } from './loader.ts';

/**
 * CompanyKey (CO) → its record in the commercial register, one call per 100 companies. Its date is that of the data set. The register
 * publishes weeks after the fact, so a record is used for 24 h; an absence for 1 h, because new companies appear.
 */
export const ruesLoader: FetchingLoader<CompanyKey, RuesFinding> = {
  name: 'rues',
  key: companyKeyText,
  cache: {
    ttlMs: ({ record }) => (record ? 24 : 1) * HOUR_MS,
    maxStaleAgeMs: ({ record }) => (record ? 24 : 1) * HOUR_MS,
  },
  schema: z.union([
    z.object({ record: RUES_COMPANY, absence: z.null() }),
    z.object({ record: z.null(), absence: z.enum(REGISTER_ABSENCES) }),
  ]),
  batch: (keys, use) =>
    chunksOf(keys, NITS_PER_CALL).flatMap((chunk) => {
      const answer = use(rues).companies(chunk.map(({ taxId }) => taxId));
      return chunk.map(async (_, i): Promise<Found<RuesFinding>> => {
        const { dataAsOf, findings } = await answer;
        return { value: answered('rues', findings[i]), dataAsOf };
      });
    }),
};

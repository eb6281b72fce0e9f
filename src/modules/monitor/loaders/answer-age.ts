import type { CompanyKey } from '../../../domain/company.ts';
import type { Load } from '../../../loaders/loader.ts';
import { taxpayerLoader } from '../../../loaders/taxpayer.ts';
import type { AnswerAge } from '../domain/extract.ts';

const UNKNOWN: AnswerAge = { extractedOn: null, publishedOn: null, isAwaited: false };

/**
 * Returns the age of the answer about a company. Only the registry of Brazil has mirrors with extracts of their own. The second one states the
 * day on which it published its copy, the others state the day of the extract.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export async function answerAge(company: CompanyKey, load: Load): Promise<AnswerAge> {
  if (company.country !== 'BR') return UNKNOWN;
  const { value, freshness } = await load(taxpayerLoader, company);
  if (value.source !== 'receita_federal' || value.mirror === null) return UNKNOWN;
  if (value.mirror !== 'opencnpj') return { ...UNKNOWN, extractedOn: freshness.dataAsOf };
  return { ...UNKNOWN, publishedOn: value.standsIn ? freshness.dataAsOf : null, isAwaited: value.isDateAwaited ?? false };
}

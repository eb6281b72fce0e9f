import { type Answer, oldest } from '../../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../../domain/company.ts';
import { compositionLoader } from '../../../loaders/cl-ownership.ts';
import type { Load, Offered } from '../../../loaders/loader.ts';
import { type BeneficialOwners, beneficialOwners } from '../domain/beneficial.ts';
import { chileanBeneficialOwners } from '../domain/chile-beneficial.ts';
import type { Owner } from '../domain.ts';
import { ownersLoader } from '../loader.ts';
import { chileanKey } from './chile-records.ts';
import { PARTNER_ROLE } from './declared.ts';
import { GRAPH_COUNTRIES, ownershipGraphLoader } from './upwards.ts';

export interface BeneficialOwnersKey {
  readonly company: CompanyKey;
  /** Percentage, 0 to 100. */
  readonly minShare: number;
}

/** Levels of owners that are followed, the maximum of a graph. */
const DEPTH = 10;

/**
 * BeneficialOwnersKey (BR, CL) → the natural persons at the ends of the paths of owners; null when the registry has no such company. The
 * companies are those of the ownership graph, whose owners are read once.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const beneficialOwnersLoader: Offered<BeneficialOwnersKey, BeneficialOwners | null> = {
  name: 'beneficial_owners',
  module: 'owners',
  key: ({ company, minShare }) => `${companyKeyText(company)}:${minShare}`,
  counts: (owners) => owners !== null,
  async answer({ company, minShare }, load) {
    if (requireCountry(company.country, GRAPH_COUNTRIES, 'Beneficial ownership') === 'CL') return ofChile(company, load);
    const { value: graph, freshness } = await load(ownershipGraphLoader, { company, depth: DEPTH });
    if (!graph) return { value: null, freshness };
    const answers = await Promise.allSettled(graph.nodes.map(({ taxId }) => load(ownersLoader, { country: 'BR', taxId })));
    const known = answers.flatMap((answer, i): (readonly [string, readonly Owner[]])[] => {
      const owners = answer.status === 'fulfilled' ? answer.value.value?.owners : undefined;
      return owners ? [[graph.nodes[i]?.taxId ?? '', owners]] : []; // the graph names those that could not be read
    });
    const ages = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.freshness] : []));
    return { value: beneficialOwners(graph, new Map(known), minShare), freshness: oldest([freshness, ...ages]) };
  },
};

/** The minimum share leaves out no aggregate, because a person may belong to several of them. */
async function ofChile(company: CompanyKey, load: Load): Promise<Answer<BeneficialOwners | null>> {
  const { value: graph, freshness } = await load(ownershipGraphLoader, { company, depth: DEPTH });
  if (!graph) return { value: null, freshness };
  const answers = await Promise.allSettled(graph.nodes.map(({ taxId }) => load(compositionLoader, chileanKey(taxId))));
  const known = answers.flatMap((answer, i) =>
    answer.status === 'fulfilled' && answer.value.value.status !== 'not_published'
      ? [[graph.nodes[i]?.taxId ?? '', answer.value.value] as const]
      : [],
  );
  return { value: chileanBeneficialOwners(graph, new Map(known), { asOf: freshness.dataAsOf, role: PARTNER_ROLE }), freshness };
}

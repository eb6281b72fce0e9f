import { derive } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { domainOwnerLoader, requireOwner } from '../../../loaders/domain-owner.ts';
import type { Offered } from '../../../loaders/loader.ts';
import type { DomainKey } from '../../../sources/domains/domain.ts';

/**
 * DomainKey (.cl, .br) → the company behind it: the first half of a question about its tenders, which counts as a whole.
 * @throws AppError DOMAIN_NOT_RESOLVED, SOURCE_UNAVAILABLE
 */
export const supplierByDomainLoader: Offered<DomainKey, CompanyKey> = {
  name: 'supplier_by_domain',
  module: 'tenders',
  key: ({ domain, start }) => [domain, start].join(' '),
  counts: () => false,
  async answer(domain, load) {
    return derive(await load(domainOwnerLoader, domain), requireOwner);
  },
};

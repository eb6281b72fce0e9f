import { derive } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { brazilianRoot, copyLoader, unreadCompany } from '../../../loaders/registry-copy.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { isActive, REGISTRATIONS } from '../../../sources/receita-federal/company.ts';
import { type RegistryBranch, type RegistryBranches, readBranches } from '../../../sources/receita-federal/copy/branches.ts';
import type { Branch, Branches, BranchStatus } from '../domain/branch.ts';

/** Request for a page of the branches of a company. */
export interface BranchesRequest {
  readonly company: CompanyKey;
  readonly first: number;
  /** Number of the establishment after which the page begins, four characters; null for the first page. */
  readonly after: string | null;
  /** Status of the branches; null for all. */
  readonly status: BranchStatus | null;
}

interface RootRequest extends Omit<BranchesRequest, 'company'> {
  readonly root: string;
}

const rootRequestKey = ({ root, first, after, status }: RootRequest): string => [root, first, after ?? '', status ?? ''].join(' ');

const codesOf = (status: BranchStatus | null): readonly number[] | null =>
  status &&
  Object.entries(REGISTRATIONS)
    .filter(([, registration]) => isActive(registration) === (status === 'active'))
    .map(([code]) => Number(code));

const registryBranches: FetchingLoader<RootRequest, RegistryBranches> = copyLoader({
  name: 'receita_branches',
  key: rootRequestKey,
  read: (copy, keys) =>
    readBranches(
      copy,
      keys.map(({ root, first, after, status }) => ({ root, first, after, statuses: codesOf(status) })),
    ),
});

const rootRequest = ({ company, ...page }: BranchesRequest): RootRequest => ({
  root: brazilianRoot(company, 'The list of branches'),
  ...page,
});

/**
 * BranchesRequest (BR) → a page of the branches of the company, or of its head office if it is a branch itself. All pages of a tick are one
 * statement. A page of a company that the registry does not have is not counted.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const branchesLoader: Offered<BranchesRequest, Branches> = {
  name: 'branches',
  module: 'kyb',
  key: (request) => rootRequestKey(rootRequest(request)),
  counts: ({ companyKnown, items }) => companyKnown || items.length > 0,
  async answer(request, load) {
    return derive(await load(registryBranches, rootRequest(request)), toBranches);
  },
};

function toBranches({ items, hasMore, isKnown, isUnread }: RegistryBranches): Branches {
  if (!isKnown && isUnread) throw unreadCompany();
  return { items: items.map(toBranch), hasMore, companyKnown: isKnown, reason: isUnread ? companyMessages.unreadBranches() : null };
}

const toBranch = ({
  cnpj,
  tradeName,
  registration,
  registrationSince,
  openedOn,
  activity,
  state,
  municipality,
}: RegistryBranch): Branch => ({
  taxId: cnpj,
  tradeName,
  status: isActive(registration) ? 'active' : 'inactive',
  statusText: registration,
  statusSince: registrationSince,
  openedOn,
  mainActivity: activity,
  municipality,
  region: state,
});

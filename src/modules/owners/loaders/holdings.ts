import { derive } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { brazilianRoot, copyLoader } from '../../../loaders/registry-copy.ts';
import { isActive } from '../../../sources/receita-federal/company.ts';
import { type RegistryHolding, type RegistryHoldings, readHoldings } from '../../../sources/receita-federal/copy/holdings.ts';
import { type Holding, type HoldingCursor, type Holdings, unreadPartnersReason } from '../domain/holdings.ts';

/** Request for a page of the companies of which a company is an owner or officer. */
export interface HoldingsRequest {
  readonly company: CompanyKey;
  readonly first: number;
  readonly after: HoldingCursor | null;
}

/** Request by the root of the partner, so that the branches of a company share their pages. */
interface RootRequest extends Omit<HoldingsRequest, 'company'> {
  readonly root: string;
}

const rootRequestKey = ({ root, first, after }: RootRequest): string =>
  [root, first, after?.root, after?.role ?? '', after?.since ?? ''].join(' ');

const registryHoldings: FetchingLoader<RootRequest, RegistryHoldings> = copyLoader({
  name: 'receita_holdings',
  key: rootRequestKey,
  read: readHoldings,
});

const SUBJECT = 'The companies of an owner';

const rootRequest = ({ company, ...page }: HoldingsRequest): RootRequest => ({ root: brazilianRoot(company, SUBJECT), ...page });

/**
 * HoldingsRequest (BR) → a page of the companies of which the company is an owner or officer. All pages of a tick are one statement. A page
 * of a company that the registry does not have, and that owns nothing, is not counted.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const holdingsLoader: Offered<HoldingsRequest, Holdings> = {
  name: 'holdings',
  module: 'owners',
  key: (request) => rootRequestKey(rootRequest(request)),
  counts: ({ companyKnown, items }) => companyKnown || items.length > 0,
  async answer(request, load) {
    return derive(await load(registryHoldings, rootRequest(request)), toHoldings);
  },
};

const toHoldings = ({ items, hasMore, isKnown, unreadPartners }: RegistryHoldings): Holdings => ({
  items: items.map(toHolding),
  hasMore,
  companyKnown: isKnown,
  reason: unreadPartnersReason(unreadPartners),
});

const toHolding = ({ cnpj, name, registration, role, since, position }: RegistryHolding): Holding => ({
  taxId: cnpj,
  name,
  status: registration && (isActive(registration) ? 'active' : 'inactive'),
  role,
  since,
  position,
});

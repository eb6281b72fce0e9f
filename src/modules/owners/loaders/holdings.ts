import { derive } from '../../../domain/answer.ts';
import { type CompanyKey, type Country, readCompanyKey, requireCountry } from '../../../domain/company.ts';
import { isMaskedCpf } from '../../../domain/personal-ids.ts';
import { cnpjRoot } from '../../../domain/tax-id.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { brazilianRoot, copyLoader, unreadCompany } from '../../../loaders/registry-copy.ts';
import { isActive } from '../../../sources/receita-federal/company.ts';
import { type RegistryHolding, type RegistryHoldings, readHoldings } from '../../../sources/receita-federal/copy/holdings.ts';
import { readIdentities } from '../../../sources/receita-federal/copy/identity.ts';
import type { HoldingQuery } from '../../../sources/receita-federal/copy/store/holdings.ts';
import type { RegistryPerson } from '../../../sources/receita-federal/copy/store/namesakes.ts';
import type { DeclaredOwner } from '../domain/declared.ts';
import { type Holding, type HoldingCursor, type Holdings, missingRowsReason } from '../domain/holdings.ts';
import type { ProbableIdentity } from '../domain/path.ts';
import type { Owner } from '../domain.ts';
import { type ChileanHoldingsRequest, loadChileanHoldings } from './chile-holdings.ts';

/** Request for a page of the companies of which a company is an owner or officer. */
export interface HoldingsRequest {
  readonly company: CompanyKey;
  readonly first: number;
  readonly after: HoldingCursor | null;
}

/** Request for a page of the other companies of an owner of a company. */
export interface OtherCompaniesRequest extends HoldingsRequest {
  readonly owner: KnownOwner;
}

/** An owner whom the registry identifies: a company by its CNPJ, or a person by the masked CPF and the name. */
export type KnownOwner = { readonly taxId: string } | { readonly document: string; readonly name: string };

/** Returns the data by which other records of an owner are found; null if the registry has none. */
export function knownOwner(
  { entityType, identifier, name }: Pick<Owner | DeclaredOwner, 'entityType' | 'identifier' | 'name'>,
  country: Country,
): KnownOwner | null {
  if (identifier === null) return null;
  if (entityType === 'individual') return isMaskedCpf(identifier) && name.trim() !== '' ? { document: identifier, name } : null;
  const company = readCompanyKey(country, identifier);
  return 'problem' in company ? null : { taxId: company.taxId };
}

const queryKey = ({ partner, except, first, after }: HoldingQuery): string =>
  JSON.stringify([Object.values(partner), except, first, after && [after.root, after.role, after.since]]);

const registryHoldings: FetchingLoader<HoldingQuery, RegistryHoldings> = copyLoader({
  name: 'receita_holdings',
  key: queryKey,
  read: readHoldings,
});

const SUBJECT = 'The companies of an owner';

/** Countries in which the companies of an owner are known. */
export const HOLDING_COUNTRIES = ['BR', 'CL'] as const;

/** A query of the copy of Brazil, or of the file of Chile. */
type PageQuery = HoldingQuery | ChileanHoldingsRequest;

/** Creates a loader of a page of companies. A page of an unknown company that is empty is not counted. */
const pageLoader = <R>(name: string, queryOf: (request: R) => PageQuery): Offered<R, Holdings> => ({
  name,
  module: 'owners',
  key(request) {
    const query = queryOf(request);
    return 'owner' in query ? `CL ${query.owner} ${query.except} ${query.first} ${query.after?.root}` : queryKey(query);
  },
  counts: ({ companyKnown, items }) => companyKnown || items.length > 0,
  async answer(request, load) {
    const query = queryOf(request);
    return 'owner' in query ? loadChileanHoldings(query, load) : derive(await load(registryHoldings, query), toHoldings);
  },
});

/** Query by the root of the partner, so that the branches of a company share their pages. */
function holdingQuery({ company, first, after }: HoldingsRequest): PageQuery {
  if (requireCountry(company.country, HOLDING_COUNTRIES, SUBJECT) === 'CL') return { owner: company.taxId, except: null, first, after };
  return { partner: { root: cnpjRoot(company.taxId) }, except: null, first, after };
}

/**
 * HoldingsRequest (BR, CL) → a page of the companies of which the company is an owner or officer. All pages of a tick are one statement. A page
 * of a company that the registry does not have, and that owns nothing, is not counted.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const holdingsLoader: Offered<HoldingsRequest, Holdings> = pageLoader('holdings', holdingQuery);

function otherQuery({ company, owner, first, after }: OtherCompaniesRequest): PageQuery {
  if (company.country === 'CL' && 'taxId' in owner) return { owner: owner.taxId, except: company.taxId, first, after };
  return {
    partner: 'taxId' in owner ? { root: cnpjRoot(owner.taxId) } : owner,
    except: brazilianRoot(company, SUBJECT),
    first,
    after,
  };
}

/**
 * OtherCompaniesRequest (BR, CL) → a page of the companies of an owner, without the company of which the caller has received it. A person is
 * matched by the masked CPF and the normalised name, which is probable and not certain.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const otherCompaniesLoader: Offered<OtherCompaniesRequest, Holdings> = pageLoader('other_companies', otherQuery);

const registryIdentity: FetchingLoader<RegistryPerson, ProbableIdentity | null> = copyLoader({
  name: 'receita_identities',
  key: ({ document, name }) => `${document} ${name}`,
  read: readIdentities,
});

/**
 * Masked CPF and name → identity of a person among the owners that the request has received; null for one without a name. It is not counted
 * again.
 * @throws AppError SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const identityLoader: Offered<RegistryPerson, ProbableIdentity | null> = { ...registryIdentity, module: 'owners', included: true };

function toHoldings({ items, hasMore, isKnown, isUnread, ...missing }: RegistryHoldings): Holdings {
  if (isUnread) throw unreadCompany();
  return { items: items.map(toHolding), hasMore, companyKnown: isKnown, reason: missingRowsReason(missing) };
}

const toHolding = ({ cnpj, name, registration, role, since, position }: RegistryHolding): Holding => ({
  taxId: cnpj,
  name,
  status: registration && (isActive(registration) ? 'active' : 'inactive'),
  role,
  since,
  position,
});

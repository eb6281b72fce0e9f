import { derive } from '../../../domain/answer.ts';
import { type CompanyKey, requireCountry } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { brazilianRoot, copyLoader, unreadCompany } from '../../../loaders/registry-copy.ts';
import { companyMessages } from '../../../messages/companies.ts';
import type { RegistryNode } from '../../../sources/receita-federal/copy/nodes.ts';
import { type PathQuery, type RegistryPath, type RegistryPathEdge, readPaths } from '../../../sources/receita-federal/copy/paths.ts';
import { missingRowsReason } from '../domain/holdings.ts';
import type { CompanyPath, PathCompany, PathEdge } from '../domain/path.ts';
import { loadChileanPath } from './chile-path.ts';
import { HOLDING_COUNTRIES } from './holdings.ts';

/** Request for a path between two companies. */
export interface PathRequest {
  readonly from: CompanyKey;
  readonly to: CompanyKey;
  /** Maximum number of edges. */
  readonly maxDepth: number;
  /** True if the path may go through people. */
  readonly people: boolean;
}

const queryKey = ({ from, to, maxDepth, people }: PathQuery): string => `${from} ${to} ${maxDepth} ${people}`;

const registryPath: FetchingLoader<PathQuery, RegistryPath> = copyLoader({
  name: 'receita_paths',
  key: queryKey,
  isFinal: ({ stoppedBy }) => stoppedBy !== 'time',
  read: (copy, queries) => readPaths(copy, queries),
});

const SUBJECT = 'The connection of companies';

/** True for two companies of Chile. @throws AppError UNSUPPORTED_COUNTRY, INVALID_INPUT for companies of two countries */
function isChilean({ from, to }: PathRequest): boolean {
  const [start, end] = [from, to].map(({ country }) => requireCountry(country, HOLDING_COUNTRIES, SUBJECT));
  if (start !== end) throw invalidInput('to', companyMessages.oneCountry());
  return start === 'CL';
}

const queryOf = ({ from, to, ...limits }: PathRequest): PathQuery => ({
  from: brazilianRoot(from, SUBJECT),
  to: brazilianRoot(to, SUBJECT),
  ...limits,
});

/**
 * PathRequest (BR, CL) → a shortest path between two companies through owners and companies that they own. It is not counted if the registry has
 * neither of them.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const pathLoader: Offered<PathRequest, CompanyPath> = {
  name: 'connection',
  module: 'owners',
  key: (request) => (isChilean(request) ? `CL ${request.from.taxId} ${request.to.taxId} ${request.maxDepth}` : queryKey(queryOf(request))),
  counts: ({ fromKnown, toKnown }) => fromKnown || toKnown,
  async answer(request, load) {
    if (isChilean(request)) return loadChileanPath(request.from.taxId, request.to.taxId, request.maxDepth, load);
    return derive(await load(registryPath, queryOf(request)), toPath);
  },
};

function toPath({ isFromKnown, isToKnown, isUnread, unreadPartners, hasErased, edges, ...path }: RegistryPath): CompanyPath {
  if (isUnread) throw unreadCompany();
  return {
    ...path,
    edges: edges.map(toEdge),
    fromKnown: isFromKnown,
    toKnown: isToKnown,
    reason: missingRowsReason({ unreadPartners, hasErased }),
  };
}

const toCompany = ({ cnpj, name }: RegistryNode): PathCompany => ({ taxId: cnpj, name });

const toEdge = ({ owner, owned, role, since }: RegistryPathEdge): PathEdge => ({
  owner: 'company' in owner ? toCompany(owner.company) : null,
  person: 'company' in owner ? null : owner,
  owned: toCompany(owned),
  role,
  since,
});

import { derive } from '../../../domain/answer.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { brazilianRoot, copyLoader, unreadCompany } from '../../../loaders/registry-copy.ts';
import type { RegistryNode } from '../../../sources/receita-federal/copy/nodes.ts';
import { type PathQuery, type RegistryPath, type RegistryPathEdge, readPaths } from '../../../sources/receita-federal/copy/paths.ts';
import { missingRowsReason } from '../domain/holdings.ts';
import type { CompanyPath, PathCompany, PathEdge } from '../domain/path.ts';

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

const queryOf = ({ from, to, ...limits }: PathRequest): PathQuery => ({
  from: brazilianRoot(from, SUBJECT),
  to: brazilianRoot(to, SUBJECT),
  ...limits,
});

/**
 * PathRequest (BR) → a shortest path between two companies through owners and companies that they own. It is not counted if the registry has
 * neither of them.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED, SOURCE_UNAVAILABLE
 */
export const pathLoader: Offered<PathRequest, CompanyPath> = {
  name: 'connection',
  module: 'owners',
  key: (request) => queryKey(queryOf(request)),
  counts: ({ fromKnown, toKnown }) => fromKnown || toKnown,
  async answer(request, load) {
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

import type { Knex } from 'knex';
import type { Found } from '../../../domain/answer.ts';
import { type FoundLinks, type Link, type NodeKey, PATH_LIMITS, type PathSearch, searchPath } from '../../copies/path-search.ts';
import { filledName } from '../company.ts';
import { type ProbableIdentity, toIdentity } from './identity.ts';
import { firstCnpj, type RegistryNode, roleText, toNode } from './nodes.ts';
import type { ReceitaCopy } from './reader.ts';
import { findNodes } from './store/edges.ts';
import type { AnsweringVersion } from './store/find.ts';
import { findLinks, type PersonKey, type StoredLink } from './store/links.ts';
import { findIdentities } from './store/namesakes.ts';

/** Request for a path between two companies. */
export interface PathQuery {
  /** Roots of the companies. */
  readonly from: string;
  readonly to: string;
  /** Maximum number of edges. */
  readonly maxDepth: number;
  /** True if the path may go through people. */
  readonly people: boolean;
}

export interface PathLimits {
  readonly maxNodes: number;
  readonly maxMs: number;
}

/** An edge of a path: an owner, which is a company or a person, and a company. */
export interface RegistryPathEdge {
  readonly owner: { readonly company: RegistryNode } | { readonly name: string; readonly identity: ProbableIdentity };
  readonly owned: RegistryNode;
  readonly role: string;
  /** ISO date; null when the registry has none or an impossible one. */
  readonly since: string | null;
}

export interface RegistryPath extends Pick<PathSearch<Link>, 'status' | 'stoppedBy'> {
  /** Edges in the order from the first company to the second one; empty unless the path was found. */
  readonly edges: readonly RegistryPathEdge[];
  readonly visitedCompanies: number;
  readonly visitedPeople: number;
  /** False if the copy has no such company. */
  readonly isFromKnown: boolean;
  readonly isToKnown: boolean;
  /** True if the copy lacks one of the companies, and cannot prove that the registry has no such company. */
  readonly isUnread: boolean;
  /** Number of lines of partners that could not be read, so that an edge may be missing. */
  readonly unreadPartners: number;
  /** True if the operator has erased records, so that an edge may be missing. */
  readonly hasErased: boolean;
}

/** Searches a path for every query, by one statement per level. @throws AppError SOURCE_UNAVAILABLE */
export const readPaths = (
  copy: ReceitaCopy,
  queries: readonly PathQuery[],
  limits: PathLimits = PATH_LIMITS,
): Promise<Found<readonly RegistryPath[]>> =>
  copy.read((db, version) =>
    Promise.all(
      queries.map(async (query) => {
        const hasErased = query.people ? version.hasErased : version.hasErasedCompanies;
        return { ...(await findPath(db, version, query, limits)), unreadPartners: version.unreadPartners, hasErased };
      }),
    ),
  );

/** An edge of the search, with its row. */
interface StoredPathLink extends Link {
  readonly row: StoredLink;
}

const PERSON = 'P';

const companyKey = (root: string): NodeKey => `C${root}`;
const personKey = ({ document, key }: PersonKey): NodeKey => `${PERSON}${document} ${key}`;

async function findPath(
  db: Knex,
  version: AnsweringVersion,
  { from, to, maxDepth, people }: PathQuery,
  { maxNodes, maxMs }: PathLimits,
): Promise<Omit<RegistryPath, 'unreadPartners' | 'hasErased'>> {
  const { id } = version;
  const startedAt = performance.now();
  const keys = new Map<NodeKey, PersonKey>();

  async function linksOf(nodes: readonly NodeKey[], limit: number): Promise<FoundLinks<StoredPathLink> | null> {
    const timeoutMs = Math.floor(maxMs - (performance.now() - startedAt));
    if (timeoutMs <= 0) return null;
    const frontier = {
      roots: nodes.filter((node) => !node.startsWith(PERSON)).map((node) => node.slice(1)),
      people: nodes.flatMap((node) => keys.get(node) ?? []),
      withPeople: people,
    };
    const rows = await findLinks(db, id, frontier, { limit, timeoutMs }).catch((error: Error) => {
      if (error.name === 'KnexTimeoutError') return null;
      throw error;
    });
    if (rows === null) return null;
    const links = rows.flatMap((row) => {
      if (row.kind === 1) return [{ owner: companyKey(row.owner), owned: companyKey(row.owned), row }];
      const person = { document: row.owner, key: row.key ?? '' };
      if (person.key === '') return []; // a person without a name has no key
      keys.set(personKey(person), person);
      return [{ owner: personKey(person), owned: companyKey(row.owned), row }];
    });
    return { links, isCut: rows.length >= limit };
  }

  const search = await searchPath<StoredPathLink>({ from: companyKey(from), to: companyKey(to), maxDepth, maxNodes, linksOf });
  const links = search.links.map(({ row }) => row);
  const roots = [from, to, ...links.flatMap((row) => (row.kind === 1 ? [row.owner, row.owned] : [row.owned]))];
  const found = await findNodes(db, version, roots);
  const nodes = found.map((node) => (node === 'unread' ? null : node));
  const seenPeople = [...search.seen].filter((node) => node.startsWith(PERSON)).length;
  return {
    status: search.status,
    stoppedBy: search.stoppedBy,
    edges: await toEdges(db, id, links, new Map(roots.map((root, i) => [root, nodes[i] ? toNode(nodes[i]) : unknownNode(root)]))),
    visitedCompanies: search.seen.size - seenPeople,
    visitedPeople: seenPeople,
    isFromKnown: nodes[0] !== null,
    isToKnown: nodes[1] !== null,
    isUnread: found.slice(0, 2).includes('unread'),
  };
}

const unknownNode = (root: string): RegistryNode => ({ cnpj: firstCnpj(root), name: null, registration: null });

async function toEdges(
  db: Knex,
  id: string,
  links: readonly StoredLink[],
  nodes: ReadonlyMap<string, RegistryNode>,
): Promise<readonly RegistryPathEdge[]> {
  const people = links.filter(({ kind }) => kind === 2);
  const given = people.map(({ owner, name }) => ({ document: owner, name: name ?? '' }));
  const identities = people.length === 0 ? [] : await findIdentities(db, id, given);
  const company = (root: string): RegistryNode => nodes.get(root) ?? unknownNode(root);
  return links.map((row) => {
    const identity = identities[people.indexOf(row)];
    return {
      owner: identity ? { name: filledName(row.name) ?? '', identity: toIdentity(identity) } : { company: company(row.owner) },
      owned: company(row.owned),
      role: roleText(row.role, null),
      since: row.since,
    };
  });
}

import type { Country, Group, OwnerCandidate, UltimateOwners } from '../../api/operations.ts';
import { isNotCompared, isOpenOfOwner, type ShownOwner } from '../../state/owner-decisions.ts';
import type { LayoutEdge, LayoutNode } from './group-layout.ts';

type Answered = NonNullable<Group['company']>;
export type GroupGraph = NonNullable<Answered['group']>;
export type GroupFinding = NonNullable<NonNullable<Answered['groupFindings']>['findings']>[number];
export type People = NonNullable<NonNullable<UltimateOwners['company']>['beneficialOwners']>;
type Person = People['owners'][number];

/** A box of the drawing of a group: a company, or a natural person at the end of a path of owners. */
export interface GroupNode extends LayoutNode {
  readonly kind: 'self' | 'company' | 'person' | 'people';
  /** Name; null for a company without one, and for people whom the registry does not name. */
  readonly name: string | null;
  /** The company, for a link to its page; null for a person. */
  readonly company: { readonly country: Country; readonly identifier: string; readonly formattedIdentifier: string } | null;
  /** Masked CPF of a person; null for a company, and where the registry has none. */
  readonly identifier: string | null;
  /** Lists with a record of the company, each once. */
  readonly lists: readonly string[];
  /** Open candidates of a person who is an owner of the company of the page. People of other companies are not compared. */
  readonly hits: readonly OwnerCandidate[];
  /** True for a person who is an owner of the company of the page and was not compared with all lists, so that no hit is no clearance. */
  readonly isNotCompared: boolean;
  /** True if the owners of the company, or what it owns, were not read because of the depth. */
  readonly isUnread: boolean;
  /** True for partners of several companies who are probably one person: their names and visible digits are equal. */
  readonly isProbable: boolean;
}

type Comparison = Pick<GroupNode, 'hits' | 'isNotCompared'>;

/** Boxes and lines of the drawing. */
export interface Drawn {
  readonly nodes: readonly GroupNode[];
  readonly edges: readonly LayoutEdge[];
}

/** Facts about the companies and the people of a group. */
export interface Known {
  readonly findings: readonly GroupFinding[];
  readonly people: People | null;
  /** Owners of the company of the page, with their candidates; null if they were not read. */
  readonly owners: readonly ShownOwner[] | null;
  /** Levels of the group that were asked for. */
  readonly depth: number;
}

/** Returns the boxes and lines of a group. A person whose company is not among the companies is left out. */
export function drawnGroup(group: GroupGraph, { findings, people, owners, depth: asked }: Known): Drawn {
  const { nodes, edges } = group;
  const unread = unreadOf(group, asked);
  const self = nodes.find(({ relation }) => relation === 'SELF')?.company.id;
  const lists = Map.groupBy(findings, ({ company }) => company.id);
  const companies = nodes.map(
    ({ company, name, depth, relation }): GroupNode => ({
      id: company.id,
      level: relation === 'OWNER' ? -depth : depth,
      kind: relation === 'SELF' ? 'self' : 'company',
      name,
      company,
      identifier: null,
      hits: [],
      isNotCompared: false,
      lists: [...new Set(lists.get(company.id)?.map(({ list }) => list))],
      isUnread: unread.has(company.id),
      isProbable: false,
    }),
  );
  const levels = new Map(companies.map(({ id, level }) => [id, level]));
  const persons = personsOf((people?.owners ?? []).filter(({ registeredIn }) => levels.has(registeredIn.id)));
  const levelOf = ({ partners }: OnePerson): number =>
    Math.min(...partners.map(({ registeredIn }) => levels.get(registeredIn.id) ?? 0)) - 1;
  return {
    nodes: [...companies, ...persons.map((person) => personNode(person, levelOf(person), comparisonOf(person, owners, self)))],
    edges: [
      ...edges.map(({ owner, owned }) => ({ owner: owner.id, owned: owned.id })),
      ...persons.flatMap(({ id, partners }) => partners.map(({ registeredIn }) => ({ owner: id, owned: registeredIn.id }))),
    ],
  };
}

/** Number of companies of a gap after which the service names no more. */
const MOST_NAMED = 10;

/**
 * Returns the ids of the companies at which the group ends because of the depth: those beyond it, and those that the gap names. If the gap
 * names as many as it can, all companies of the last level below may be such ends.
 */
function unreadOf({ nodes, notSeen }: GroupGraph, asked: number): ReadonlySet<string> {
  const named = notSeen.filter(({ reason }) => reason === 'DEPTH').flatMap(({ companies }) => companies.map(({ id }) => id));
  const isCut = named.length >= MOST_NAMED && !nodes.some(({ relation, depth }) => relation === 'OWNED' && depth > asked);
  const isEnd = ({ relation, depth }: GroupGraph['nodes'][number]): boolean =>
    depth > asked || (isCut && relation === 'OWNED' && depth === asked);
  return new Set([...named, ...nodes.filter(isEnd).map(({ company }) => company.id)]);
}

/** Returns what the comparison of the owners of the company of the page says about a person. */
function comparisonOf({ first, partners }: OnePerson, owners: Known['owners'], self: string | undefined): Comparison {
  if (!partners.some(({ registeredIn }) => registeredIn.id === self)) return { hits: [], isNotCompared: false };
  const same = (owners ?? []).filter(
    ({ entityType, name, identifier }) => entityType === 'INDIVIDUAL' && name === first.name && identifier === first.identifier,
  );
  return {
    hits: same.flatMap(({ screening }) => screening?.candidates?.filter(isOpenOfOwner) ?? []),
    isNotCompared: same.length === 0 || same.some(({ screening }) => isNotCompared(screening)),
  };
}

/** Partners who are shown as one person, at least one. */
interface OnePerson {
  readonly id: string;
  readonly first: Person;
  readonly partners: readonly Person[];
  /** True if they are of several companies, so that they are probably one person. */
  readonly isProbable: boolean;
}

/**
 * Returns the people, each once. Partners of several companies with equal names and visible digits of the CPF are one person. Such partners of
 * one company are several, because the service tells them apart. Without digits a name is no identity, so there is a person for each company.
 */
function personsOf(partners: readonly Person[]): readonly OnePerson[] {
  const places = new Map<string, number>();
  const idOf = ({ name, identifier, isAggregate, registeredIn }: Person): string => {
    if (isAggregate || identifier === null || name === '') return `person ${registeredIn.id} ${name}`;
    const inCompany = `${registeredIn.id} ${identifier} ${name}`;
    const place = places.get(inCompany) ?? 0;
    places.set(inCompany, place + 1);
    return `person ${identifier} ${name} ${place}`;
  };
  return [...Map.groupBy(partners, idOf)].flatMap(([id, those]) => {
    const [first] = those;
    return first ? [{ id, first, partners: those, isProbable: those.some((one) => one.registeredIn.id !== first.registeredIn.id) }] : [];
  });
}

const personNode = (
  { id, first: { name, identifier, isAggregate }, isProbable }: OnePerson,
  level: number,
  comparison: Comparison,
): GroupNode => ({
  id,
  level,
  kind: isAggregate ? 'people' : 'person',
  name: name === '' ? null : name,
  company: null,
  identifier,
  ...comparison,
  lists: [],
  isUnread: false,
  isProbable,
});

/** Numbers of the ultimate owners. */
export interface UltimateCount {
  readonly people: number;
  /** People who are partners of several companies and probably, but not certainly, one person. */
  readonly probable: number;
  /** Companies whose natural persons the registry does not name. */
  readonly unnamed: number;
  /** Owners who are not known. */
  readonly unknown: number;
}

/** Gaps that say something about shares or about people without a name, and not that an owner is not known. */
const NO_OWNER_MISSING: readonly string[] = ['UNNAMED_PEOPLE', 'UNKNOWN_SHARE', 'CYCLE'];

/** Counts the ultimate owners. A gap whose number is not known counts as one. */
export function countUltimate({ owners, notSeen }: People): UltimateCount {
  const persons = personsOf(owners.filter(({ isAggregate }) => !isAggregate));
  return {
    people: persons.length,
    probable: persons.filter(({ isProbable }) => isProbable).length,
    unnamed: owners.filter(({ isAggregate }) => isAggregate).length,
    unknown: notSeen.filter(({ reason }) => !NO_OWNER_MISSING.includes(reason)).reduce((sum, gap) => sum + ownersOf(gap), 0),
  };
}

/** Returns the number of owners that a gap hides. Unread lines that are of no known company are of any, so their number is none of owners. */
const ownersOf = ({ reason, count, companies }: People['notSeen'][number]): number =>
  reason === 'UNREAD_ROWS' && companies.length === 0 ? 1 : Math.max(count, 1);

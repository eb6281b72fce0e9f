import type { Country, Group, UltimateOwners } from '../../api/operations.ts';
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
  /** True if the owners of the company, or what it owns, were not read because of the depth. */
  readonly isUnread: boolean;
}

/** Boxes and lines of the drawing. */
export interface Drawn {
  readonly nodes: readonly GroupNode[];
  readonly edges: readonly LayoutEdge[];
}

/** Returns the boxes and lines of a group. A person whose company is not among the companies is left out. */
export function drawnGroup({ nodes, edges, notSeen }: GroupGraph, findings: readonly GroupFinding[], people: People | null): Drawn {
  const unread = new Set(notSeen.filter(({ reason }) => reason === 'DEPTH').flatMap(({ companies }) => companies.map(({ id }) => id)));
  const lists = Map.groupBy(findings, ({ company }) => company.id);
  const companies = nodes.map(
    ({ company, name, depth, relation }): GroupNode => ({
      id: company.id,
      level: relation === 'OWNER' ? -depth : depth,
      kind: relation === 'SELF' ? 'self' : 'company',
      name,
      company,
      identifier: null,
      lists: [...new Set(lists.get(company.id)?.map(({ list }) => list))],
      isUnread: unread.has(company.id),
    }),
  );
  const levels = new Map(companies.map(({ id, level }) => [id, level]));
  const persons = new Map<string, GroupNode>();
  const ofPeople: LayoutEdge[] = [];
  for (const person of people?.owners ?? []) {
    const level = levels.get(person.registeredIn.id);
    if (level === undefined) continue;
    const id = personId(person);
    const known = persons.get(id);
    persons.set(id, personNode(person, id, Math.min(level - 1, known?.level ?? level - 1)));
    ofPeople.push({ owner: id, owned: person.registeredIn.id });
  }
  return {
    nodes: [...companies, ...persons.values()],
    edges: [...edges.map(({ owner, owned }) => ({ owner: owner.id, owned: owned.id })), ...ofPeople],
  };
}

/**
 * Returns the id of the box of a person. Equal names with the same visible digits of the CPF are one person in a group. Without digits a
 * name is no identity, so the person has a box for each company.
 */
const personId = ({ name, identifier, isAggregate, registeredIn }: Person): string =>
  isAggregate || identifier === null || name === '' ? `person ${registeredIn.id} ${name}` : `person ${identifier} ${name}`;

const personNode = ({ name, identifier, isAggregate }: Person, id: string, level: number): GroupNode => ({
  id,
  level,
  kind: isAggregate ? 'people' : 'person',
  name: name === '' ? null : name,
  company: null,
  identifier,
  lists: [],
  isUnread: false,
});

/** Number of people who own a company in the end, of companies whose natural persons are not named, and of owners who are not known. */
export interface UltimateCount {
  readonly people: number;
  readonly unnamed: number;
  readonly unknown: number;
}

/** Gaps that say something about shares or about people without a name, and not that an owner is not known. */
const NO_OWNER_MISSING: readonly string[] = ['UNNAMED_PEOPLE', 'UNKNOWN_SHARE', 'CYCLE'];

/** Counts the ultimate owners. A gap whose number is not known counts as one. */
export const countUltimate = ({ owners, notSeen }: People): UltimateCount => ({
  people: new Set(owners.filter(({ isAggregate }) => !isAggregate).map(personId)).size,
  unnamed: owners.filter(({ isAggregate }) => isAggregate).length,
  unknown: notSeen.filter(({ reason }) => !NO_OWNER_MISSING.includes(reason)).reduce((sum, { count }) => sum + Math.max(count, 1), 0),
});

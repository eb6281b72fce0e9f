import { describe, expect, it } from 'vitest';
import { countUltimate, drawnGroup, type GroupGraph, type People } from '../../dashboard/pages/company/group-graph.ts';
import { BOX, layoutOf } from '../../dashboard/pages/company/group-layout.ts';

const company = (id: string) => ({ id, country: 'BR' as const, identifier: id, formattedIdentifier: id });
const node = (id: string, relation: 'SELF' | 'OWNER' | 'OWNED', depth: number) => ({ depth, name: id, relation, company: company(id) });
const freshness = { fetchedAt: '2026-11-24T10:00:00Z', dataAsOf: null, cached: false, stale: false };
const edge = (owner: string, owned: string) => ({ owner: { id: owner }, owned: { id: owned } });
const group: GroupGraph = {
  freshness,
  nodes: [node('self', 'SELF', 0), node('mother', 'OWNER', 1), node('grandmother', 'OWNER', 2), node('daughter', 'OWNED', 1)],
  edges: [edge('mother', 'self'), edge('grandmother', 'mother'), edge('self', 'daughter')],
  notSeen: [{ reason: 'DEPTH', count: 1, companies: [{ id: 'grandmother' }] }],
};
const person = (name: string, identifier: string | null, registeredIn: string, isAggregate = false) => ({
  name,
  identifier,
  isAggregate,
  registeredIn: { id: registeredIn },
});
const peopleOf = (owners: People['owners'], notSeen: People['notSeen'] = []): People => ({ complete: true, owners, notSeen });

describe('the boxes of a group', () => {
  it('stand above the company for its owners and below it for what it owns, with findings and unread levels marked', () => {
    const found = {
      company: company('mother'),
      list: 'CEIS',
      entityId: '1',
      entryName: 'M',
      programs: [],
      matchedOn: 'CNPJ',
      path: [],
    } as const;
    const { nodes, edges } = drawnGroup(group, [found, { ...found, entityId: '2' }], null);
    expect(nodes.map(({ id, level, lists, isUnread }) => [id, level, lists, isUnread])).toEqual([
      ['self', 0, [], false],
      ['mother', -1, ['CEIS'], false],
      ['grandmother', -2, [], true],
      ['daughter', 1, [], false],
    ]);
    expect(edges).toHaveLength(3);
  });

  it('are one for a person with the same name and visible digits in two companies, and one for each company without digits', () => {
    const owners = [
      person('ANA', '***456789**', 'self'),
      person('ANA', '***456789**', 'mother'),
      person('ANA', '***111222**', 'self'),
      person('JOHN', null, 'self'),
      person('JOHN', null, 'mother'),
    ];
    const { nodes, edges } = drawnGroup(group, [], peopleOf(owners));
    const persons = nodes.filter(({ kind }) => kind === 'person');
    expect(persons.map(({ name, level }) => [name, level])).toEqual([
      ['ANA', -2],
      ['ANA', -1],
      ['JOHN', -1],
      ['JOHN', -2],
    ]);
    expect(edges.filter(({ owner }) => owner === persons[0]?.id).map(({ owned }) => owned)).toEqual(['self', 'mother']);
  });

  it('are none for a person of a company that is not drawn', () => {
    expect(drawnGroup(group, [], peopleOf([person('ANA', null, 'elsewhere')])).nodes).toHaveLength(4);
  });
});

describe('the number of ultimate owners', () => {
  it('has each person once, and says how many are not known or not named', () => {
    const owners = [person('ANA', '***456789**', 'self'), person('ANA', '***456789**', 'mother'), person('', null, 'self', true)];
    const gaps = [
      { reason: 'FOREIGN_OWNER' as const, count: 2 },
      { reason: 'NO_COPY' as const, count: 0 },
      { reason: 'UNNAMED_PEOPLE' as const, count: 3 },
    ];
    expect(countUltimate(peopleOf(owners, gaps))).toEqual({ people: 1, unnamed: 1, unknown: 3 });
  });
});

describe('the layout of a group', () => {
  const many = Array.from({ length: 40 }, (_, at) => ({ id: `n${at}`, level: (at % 5) - 2 }));
  const edges = many.slice(1).map(({ id }, at) => ({ owner: id, owned: `n${at}` }));

  it('lets no two boxes overlap, keeps all inside, and owners above', () => {
    const { positions, width, height } = layoutOf(many, edges);
    const boxes = [...positions.values()];
    expect(boxes).toHaveLength(40);
    for (const [at, one] of boxes.entries()) {
      expect(one.x).toBeGreaterThanOrEqual(0);
      expect(one.x + BOX.width).toBeLessThanOrEqual(width);
      expect(one.y + BOX.height).toBeLessThanOrEqual(height);
      for (const other of boxes.slice(at + 1))
        expect(Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height).toBe(true);
    }
    const y = (id: string) => positions.get(id)?.y ?? Number.NaN;
    for (const above of many) for (const below of many) if (above.level < below.level) expect(y(above.id)).toBeLessThan(y(below.id));
  });

  it('has at most six boxes beside each other, so that a level of 100 stays readable', () => {
    const { positions, width } = layoutOf(
      Array.from({ length: 100 }, (_, at) => ({ id: `n${at}`, level: 0 })),
      [],
    );
    const rows = Map.groupBy(positions.values(), ({ y }) => y);
    expect(Math.max(...[...rows.values()].map(({ length }) => length))).toBe(6);
    expect(width).toBeLessThan(1_400);
  });

  it('puts boxes near those that they are connected with', () => {
    const nodes = [
      { id: 'a', level: 0 },
      { id: 'b', level: 0 },
      { id: 'of b', level: -1 },
      { id: 'of a', level: -1 },
    ];
    const { positions } = layoutOf(nodes, [
      { owner: 'of a', owned: 'a' },
      { owner: 'of b', owned: 'b' },
    ]);
    const isLeft = (one: string, other: string) => (positions.get(one)?.x ?? 0) < (positions.get(other)?.x ?? 0);
    expect(isLeft('a', 'b')).toBe(isLeft('of a', 'of b'));
  });

  it('draws one line for two roles, a line for each edge of a circle, and none to a box that is missing', () => {
    const nodes = [
      { id: 'a', level: -1 },
      { id: 'b', level: 0 },
    ];
    const edge = { owner: 'a', owned: 'b' };
    const { lines } = layoutOf(nodes, [edge, edge, { owner: 'b', owned: 'a' }, { owner: 'c', owned: 'a' }, { owner: 'a', owned: 'a' }]);
    expect(lines.map(({ id }) => id)).toEqual(['a b', 'b a']);
    for (const { path } of lines) expect(path).not.toContain('NaN');
  });

  it('is empty for no boxes', () => {
    expect(layoutOf([], []).lines).toEqual([]);
  });
});

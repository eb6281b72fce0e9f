import { describe, expect, it } from 'vitest';
import { countUltimate, drawnGroup, type GroupGraph, type Known, type People } from '../../dashboard/pages/company/group-graph.ts';
import { BOX, layoutOf } from '../../dashboard/pages/company/group-layout.ts';
import type { ShownOwner } from '../../dashboard/state/owner-decisions.ts';

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
const gap = (reason: People['notSeen'][number]['reason'], count: number, ...ids: readonly string[]) => ({
  reason,
  count,
  companies: ids.map((id) => ({ id })),
});

const NOTHING: Known = { findings: [], people: null, owners: [], depth: 1 };
const withPeople = (...people: Parameters<typeof peopleOf>): Known => ({ ...NOTHING, people: peopleOf(...people) });

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
    const { nodes, edges } = drawnGroup(group, { ...NOTHING, findings: [found, { ...found, entityId: '2' }] });
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
    const { nodes, edges } = drawnGroup(group, withPeople(owners));
    const persons = nodes.filter(({ kind }) => kind === 'person');
    expect(persons.map(({ name, level }) => [name, level])).toEqual([
      ['ANA', -2],
      ['ANA', -1],
      ['JOHN', -1],
      ['JOHN', -2],
    ]);
    expect(edges.filter(({ owner }) => owner === persons[0]?.id).map(({ owned }) => owned)).toEqual(['self', 'mother']);
  });

  it('are two for two partners of one company with the same name and visible digits, and one across companies is marked as probable', () => {
    const ana = (registeredIn: string) => person('ANA', '***456789**', registeredIn);
    const { nodes, edges } = drawnGroup(group, withPeople([ana('self'), ana('self'), ana('mother'), person('RUI', '***111222**', 'self')]));
    const persons = nodes.filter(({ kind }) => kind === 'person');
    expect(persons.map(({ name, isProbable }) => [name, isProbable])).toEqual([
      ['ANA', true],
      ['ANA', false],
      ['RUI', false],
    ]);
    expect(edges.filter(({ owner }) => owner === persons[0]?.id).map(({ owned }) => owned)).toEqual(['self', 'mother']);
    expect(edges.filter(({ owner }) => owner === persons[1]?.id).map(({ owned }) => owned)).toEqual(['self']);
  });

  it('have the open candidates of the people who own the company of the page', () => {
    const owner = (name: string, ...candidates: readonly object[]) => ({
      ...{ name, identifier: '***456789**', entityType: 'INDIVIDUAL' },
      screening: { candidates: candidates.map((one) => ({ list: 'OFAC_SDN', dismissal: null, ...one })), listsNotChecked: [] },
    });
    const owners = [owner('ANA', {}, { dismissal: {} }), owner('RUI', {})] as unknown as Known['owners'];
    const people = [person('ANA', '***456789**', 'self'), person('ANA', '***111222**', 'self'), person('RUI', '***456789**', 'mother')];
    const { nodes } = drawnGroup(group, { ...withPeople(people), owners });
    expect(nodes.filter(({ kind }) => kind === 'person').map(({ name, hits }) => [name, hits.length])).toEqual([
      ['ANA', 1],
      ['ANA', 0],
      ['RUI', 0],
    ]);
  });

  it('are marked as not compared for a person who owns the company of the page and may be on a list that was not read', () => {
    const unread = [{ list: 'CEIS', reason: 'SOURCE_UNAVAILABLE' }];
    const owner = (name: string, screening: object | null) => ({ name, identifier: '***456789**', entityType: 'INDIVIDUAL', screening });
    const owners = [
      owner('ANA', { candidates: [], listsNotChecked: [] }),
      owner('RUI', { candidates: [], listsNotChecked: unread }),
      owner('EVA', { candidates: [{ list: 'OFAC_SDN', dismissal: null }], listsNotChecked: unread }),
      owner('LIA', { candidates: null, listsNotChecked: unread }),
      owner('IVO', null),
    ] as unknown as ShownOwner[];
    const people = ['ANA', 'RUI', 'EVA', 'LIA', 'IVO', 'ZOE'].map((name) => person(name, '***456789**', 'self'));
    const unmarked = (known: readonly ShownOwner[] | null) =>
      drawnGroup(group, { ...withPeople([...people, person('OTHER', null, 'mother')]), owners: known })
        .nodes.filter(({ kind, isNotCompared }) => kind === 'person' && !isNotCompared)
        .map(({ name }) => name);
    expect(unmarked(owners)).toEqual(['ANA', 'EVA', 'OTHER']);
    expect(unmarked(null)).toEqual(['OTHER']);
  });

  it('are marked as unread beyond the depth, also those that a gap does not name', () => {
    const ids = Array.from({ length: 12 }, (_, at) => `d${at}`);
    const nodes = [node('self', 'SELF', 0), node('mother', 'OWNER', 1), ...ids.map((id) => node(id, 'OWNED', 1)), node('far', 'OWNER', 2)];
    const unread = (...named: readonly string[]) =>
      drawnGroup({ ...group, nodes, notSeen: [gap('DEPTH', 20, ...named)] }, NOTHING)
        .nodes.filter(({ isUnread }) => isUnread)
        .map(({ id }) => id);
    expect(unread('d1')).toEqual(['d1', 'far']);
    expect(unread(...ids.slice(0, 10))).toEqual([...ids, 'far']);
  });

  it('are none for a person of a company that is not drawn', () => {
    expect(drawnGroup(group, withPeople([person('ANA', null, 'elsewhere')])).nodes).toHaveLength(4);
  });
});

describe('the number of ultimate owners', () => {
  it('has each person once, and says how many are not known or not named', () => {
    const owners = [person('ANA', '***456789**', 'self'), person('ANA', '***456789**', 'mother'), person('', null, 'self', true)];
    const gaps = [gap('FOREIGN_OWNER', 2), gap('NO_COPY', 0), gap('UNNAMED_PEOPLE', 3)];
    expect(countUltimate(peopleOf(owners, gaps))).toEqual({ people: 1, probable: 1, unnamed: 1, unknown: 3 });
  });

  it('has two partners of one company with the same name and visible digits twice', () => {
    const ana = person('ANA', '***456789**', 'self');
    expect(countUltimate(peopleOf([ana, ana]))).toEqual({ people: 2, probable: 0, unnamed: 0, unknown: 0 });
  });

  it('has no owner for each line of the registry that could not be read, because a line may be of any company', () => {
    expect(countUltimate(peopleOf([person('ANA', '***456789**', 'self')], [gap('UNREAD_ROWS', 37)]))).toMatchObject({
      people: 1,
      unknown: 1,
    });
    expect(countUltimate(peopleOf([], [gap('UNREAD_ROWS', 2, 'self', 'mother')]))).toMatchObject({ people: 0, unknown: 2 });
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

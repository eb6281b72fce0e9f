import { describe, expect, it } from 'vitest';
import { connect } from '../../src/graphql/connection.ts';

const page = () => {
  const made = { nodes: 0, cursors: 0 };
  const connection = connect(['a', 'b', 'c'], {
    hasMore: true,
    after: 'z',
    nodeOf: (item) => {
      made.nodes += 1;
      return { item };
    },
    cursorOf: (item, index) => {
      made.cursors += 1;
      return `${item}${index}`;
    },
  });
  return { connection, made };
};

describe('a connection', () => {
  it('has the nodes, edges and bounds of its page', () => {
    const { nodes, edges, pageInfo } = page().connection;
    expect(nodes).toEqual([{ item: 'a' }, { item: 'b' }, { item: 'c' }]);
    expect(edges.map(({ node, cursor }) => [node.item, cursor])).toEqual([
      ['a', 'a0'],
      ['b', 'b1'],
      ['c', 'c2'],
    ]);
    expect(pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true, startCursor: 'a0', endCursor: 'c2' });
  });

  it('of an empty page has no cursors, or the given end', () => {
    const options = { hasMore: false, after: null, nodeOf: (item: string) => ({ item }), cursorOf: (item: string) => item };
    const bounds = { hasNextPage: false, hasPreviousPage: false, startCursor: null };
    expect(connect([], options).pageInfo).toEqual({ ...bounds, endCursor: null });
    expect(connect([], { ...options, endCursor: 'here' }).pageInfo).toEqual({ ...bounds, endCursor: 'here' });
  });

  it('creates nodes and cursors only for the fields that are read', () => {
    const { connection, made } = page();
    expect(made).toEqual({ nodes: 0, cursors: 0 });
    expect(connection.edges).toHaveLength(3);
    expect(made).toEqual({ nodes: 0, cursors: 0 });
    expect(connection.pageInfo.hasNextPage).toBe(true);
    expect(made).toEqual({ nodes: 0, cursors: 2 });
    expect(connection.nodes).toHaveLength(3);
    expect(made).toEqual({ nodes: 3, cursors: 2 });
  });
});

import 'reflect-metadata'; // type-graphql asks for it when the first class is decorated
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { invalidInput } from '../domain/errors.ts';

/** Items that one page holds at most. */
const MAX_FIRST = 100;

/** `first` and `after`, for every field that gives a connection. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 20, description: 'How many at most, 1 to 100.' }) first!: number;
  @Field(() => String, { nullable: true, description: 'Cursor of the item to go on after; from the first item when left out.' })
  after!: string | null;
}

@ObjectType('PageInfo', { description: 'Where a page stands in its connection.', simpleResolvers: true })
export class PageInfoType {
  @Field(() => Boolean, { description: 'True when more items come after this page.' }) hasNextPage!: boolean;
  @Field(() => Boolean, { description: 'True when the page was asked for with `after`: that item comes before it.' })
  hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true, description: 'Cursor of the first item; null for an empty page.' }) startCursor!: string | null;
  @Field(() => String, { nullable: true, description: 'Cursor of the last item, to go on after; null for an empty page.' })
  endCursor!: string | null;
}

/** An item in its place. */
export interface Edge<N> {
  readonly node: N;
  readonly cursor: string;
}

/** What every connection has. */
export interface Connection<N> {
  readonly edges: readonly Edge<N>[];
  readonly nodes: readonly N[];
  readonly pageInfo: PageInfoType;
}

/**
 * A node's class → the class that its connection extends, edges included; named after the node.
 * @param items what the nodes are, in the plural
 */
export function connectionOf<N extends object>(name: string, node: ClassType<N>, items: string) {
  @ObjectType(`${name}Edge`, { description: `One of the ${items}, in its place.`, simpleResolvers: true })
  class EdgeType implements Edge<N> {
    @Field(() => node, { description: 'The item.' }) node!: N;
    @Field(() => String, { description: 'Opaque; give it as `after` to go on behind this item.' }) cursor!: string;
  }

  @ObjectType({ simpleResolvers: true })
  abstract class ConnectionType implements Connection<N> {
    @Field(() => [EdgeType], { description: `The ${items} of this page, each with its cursor.` }) edges!: readonly EdgeType[];
    @Field(() => [node], { description: `The ${items} of this page.` }) nodes!: readonly N[];
    @Field(() => PageInfoType, { description: 'Where this page stands.' }) pageInfo!: PageInfoType;
  }
  return ConnectionType;
}

/** Items of one page → what every connection has. */
export function connect<N>(
  items: readonly N[],
  {
    hasMore,
    after,
    cursorOf,
  }: { readonly hasMore: boolean; readonly after: string | null; readonly cursorOf: (item: N, index: number) => string },
): Connection<N> {
  const edges = items.map((node, i) => ({ node, cursor: cursorOf(node, i) }));
  const pageInfo = {
    hasNextPage: hasMore,
    hasPreviousPage: Boolean(after),
    startCursor: edges.at(0)?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, nodes: items, pageInfo };
}

/** @throws AppError INVALID_INPUT unless it is 1 to 100 */
export function requireFirst(first: number): number {
  if (first < 1 || first > MAX_FIRST) throw invalidInput('first', `Ask for 1 to ${MAX_FIRST} items at a time.`);
  return first;
}

/** The key of an item, within connections of one kind → an opaque cursor. It names the item, so newer ones do not move it. */
export const toCursor = (kind: string, key: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify([kind, ...key])).toString('base64url');

/** Cursor → the key that it was made of. @throws AppError INVALID_INPUT when it is none of this kind and length */
export function parseCursor(kind: string, length: number, cursor: string): readonly (string | null)[] {
  const [madeFor, ...key] = readJson(Buffer.from(cursor, 'base64url').toString());
  const whole = madeFor === kind && key.length === length && key.every((part) => part === null || typeof part === 'string');
  if (!whole) throw invalidInput('after', 'This is not a cursor of this connection.');
  return key as readonly (string | null)[];
}

function readJson(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

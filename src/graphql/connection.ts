import 'reflect-metadata'; // type-graphql needs it when the first class is decorated
import { ArgsType, type ClassType, Directive, Field, Int, ObjectType } from 'type-graphql';
import type { PageRequest } from '../db/paging.ts';
import { DEFAULT_PAGE_SIZE, requireFirst } from '../domain/paging.ts';

/** The arguments `first` and `after` of every connection field. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_PAGE_SIZE,
    description: 'Maximum number of items, 1 to 100; 20 when null.',
  })
  first!: number | null;
  @Field(() => String, { nullable: true, description: 'Returns the items after this cursor; the first items when omitted.' })
  after!: string | null;
}

@Directive('@shareable')
@ObjectType('PageInfo', { description: 'Cursors of a page of a connection.', simpleResolvers: true })
class PageInfoType {
  @Field(() => Boolean, { description: 'True when more items come after this page.' }) hasNextPage!: boolean;
  @Field(() => Boolean, { description: 'True when the page was requested with `after`: that item comes before it.' })
  hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true, description: 'Cursor of the first item; null for an empty page.' }) startCursor!: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the last item: pass it as `after` to get the next page. Null for an empty page.',
  })
  endCursor!: string | null;
}

/** A node and its cursor. */
export interface Edge<N> {
  readonly node: N;
  readonly cursor: string;
}

/** The fields of every connection (Relay cursor connections). */
export interface Connection<N> {
  readonly edges: readonly Edge<N>[];
  readonly nodes: readonly N[];
  readonly pageInfo: PageInfoType;
}

/**
 * Creates the base class of a node's connection and its edge type.
 * @param name GraphQL name of the node, the prefix of its edge type
 * @param items plural noun for the nodes, used in descriptions
 */
export function connectionOf<N extends object>(name: string, node: ClassType<N>, items: string) {
  @ObjectType(`${name}Edge`, { description: `One item of a connection of ${items}, with its cursor.`, simpleResolvers: true })
  class EdgeType implements Edge<N> {
    @Field(() => node, { description: 'The item.' }) node!: N;
    @Field(() => String, { description: 'Opaque cursor of this item: pass it as `after` to get the items after it.' }) cursor!: string;
  }

  @ObjectType({ simpleResolvers: true })
  abstract class ConnectionType implements Connection<N> {
    @Field(() => [EdgeType], { description: `The ${items} of this page, each with its cursor.` }) edges!: readonly EdgeType[];
    @Field(() => [node], { description: `The ${items} of this page.` }) nodes!: readonly N[];
    @Field(() => PageInfoType, { description: 'Cursors of this page.' }) pageInfo!: PageInfoType;
  }
  return ConnectionType;
}

/** Conversion of the items of a page to nodes and edges. */
interface PageOptions<I, N> {
  readonly hasMore: boolean;
  /** Cursor of the request for the page. */
  readonly after: string | null;
  readonly nodeOf: (item: I) => N;
  readonly cursorOf: (item: I, index: number) => string;
  /** `pageInfo.endCursor`, if it is not the cursor of the last item. */
  readonly endCursor?: string;
}

/**
 * Builds a connection from the items of one page. Nodes and cursors are created when a field of the query reads them, because an answer
 * can have thousands of pages of which the query reads few fields.
 */
export const connect = <I, N>(items: readonly I[], options: PageOptions<I, N>): Connection<N> => new LazyConnection(items, options);

class LazyConnection<I, N> implements Connection<N> {
  readonly #items: readonly I[];
  readonly #options: PageOptions<I, N>;

  constructor(items: readonly I[], options: PageOptions<I, N>) {
    this.#items = items;
    this.#options = options;
  }

  get nodes(): readonly N[] {
    return this.#items.map(this.#options.nodeOf);
  }

  get edges(): readonly Edge<N>[] {
    return this.#items.map((item, index) => new LazyEdge(item, index, this.#options));
  }

  get pageInfo(): PageInfoType {
    const { hasMore, after, cursorOf, endCursor } = this.#options;
    const cursorAt = (index: number): string | null => (index in this.#items ? cursorOf(this.#items[index] as I, index) : null);
    return {
      hasNextPage: hasMore,
      hasPreviousPage: Boolean(after),
      startCursor: cursorAt(0),
      endCursor: endCursor ?? cursorAt(this.#items.length - 1),
    };
  }
}

class LazyEdge<I, N> implements Edge<N> {
  readonly #item: I;
  readonly #index: number;
  readonly #options: PageOptions<I, N>;

  constructor(item: I, index: number, options: PageOptions<I, N>) {
    this.#item = item;
    this.#index = index;
    this.#options = options;
  }

  get node(): N {
    return this.#options.nodeOf(this.#item);
  }

  get cursor(): string {
    return this.#options.cursorOf(this.#item, this.#index);
  }
}

/** Converts `first` and `after` to a page request. @throws AppError INVALID_INPUT */
export const pageRequestOf = <A>({ first, after }: PageArgs, parseCursor: (cursor: string) => A): PageRequest<A> => ({
  first: requireFirst(first),
  after: after ? parseCursor(after) : null,
});

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { invalidInput } from '../../domain/errors.ts';
import { LIMITS } from '../limits.ts';
import { priceOf } from './price.ts';

/** What is to be run, with its variables as the schema reads them. */
export interface Priced {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Items that a list is taken to have when nothing says how many it will. */
const ASSUMED_ITEMS = 5;

/**
 * What a valid operation costs at most, in points, as far as can be told before it runs: 1 by itself, and the price of each field, times the sizes of the
 * lists around it, be they given, asked for or assumed.
 * @throws AppError INVALID_INPUT for a list or a page that is too long
 */
export function costOf({ schema, document, operation, variables }: Priced): number {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const spreads = new Map<FragmentDefinitionNode, Map<number, number>>();

  /** @param page items of the lists at this level; null where they say it themselves */
  function ofSelections({ selections }: SelectionSetNode, type: GraphQLCompositeType, page: number | null): number {
    return selections
      .map((node) => {
        if (node.kind === Kind.FIELD) return ofField(node, type, page);
        if (node.kind === Kind.INLINE_FRAGMENT)
          return ofSelections(node.selectionSet, node.typeCondition ? typeOf(node.typeCondition.name.value) : type, page);
        const fragment = fragments.get(node.name.value);
        return fragment ? ofFragment(fragment, page) : 0;
      })
      .reduce((sum, cost) => sum + cost, 0);
  }

  /** Once for each size of page around it, however often it is spread. */
  function ofFragment(fragment: FragmentDefinitionNode, page: number | null): number {
    const known = spreads.get(fragment) ?? new Map<number, number>();
    spreads.set(fragment, known);
    const cost = known.get(page ?? 0) ?? ofSelections(fragment.selectionSet, typeOf(fragment.typeCondition.name.value), page);
    known.set(page ?? 0, cost);
    return cost;
  }

  function ofField(node: FieldNode, parent: GraphQLCompositeType, page: number | null): number {
    const field = fieldOf(parent, node.name.value);
    if (!field) return 0; // what the schema says of itself
    const args = field.args.length > 0 ? getArgumentValues(field, node, variables) : {};
    const listed = longestList(args);
    const first = typeof args.first === 'number' ? pageOf(args.first) : null;
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(type)) return priceOf(field);
    const items = isListType(getNullableType(field.type)) ? (listed ?? page ?? ASSUMED_ITEMS) : 1;
    return priceOf(field) + items * ofSelections(node.selectionSet, type, first);
  }

  const typeOf = (name: string): GraphQLCompositeType => schema.getType(name) as GraphQLCompositeType;

  const root = schema.getRootType(operation.operation);
  return 1 + (root ? ofSelections(operation.selectionSet, root, null) : 0);
}

function fieldOf(type: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** The number of items of the longest list among the arguments; null where none is a list. */
function longestList(args: Readonly<Record<string, unknown>>): number | null {
  const lists = Object.entries(args).filter((entry): entry is [string, readonly unknown[]] => Array.isArray(entry[1]));
  for (const [name, { length }] of lists) {
    if (length > LIMITS.listItems) throw invalidInput(name, `This list has ${length} items; ${LIMITS.listItems} is the most.`);
  }
  return lists.length > 0 ? Math.max(...lists.map(([, { length }]) => length)) : null;
}

/** The smallest page is one: what is asked below it is refused where it is resolved. */
function pageOf(first: number): number {
  if (first > LIMITS.pageSize) throw invalidInput('first', `Ask for 1 to ${LIMITS.pageSize} items at a time.`);
  return Math.max(1, first);
}

import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { priceOf } from './cost.ts';

/*
 * Computes what one item of a list costs, from the selection of the list: how many of its fields are read from memory, and the price of
 * those that are loaded. `list-slices.ts` multiplies it by the number of items before the first one is completed. The cost is computed once
 * per field node of a cached document, so a request looks it up only.
 */

/** Cost of completing one item of a list, without the items of lists below. */
export interface ItemCost {
  /** Number of its fields that are in memory. */
  readonly values: number;
  /** Price of its fields that are loaded. */
  readonly points: number;
  /** True if any field below is loaded, including fields in lists below. */
  readonly loads: boolean;
}

const known = new WeakMap<FieldNode, ItemCost>();

/**
 * Returns the cost of an item of a field's list, or of its object. The selections of one response key may be split over several nodes,
 * which are executed as one.
 */
export function itemCost(info: GraphQLResolveInfo): ItemCost {
  const [node, ...others] = info.fieldNodes;
  if (!node) return NOTHING;
  const cost = costOfNode(node, info);
  return others.length === 0 ? cost : others.map((one) => costOfNode(one, info)).reduce(sum, cost);
}

function costOfNode(node: FieldNode, info: GraphQLResolveInfo): ItemCost {
  const cost = known.get(node) ?? (node.selectionSet ? costOfItem(node.selectionSet, getNamedType(info.returnType), info) : IN_MEMORY);
  known.set(node, cost);
  return cost;
}

function costOfItem({ selections }: SelectionSetNode, type: GraphQLNamedType, info: GraphQLResolveInfo): ItemCost {
  return selections.map((node) => costOfSelection(node, type, info)).reduce(sum, IN_MEMORY);
}

function costOfSelection(node: SelectionSetNode['selections'][number], type: GraphQLNamedType, info: GraphQLResolveInfo): ItemCost {
  if (node.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = info.fragments[node.name.value];
    return fragment ? costOfItem(fragment.selectionSet, typeOf(fragment.typeCondition.name.value, type, info), info) : NOTHING;
  }
  if (node.kind === Kind.INLINE_FRAGMENT)
    return costOfItem(node.selectionSet, node.typeCondition ? typeOf(node.typeCondition.name.value, type, info) : type, info);
  const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
  if (!field) return IN_MEMORY;
  if (!node.selectionSet || priceOf(field) > 0) return loaded(priceOf(field));
  const below = costOfItem(node.selectionSet, getNamedType(field.type), info);
  return isListType(getNullableType(field.type)) ? { ...IN_MEMORY, loads: below.loads } : below;
}

const typeOf = (name: string, fallback: GraphQLNamedType, { schema }: GraphQLResolveInfo): GraphQLNamedType =>
  schema.getType(name) ?? fallback;

const NOTHING: ItemCost = { values: 0, points: 0, loads: false };
const IN_MEMORY: ItemCost = { values: 1, points: 0, loads: false };

const loaded = (points: number): ItemCost => ({ values: 1, points, loads: points > 0 });

const sum = (one: ItemCost, other: ItemCost): ItemCost => ({
  values: one.values + other.values,
  points: one.points + other.points,
  loads: one.loads || other.loads,
});

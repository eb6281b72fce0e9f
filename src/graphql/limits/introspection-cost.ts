import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';

/** An operation with a field of introspection at its root. */
export interface IntrospectionInput {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Number of values of an introspection answer per point. The query of common tools costs about a fifth of the ceiling of the standard
 * plan.
 */
const VALUES_PER_POINT = 4;

/** Costs of introspection fields in cached documents, by the type that `__type` names. */
const known = new WeakMap<FieldNode, Map<unknown, number>>();

/**
 * Returns the price of `__schema` or `__type` in points, by the exact number of values in its answer; null for any other field. Values are
 * counted without executing the query: once for each selection set and type, field or argument of the schema, however often the answer
 * repeats them. The price is computed once per parsed document.
 */
export function introspectionCost(node: FieldNode, { schema, document, variables }: IntrospectionInput): number | null {
  if (!node.selectionSet || !/^__(schema|type)$/.test(node.name.value)) return null;
  const isSchema = node.name.value === SchemaMetaFieldDef.name;
  const source = isSchema ? schema : schema.getType(String(getArgumentValues(TypeMetaFieldDef, node, variables).name));
  if (!source) return 0;
  const costs = known.get(node) ?? new Map<unknown, number>();
  known.set(node, costs);
  const type = getNamedType(isSchema ? SchemaMetaFieldDef.type : TypeMetaFieldDef.type) as GraphQLObjectType;
  const cost = costs.get(source) ?? Math.ceil(countValues(node.selectionSet, type, source, schema, document) / VALUES_PER_POINT);
  costs.set(source, cost);
  return cost;
}

function countValues(
  root: SelectionSetNode,
  rootType: GraphQLObjectType,
  rootSource: object,
  schema: GraphQLSchema,
  document: DocumentNode,
) {
  const counts = new Map<SelectionSetNode, Map<unknown, number>>();

  function ofObject(set: SelectionSetNode, type: GraphQLObjectType, source: unknown): number {
    const ofSet = counts.get(set) ?? new Map<unknown, number>();
    counts.set(set, ofSet);
    const count = ofSet.get(source) ?? set.selections.reduce((sum, one) => sum + ofSelection(one, type, source), 0);
    ofSet.set(source, count);
    return count;
  }

  function ofSelection(node: SelectionSetNode['selections'][number], type: GraphQLObjectType, source: unknown): number {
    if (node.kind === Kind.INLINE_FRAGMENT) return ofObject(node.selectionSet, type, source);
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value);
      return fragment && 'selectionSet' in fragment && fragment.selectionSet ? ofObject(fragment.selectionSet, type, source) : 0;
    }
    const field = type.getFields()[node.name.value];
    if (!field || !node.selectionSet) return 1;
    const { selectionSet } = node;
    const below = getNamedType(field.type);
    const value = resolved(field, source);
    if (!isObjectType(below) || value === null || value === undefined) return 1;
    const items = Array.isArray(value) ? value : [value];
    return items.reduce((sum: number, item: unknown) => sum + ofObject(selectionSet, below, item), 1);
  }

  /** Returns the property of an introspection object. Deprecated fields are included, even if the argument excludes them. */
  const resolved = (field: GraphQLField<unknown, unknown>, source: unknown): unknown =>
    field.resolve?.(source, { includeDeprecated: true }, undefined, { schema } as GraphQLResolveInfo);

  return ofObject(root, rootType, rootSource);
}

import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { isReadFromParent } from '../limits/limit-fields.ts';

/** Selection of an object, prepared before execution. It is created once per operation and values of the variables in its directives. */
export interface ObjectPlan {
  /** Number that distinguishes plans without keeping them in memory. */
  readonly id: number;
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /**
   * True if everything below is read from the object itself, without resolvers or arguments, so that its text depends on the object alone.
   */
  readonly isInMemory: boolean;
}

export interface FieldPlan {
  /** The response key. */
  readonly key: string;
  /** JSON before the value of the field: `{"name":` for the first field, `,"name":` for the others. */
  readonly before: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly value: ValuePlan;
  /** The info of a resolver, except the request and the path in the result. */
  readonly info: Omit<GraphQLResolveInfo, 'path' | 'rootValue' | 'variableValues'>;
  readonly isInMemory: boolean;
}

/** Serialisation of a value of a type. */
export type ValuePlan =
  | { readonly kind: 'leaf'; readonly isRequired: boolean; readonly serialize: (value: unknown) => unknown }
  | { readonly kind: 'list'; readonly isRequired: boolean; readonly item: ValuePlan }
  | { readonly kind: 'object'; readonly isRequired: boolean; readonly plan: ObjectPlan }
  | AbstractPlan;

export interface AbstractPlan {
  readonly kind: 'abstract';
  readonly isRequired: boolean;
  readonly type: GraphQLAbstractType;
  /** Plans by the name of each possible type. */
  readonly plans: ReadonlyMap<string, ObjectPlan>;
}

/** Reasons for which an operation is executed by graphql-js. */
export type NotCovered = 'not_a_query' | 'introspection' | 'wrong_condition';

export interface PlannedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** Coerced variables. Only those in `@skip` and `@include` change the plan. */
  readonly variables: Readonly<Record<string, unknown>>;
}

class NotCoveredError extends Error {
  constructor(readonly reason: NotCovered) {
    super(reason);
  }
}

/** Plans a query. The fields and their order are those that graphql-js collects. It reports a condition of a directive that is null. */
export function planOperation(given: PlannedOperation): ObjectPlan | NotCovered {
  const { schema, operation, fragments, variables } = given;
  const query = schema.getQueryType();
  if (operation.operation !== OperationTypeNode.QUERY || !query) return 'not_a_query';
  try {
    return planObject(query, collectFields(schema, fragments, variables, query, operation.selectionSet), given);
  } catch (error) {
    if (error instanceof NotCoveredError) return error.reason;
    if (error instanceof GraphQLError) return 'wrong_condition';
    throw error;
  }
}

let lastId = 0;

type CollectedFields = ReadonlyMap<string, readonly FieldNode[]>;

function planObject(type: GraphQLObjectType, nodes: CollectedFields, given: PlannedOperation): ObjectPlan {
  const fields = [...nodes].map(([key, fieldNodes], i) => planField(type, { key, fieldNodes, mark: i === 0 ? '{' : ',' }, given));
  lastId += 1;
  return { id: lastId, type, fields, isInMemory: fields.every(({ isInMemory }) => isInMemory) };
}

interface CollectedField {
  readonly key: string;
  readonly fieldNodes: readonly FieldNode[];
  /** Mark between the field and the one before it. */
  readonly mark: '{' | ',';
}

function planField(parentType: GraphQLObjectType, { key, fieldNodes, mark }: CollectedField, given: PlannedOperation): FieldPlan {
  const { schema, operation, fragments } = given;
  const name = fieldNodes[0]?.name.value ?? '';
  const field = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parentType.getFields()[name];
  if (!field) throw new NotCoveredError('introspection'); // a validated query has no other field that is missing in the type
  const info = { fieldName: name, fieldNodes, returnType: field.type, parentType, schema, fragments, operation };
  const value = planValue(field.type, info, given);
  const isInMemory = field === TypeNameMetaFieldDef || (isReadFromParent(field) && isReadInMemory(value));
  return { key, before: `${mark}${JSON.stringify(key)}:`, field, value, info, isInMemory };
}

function planValue(type: GraphQLOutputType, info: FieldPlan['info'], given: PlannedOperation): ValuePlan {
  if (isNonNullType(type)) return { ...planValue(type.ofType, info, given), isRequired: true };
  if (isListType(type)) return { kind: 'list', isRequired: false, item: planValue(type.ofType, info, given) };
  if (isLeafType(type)) return { kind: 'leaf', isRequired: false, serialize: (value) => type.serialize(value) };
  const planOf = (one: GraphQLObjectType) => planObject(one, subfieldsOf(one, info, given), given);
  if (!isAbstractType(type)) return { kind: 'object', isRequired: false, plan: planOf(type) };
  const plans = new Map(given.schema.getPossibleTypes(type).map((one) => [one.name, planOf(one)]));
  return { kind: 'abstract', isRequired: false, type, plans };
}

const subfieldsOf = (type: GraphQLObjectType, { fieldNodes }: FieldPlan['info'], { schema, fragments, variables }: PlannedOperation) =>
  collectSubfields(schema, fragments, variables, type, fieldNodes);

function isReadInMemory(value: ValuePlan): boolean {
  if (value.kind === 'list') return isReadInMemory(value.item);
  if (value.kind === 'object') return value.plan.isInMemory;
  return value.kind === 'leaf';
}

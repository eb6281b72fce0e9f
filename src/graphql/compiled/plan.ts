import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
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
import { answersPlanOf } from './answers-plan.ts';
import type { FieldPlan, ObjectPlan, ValuePlan } from './plan-types.ts';

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
  return { id: lastId, type, fields, isInMemory: fields.every(({ isInMemory }) => isInMemory), answers: answersPlanOf(fields) };
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

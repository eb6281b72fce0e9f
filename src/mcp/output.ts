import {
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { z } from 'zod';

/** Members of every GraphQL answer besides its data. */
const ENVELOPE = {
  errors: z
    .array(z.looseObject({ message: z.string(), path: z.array(z.union([z.string(), z.int()])).optional(), extensions: z.looseObject({}) }))
    .optional()
    .describe('Failures. The data beside them are incomplete.'),
  extensions: z.looseObject({}).optional().describe('`cost.counted` says what was counted'),
};

/** Schemas of scalars that are not texts in JSON. */
const SCALARS: Readonly<Record<string, z.ZodType>> = { Int: z.int(), Float: z.number(), Boolean: z.boolean() };

/**
 * Creates the schema of the result of a tool: the answer of GraphQL to its document.
 * @throws Error for a document with fragments, or one that the schema does not answer
 */
export function outputOf(schema: GraphQLSchema, document: string): z.ZodObject {
  const [operation] = parse(document).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the document of a tool is one operation');
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no ${operation.operation}`);
  return z.object({ data: objectOf(root, operation.selectionSet).nullish(), ...ENVELOPE });
}

function objectOf(type: GraphQLObjectType, { selections }: SelectionSetNode): z.ZodObject {
  const shape = selections.map((selection): [string, z.ZodType] => {
    if (selection.kind !== Kind.FIELD) throw new Error('the document of a tool has no fragments');
    const field = type.getFields()[selection.name.value];
    if (!field) throw new Error(`${type.name} has no field ${selection.name.value}`);
    const value = nullableOf(field.type, selection.selectionSet);
    const described = field.description ? value.describe(field.description) : value;
    // `@include` and `@skip` may omit the field.
    return [selection.alias?.value ?? selection.name.value, selection.directives?.length ? described.optional() : described];
  });
  return z.object(Object.fromEntries(shape));
}

function nullableOf(type: GraphQLOutputType, selections: SelectionSetNode | undefined): z.ZodType {
  if (!isNonNullType(type)) return knownOf(type, selections).nullable();
  return knownOf(type.ofType, selections);
}

function knownOf(type: GraphQLOutputType, selections: SelectionSetNode | undefined): z.ZodType {
  if (isListType(type)) return z.array(nullableOf(type.ofType, selections));
  if (isObjectType(type) && selections) return objectOf(type, selections);
  return isEnumType(type) ? enumOf(type) : (SCALARS[String(type)] ?? z.string());
}

const enumOf = (type: GraphQLEnumType): z.ZodType => z.enum(type.getValues().map(({ name }) => name));

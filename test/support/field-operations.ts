import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';

/** An operation that selects one field. */
export interface FieldOperation {
  /** Name of the field, such as `Company.kyb`. */
  readonly field: string;
  readonly query: string;
}

/** Returns one operation for each root field and each field of Company that has a resolver, with valid arguments. */
export function fieldOperations(schema: GraphQLSchema, company: string): readonly FieldOperation[] {
  const fieldsOf = (name: string) => Object.values((schema.getType(name) as GraphQLObjectType).getFields());
  return [
    ...fieldsOf('Query').map((field) => ({ field: `Query.${field.name}`, query: `{ ${selected(field)} }` })),
    ...fieldsOf('Mutation').map((field) => ({ field: `Mutation.${field.name}`, query: `mutation { ${selected(field)} }` })),
    ...fieldsOf('Company')
      .filter(({ resolve }) => resolve)
      .map((field) => ({ field: `Company.${field.name}`, query: `{ company(identifier: "${company}") { ${selected(field)} } }` })),
  ];

  function selected({ name, args, type }: GraphQLField<unknown, unknown>): string {
    const given = args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined);
    const values = given.map((arg) => `${arg.name}: ${literal(arg.name, arg.type)}`);
    return `${name}${values.length > 0 ? `(${values.join(', ')})` : ''}${isLeafType(getNamedType(type)) ? '' : ' { __typename }'}`;
  }

  function literal(name: string, of: GraphQLInputType): string {
    const type = getNullableType(of);
    if (isListType(type)) return `[${literal(name, type.ofType)}]`;
    if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
    if (isInputObjectType(type)) {
      const needed = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
      return `{ ${needed.map((field) => `${field.name}: ${literal(field.name, field.type)}`).join(', ')} }`;
    }
    if (type.name === 'Int' || type.name === 'Float') return '1';
    if (type.name === 'Boolean') return 'true';
    if (type.name === 'URL') return '"https://example.com/hook"';
    return JSON.stringify(TEXTS[name] ?? company);
  }
}

const PUBLIC_ID = '00000000000000000000000000000001';
const TEXTS: Readonly<Record<string, string>> = { id: `mon_${PUBLIC_ID}`, domain: 'example.cl', email: 'a@gmail.com', reason: 'a reason' };

import {
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  stripIgnoredCharacters,
  typeFromAST,
  validate,
} from 'graphql';

/** TypeScript type of each scalar, in answers and in variables; `string` for others. */
const SCALARS: Readonly<Record<string, string>> = { Boolean: 'boolean', Int: 'number', Float: 'number' };

/** Enums that get new values with modules and sources. The dashboard treats them as texts, and shows values that it does not know. */
const OPEN_ENUMS = ['Module', 'SourceName'];

/**
 * Generates the types of the dashboard's operations, fragments and enums from their GraphQL documents, and their texts as the browser
 * sends them. Fragments are expanded, so that a type names every selected field.
 * @throws GraphQLError for a document that the schema does not answer
 */
export function dashboardOperations(schema: GraphQLSchema, source: string): string {
  const document = parse(source);
  const [problem] = validate(schema, document);
  if (problem) throw problem;
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
    if (one.kind === Kind.OPERATION_DEFINITION) operations.push(one);
  }
  const enums = new Set<string>();

  function typeOf(type: GraphQLOutputType, selection: SelectionSetNode | undefined): string {
    if (isNonNullType(type)) return requiredOf(type.ofType, selection);
    return `${requiredOf(type, selection)} | null`;
  }

  function requiredOf(type: GraphQLOutputType, selection: SelectionSetNode | undefined): string {
    if (isListType(type)) return `readonly (${typeOf(type.ofType, selection)})[]`;
    if (isObjectType(type) && selection) return objectOf(type, selection);
    return leafOf(getNamedType(type));
  }

  function leafOf(type: { readonly name: string }): string {
    if (!isEnumType(type) || OPEN_ENUMS.includes(type.name)) return SCALARS[type.name] ?? 'string';
    enums.add(type.name);
    return type.name;
  }

  const objectOf = (type: GraphQLObjectType, selection: SelectionSetNode): string =>
    `{ ${[...fieldsOf(type, selection)].map(([name, text]) => `readonly ${name}: ${text};`).join(' ')} }`;

  /** Returns the type of each field by response name. A field that occurs twice is used once; its later selection is ignored. */
  function fieldsOf(type: GraphQLObjectType, selection: SelectionSetNode): ReadonlyMap<string, string> {
    const fields = new Map<string, string>();
    for (const one of selection.selections) {
      if (one.kind === Kind.FIELD) {
        const field = type.getFields()[one.name.value];
        const isConditional = one.directives?.some(({ name }) => name.value === 'include' || name.value === 'skip');
        const name = `${one.alias?.value ?? one.name.value}${isConditional ? '?' : ''}`;
        if (field) fields.set(name, typeOf(field.type, one.selectionSet));
        continue;
      }
      const spread = one.kind === Kind.FRAGMENT_SPREAD ? fragments.get(one.name.value)?.selectionSet : one.selectionSet;
      if (spread) for (const [name, text] of fieldsOf(type, spread)) fields.set(name, text);
    }
    return fields;
  }

  function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode): string {
    const fields = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
      const type = typeFromAST(schema, node as never);
      if (!type) throw new GraphQLError(`no such type: ${print(node)}`);
      const isOptional = !isNonNullType(type) || defaultValue;
      return `readonly ${variable.name.value}${isOptional ? '?' : ''}: ${inputOf(type)};`;
    });
    return fields.length === 0 ? 'Record<string, never>' : `{ ${fields.join(' ')} }`;
  }

  function inputOf(type: unknown): string {
    if (isNonNullType(type)) return inputValueOf(type.ofType);
    return `${inputValueOf(type)} | null`;
  }

  function inputValueOf(type: unknown): string {
    if (isListType(type)) return `readonly (${inputOf(type.ofType)})[]`;
    if (!isInputObjectType(type)) return leafOf(type as { readonly name: string });
    const fields = Object.values(type.getFields()).map(
      ({ name, type: of, defaultValue }) =>
        `readonly ${name}${isNonNullType(of) && defaultValue === undefined ? '' : '?'}: ${inputOf(of)};`,
    );
    return `{ ${fields.join(' ')} }`;
  }

  const fragmentTypes = [...fragments.values()].map((fragment) => {
    const type = schema.getType(fragment.typeCondition.name.value);
    return isObjectType(type) ? `export type ${fragment.name.value} = ${objectOf(type, fragment.selectionSet)};\n` : '';
  });
  const operationTypes = operations.map((operation) => {
    const name = operation.name?.value;
    const root = schema.getRootType(operation.operation);
    if (!name || !root) throw new GraphQLError('every operation has a name');
    return [
      `export type ${name} = ${objectOf(root, operation.selectionSet)};\n`,
      `export const ${name}: Operation<${name}, ${variablesOf(operation)}> = operation(\n  ${JSON.stringify(textOf(operation, fragments))},\n);\n`,
    ].join('');
  });
  const enumTypes = [...enums].sort().map((name) => {
    const type = schema.getType(name);
    const values = isEnumType(type) ? type.getValues().map(({ name: value }) => `'${value}'`) : [];
    return `export type ${name} = ${values.join(' | ')};\n`;
  });
  return [HEAD, ...enumTypes, ...fragmentTypes, ...operationTypes].join('\n');
}

const HEAD = `// Generated by npm run codegen from the GraphQL documents beside it.

/** A GraphQL document with the types of its answer and of its variables. */
export interface Operation<Data, Variables> {
  readonly text: string;
  /** This member is for types only. No operation has a value here. */
  readonly types?: (variables: Variables) => Data;
}

const operation = <Data, Variables>(text: string): Operation<Data, Variables> => ({ text });
`;

/** Returns the text of an operation with the fragments that it uses, without blanks. */
function textOf(operation: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): string {
  const used = new Map<string, string>();
  const add = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/\.\.\.(\w+)/g)) {
      const fragment = fragments.get(name);
      if (!fragment || used.has(name)) continue;
      used.set(name, print(fragment));
      add(print(fragment));
    }
  };
  add(print(operation));
  return stripIgnoredCharacters([print(operation), ...used.values()].join('\n'));
}

import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { code, escapeHtml, prose, table } from './rest-reference.ts';

const idOf = ({ name }: GraphQLNamedType): string => `type-${name.toLowerCase()}`;

/** Writes a type such as `[Owner!]!`, with a link to the named type. */
function typeLink(type: GraphQLType): string {
  const named = getNamedType(type);
  const text = escapeHtml(String(type));
  return isSpecifiedScalarType(named) ? text : text.replace(named.name, `<a href="#${idOf(named)}">${named.name}</a>`);
}

const described = ({ name, type, description }: GraphQLArgument | GraphQLInputField): readonly string[] => [
  code(name),
  typeLink(type),
  prose(description ?? ''),
];

/** Writes a field with its arguments, one row each. */
const fieldRows = ({ name, type, description, args }: GraphQLField<unknown, unknown>): readonly (readonly string[])[] => [
  [code(name), typeLink(type), prose(description ?? '')],
  ...args.map((one) => [code(`${name}(${one.name}:)`), typeLink(one.type), prose(one.description ?? '')]),
];

const fieldTable = (type: GraphQLObjectType | GraphQLInterfaceType): string =>
  table(['Field', 'Type', 'Description'], Object.values(type.getFields()).flatMap(fieldRows));

const inputTable = (type: GraphQLInputObjectType): string =>
  table(['Field', 'Type', 'Description'], Object.values(type.getFields()).map(described));

const valueTable = (type: GraphQLEnumType): string =>
  table(
    ['Value', 'Description'],
    type.getValues().map(({ name, description }) => [code(name), prose(description ?? '')]),
  );

function contentOf(type: GraphQLNamedType): string {
  if (isObjectType(type) || isInterfaceType(type)) return fieldTable(type);
  if (isInputObjectType(type)) return inputTable(type);
  return isEnumType(type) ? valueTable(type) : '';
}

const sectionOf = (type: GraphQLNamedType): string =>
  `<section><h3 id="${idOf(type)}">${code(type.name)}</h3><p>${prose(type.description ?? '')}</p>${contentOf(type)}</section>`;

/** Renders the reference of GraphQL: every operation and type of the schema with its description. It needs no script. */
export function graphqlReference(sdl: string): string {
  const schema = buildSchema(sdl);
  const roots = [
    { heading: 'Queries', type: schema.getQueryType() },
    { heading: 'Mutations', type: schema.getMutationType() },
    { heading: 'Subscriptions', type: schema.getSubscriptionType() },
  ].flatMap(({ heading, type }) => (type ? [{ heading, type }] : []));
  const others = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.some((root) => root.type === type),
  );
  const groups = [
    { heading: 'Objects', types: others.filter((type) => isObjectType(type) || isInterfaceType(type)) },
    { heading: 'Inputs', types: others.filter(isInputObjectType) },
    { heading: 'Enums', types: others.filter(isEnumType) },
    { heading: 'Scalars', types: others.filter(isScalarType) },
  ];
  return [
    '<h1>GraphQL reference</h1>',
    '<p>Every operation and type of the schema. The same as a file: <a href="/schema.graphql">/schema.graphql</a>. How to use them is in <a href="/docs/graphql">GraphQL</a>.</p>',
    ...roots.map(({ heading, type }) => `<h2 id="${heading.toLowerCase()}">${heading}</h2>${fieldTable(type)}`),
    ...groups.map(({ heading, types }) => `<h2 id="${heading.toLowerCase()}">${heading}</h2>${types.map(sectionOf).join('\n')}`),
  ].join('\n');
}

import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';

/** Values that generated operations may use. */
export interface Targets {
  readonly identifiers: readonly string[];
  readonly domains: readonly string[];
  /** Global ids of the key's monitors. */
  readonly monitorIds: readonly string[];
}

/** Limits of the service, which most operations should stay within, so that they are executed. */
const MOST = { depth: 9, fields: 190, aliases: 12 } as const;

/**
 * Generates queries that try to be expensive: random walks over the schema that prefer lists, ask for the largest pages and the longest
 * lists, repeat fields under aliases and nest as deep as the limits admit. The same numbers of `random` give the same operations.
 */
export function operationGenerator(printedSchema: string, targets: Targets, random: () => number): () => string {
  const schema = buildSchema(printedSchema);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const query = schema.getQueryType() as GraphQLObjectType;
  let left: { fields: number; aliases: number };

  return () => {
    left = { fields: 2 + Math.floor(random() * MOST.fields), aliases: MOST.aliases };
    return `query Adversarial ${selections(query, 1)}`;
  };

  function selections(type: GraphQLNamedType, depth: number): string {
    if (isUnionType(type) || (isInterfaceType(type) && random() < 0.7)) {
      const possible = pick(schema.getPossibleTypes(type));
      return `{ __typename ... on ${possible.name} ${selections(possible, depth)} }`;
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return '';
    const fields = Object.values(type.getFields());
    const nested = depth < MOST.depth ? fields.filter((field) => isCompositeType(getNamedType(field.type))) : [];
    const lists = nested.filter((field) => isListType(getNullableType(field.type)) || field.args.length > 0);
    const leaves = fields.filter((field) => !isCompositeType(getNamedType(field.type)));
    const chosen: GraphQLField<unknown, unknown>[] = [];
    for (let count = 1 + Math.floor(random() * (depth === 1 ? 3 : 4)); count > 0; count -= 1) {
      const from = [lists, nested, leaves][random() < 0.5 ? 0 : random() < 0.6 ? 1 : 2] ?? leaves;
      if (from.length > 0) chosen.push(pick(from));
    }
    const seen = new Set<string>();
    const parts = chosen.map((field) => written(field, depth, seen)).filter((text) => text !== '');
    return `{ ${parts.join(' ') || '__typename'} }`;
  }

  function written(field: GraphQLField<unknown, unknown>, depth: number, seen: Set<string>): string {
    if (left.fields <= 0) return '';
    const repeated = seen.has(field.name);
    if (repeated && left.aliases <= 0) return '';
    seen.add(field.name);
    left.fields -= 1;
    if (repeated) left.aliases -= 1;
    const alias = repeated ? `a${left.aliases}: ` : '';
    const args = field.args.flatMap((arg) => {
      const value = argumentText(arg);
      return value === null ? [] : [`${arg.name}: ${value}`];
    });
    const type = getNamedType(field.type);
    const below = isCompositeType(type) ? ` ${selections(type, depth + 1)}` : '';
    return `${alias}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${below}`;
  }

  /** Returns the GraphQL text of an argument; null to omit it. */
  function argumentText(arg: GraphQLArgument): string | null {
    const many = (items: readonly string[], most: number) =>
      JSON.stringify(Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(items)));
    switch (arg.name) {
      case 'first':
        return String(random() < 0.8 ? 100 : 1 + Math.floor(random() * 100));
      case 'identifiers':
        return isRequiredArgument(arg) ? many(targets.identifiers, random() < 0.5 ? 500 : 20) : null;
      case 'ids':
        return many(targets.monitorIds, 100);
      case 'id':
        return JSON.stringify(pick(targets.monitorIds));
      case 'identifier':
        return JSON.stringify(pick(targets.identifiers));
      case 'domain':
        return JSON.stringify(pick(targets.domains));
      case 'email':
        return JSON.stringify(`info@${pick(targets.domains)}`);
      case 'country':
        return isRequiredArgument(arg) ? pick(['BR', 'CL', 'CO']) : null;
      default:
        return null;
    }
  }
}

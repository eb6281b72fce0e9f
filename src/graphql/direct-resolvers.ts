import { type GraphQLFieldResolver, type GraphQLSchema, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { RequestContext } from '../context.ts';

type Metadata = ReturnType<typeof getMetadataStorage>['fieldResolvers'][number];
type Param = NonNullable<Metadata['params']>[number];
type Resolve = GraphQLFieldResolver<unknown, RequestContext>;
type Read = (...given: Parameters<Resolve>) => unknown;

/**
 * Lets fields call the methods of their resolver classes directly. The handlers of type-graphql sort the parameters, copy objects into
 * classes and create a promise for each argument, even for a Boolean. With 50 companies this takes a tenth of the time. A method with a
 * middleware, an argument of an input type or another kind of parameter keeps its handler.
 */
export function callResolversDirectly(schema: GraphQLSchema): GraphQLSchema {
  const { fieldResolvers, objectTypes } = getMetadataStorage();
  const instances = new Map<unknown, Record<string, Resolve>>();
  for (const { name, target } of objectTypes) {
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    for (const resolver of fieldResolvers.filter(({ kind, getObjectType }) => kind === 'external' && getObjectType?.() === target)) {
      const field = type.getFields()[resolver.schemaName];
      const hasInputs = field?.args.some((arg) => isInputObjectType(getNamedType(arg.type)));
      const reads = readsOf(resolver);
      if (!field || hasInputs || !reads) continue;
      const instance = instances.get(resolver.target) ?? Reflect.construct(resolver.target, []);
      instances.set(resolver.target, instance);
      const method = instance[resolver.methodName] as (...params: unknown[]) => unknown;
      field.resolve = (...given) =>
        method.apply(
          instance,
          reads.map((read) => read(...given)),
        );
    }
  }
  return schema;
}

/** Returns a reader for each parameter of a method, in their order; null if only type-graphql can call the method. */
function readsOf({ params = [], middlewares = [], roles }: Metadata): readonly Read[] | null {
  if (middlewares.length > 0 || roles) return null;
  const reads = params.toSorted((a, b) => a.index - b.index).map(readOf);
  return reads.every((read, i) => read !== null && params.some(({ index }) => index === i)) ? (reads as readonly Read[]) : null;
}

function readOf(param: Param): Read | null {
  if (param.kind === 'root' && param.propertyName === undefined) return (root) => root;
  if (param.kind === 'context' && param.propertyName === undefined) return (_root, _args, context) => context;
  if (param.kind === 'info') return (_root, _args, _context, info) => info;
  if (param.kind === 'arg') return (_root, args) => args[param.name];
  return null;
}

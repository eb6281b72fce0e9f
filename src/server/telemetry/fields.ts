import { defaultFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type Observer, observed } from '../../domain/observer.ts';

/** Makes a step of every field that does more than read a property. */
export function observeFields(schema: GraphQLSchema, observer: Observer): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (!resolve || resolve === defaultFieldResolver) continue;
      const step = { kind: 'field', name: `${type.name}.${field.name}` } as const;
      field.resolve = (...given) => observed(observer, step, async () => resolve(...given));
    }
  }
}

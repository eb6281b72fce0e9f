import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { type Observer, outcomeOf, type Running } from '../../domain/observer.ts';

/** Makes a step of every field that does more than read a property. */
export function observeFields(schema: GraphQLSchema, observer: Observer): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()))
      if (field.resolve && field.resolve !== defaultFieldResolver)
        field.resolve = observedField(field.resolve, `${type.name}.${field.name}`, observer);
  }
}

/** What answers at once goes on doing so: a list of five hundred would else wait for as many promises. */
function observedField(resolve: GraphQLFieldResolver<unknown, unknown>, name: string, observer: Observer): typeof resolve {
  return (...given) => {
    const running = observer.begin({ kind: 'field', name });
    try {
      const result = running.within(() => resolve(...given));
      if (result instanceof Promise) return settled(result, running);
      running.end('ok');
      return result;
    } catch (error) {
      running.end(outcomeOf(error));
      throw error;
    }
  };
}

async function settled(result: Promise<unknown>, running: Running): Promise<unknown> {
  try {
    const value = await result;
    running.end('ok');
    return value;
  } catch (error) {
    running.end(outcomeOf(error));
    throw error;
  }
}

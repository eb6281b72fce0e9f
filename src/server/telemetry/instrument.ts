import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import type { Knex } from 'knex';
import { type Observer, outcomeOf, type Span } from '../../observer.ts';

/** Wraps every resolver in a span. Fields with the default resolver only read a property and have none. */
export function instrumentFields(schema: GraphQLSchema, observer: Observer): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()))
      if (field.resolve && field.resolve !== defaultFieldResolver)
        field.resolve = instrumentedResolver(field.resolve, `${type.name}.${field.name}`, observer);
  }
}

/** Wraps a resolver. A synchronous one stays synchronous, because for a list of 500 items promises would cost more than the fields. */
function instrumentedResolver(resolve: GraphQLFieldResolver<unknown, unknown>, name: string, observer: Observer): typeof resolve {
  return (...args) => {
    const span = observer.startSpan({ kind: 'field', name });
    try {
      const result = span.run(() => resolve(...args));
      if (result instanceof Promise) return endWhenSettled(result, span);
      span.end('ok');
      return result;
    } catch (error) {
      span.end(outcomeOf(error));
      throw error;
    }
  };
}

async function endWhenSettled(result: Promise<unknown>, span: Span): Promise<unknown> {
  try {
    const value = await result;
    span.end('ok');
    return value;
  } catch (error) {
    span.end(outcomeOf(error));
    throw error;
  }
}

interface Query {
  readonly __knexQueryUid: string;
  readonly sql: string;
}

/** Starts a span for every statement of a connection pool. Bindings are not read. */
export function instrumentSql(db: Knex, observer: Observer): void {
  const spans = new Map<string, Span>();
  const end = ({ __knexQueryUid: id }: Query, outcome: string) => {
    spans.get(id)?.end(outcome);
    spans.delete(id);
  };
  db.on('query', ({ __knexQueryUid: id, sql }: Query) => {
    spans.set(id, observer.startSpan({ kind: 'sql', name: statementName(sql) }));
  });
  db.on('query-response', (_rows: unknown, query: Query) => end(query, 'ok'));
  db.on('query-error', (error: Error, query: Query) => end(query, outcomeOf(error)));
}

const STATEMENTS = new Set(['select', 'insert', 'update', 'delete', 'with', 'begin', 'commit', 'rollback']);

/** Returns the first word of a statement, or `other`, so that the metric label has few values. */
function statementName(sql: string): string {
  const word = /\w+/.exec(sql)?.[0].toLowerCase() ?? '';
  return STATEMENTS.has(word) ? word : 'other';
}

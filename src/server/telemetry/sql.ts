import type { Knex } from 'knex';
import { type Observer, outcomeOf, type Running } from '../../domain/observer.ts';

interface Query {
  readonly __knexQueryUid: string;
  readonly sql: string;
}

/** Makes a step of every statement of a pool. Its values are not looked at. */
export function observeSql(db: Knex, observer: Observer): void {
  const running = new Map<string, Running>();
  const end = ({ __knexQueryUid: id }: Query, outcome: string) => {
    running.get(id)?.end(outcome);
    running.delete(id);
  };
  db.on('query', ({ __knexQueryUid: id, sql }: Query) => {
    running.set(id, observer.begin({ kind: 'sql', name: nameOf(sql) }));
  });
  db.on('query-response', (_rows: unknown, query: Query) => end(query, 'ok'));
  db.on('query-error', (error: Error, query: Query) => end(query, outcomeOf(error)));
}

const WORDS = new Set(['select', 'insert', 'update', 'delete', 'with', 'begin', 'commit', 'rollback']);

function nameOf(sql: string): string {
  const word = /\w+/.exec(sql)?.[0].toLowerCase() ?? '';
  return WORDS.has(word) ? word : 'other';
}

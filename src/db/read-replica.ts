import type { Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';

/**
 * Reads copied registries from a read replica, or without one from the primary. A replica lags behind, so `work` reads a version and the
 * rows of that version from the same database.
 */
export interface CopyReads {
  /**
   * Runs `work` on the replica. `isUsable` tells whether its result is recent enough. If it is not, or if the replica fails, `work` runs
   * on the primary.
   * @throws AppError of `work`, and the error of a value that no database accepts: the replica has not failed
   */
  read<T>(work: (db: Knex) => Promise<T>, isUsable: (result: T) => boolean): Promise<T>;
}

/** Creates reads without a replica. */
export const readsOf = (primary: Knex): CopyReads => ({ read: (work) => work(primary) });

/** True if a replica has this version or a later one, because ids increase. Without a `known` version, any version is sufficient. */
export const isAtLeast = (id: string | undefined, known: string | null): boolean =>
  id !== undefined && (known === null || BigInt(id) >= BigInt(known));

export interface ReplicaReads extends CopyReads {
  /** False while the replica counts as unavailable. */
  isUsed(): boolean;
}

interface ReplicaParts {
  readonly primary: Knex;
  readonly replica: Knex;
  readonly now: Clock;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/** Time between two attempts to read from a replica that failed. */
const RETRY_MS = 5 * SECOND_MS;
/**
 * SQLSTATE of a query that a replica cancels because it replays the removal of the rows that the query reads, such as a replaced version.
 */
const REPLAY_CONFLICT = '40001';
/** SQLSTATE class of a value that Postgres refuses, such as a date out of range. */
const DATA_EXCEPTION = /^22/;

/** True for an error that the primary would have, too. */
const isOfRequest = (error: unknown): boolean =>
  error instanceof AppError || (error instanceof pg.DatabaseError && DATA_EXCEPTION.test(error.code ?? ''));

/**
 * Reads from a replica. After a failure all reads go to the primary, except one every 5 s. The failure is logged once, until the replica
 * responds again.
 */
export function createReplicaReads({ primary, replica, now, log }: ReplicaParts): ReplicaReads {
  let isAway = false;
  let triedAt = 0;

  function failed(error: Error & { readonly code?: string }): void {
    if (error.code === REPLAY_CONFLICT) return;
    if (!isAway) log.warn({ component: 'db', why: error.message }, 'the read replica failed; the primary answers');
    isAway = true;
  }
  function answered(): void {
    if (isAway) log.info({ component: 'db' }, 'the read replica answers again');
    isAway = false;
  }

  return {
    isUsed: () => !isAway,
    async read(work, isUsable) {
      if (isAway && now() - triedAt < RETRY_MS) return work(primary);
      triedAt = now();
      try {
        const result = await work(replica);
        answered();
        if (isUsable(result)) return result;
      } catch (error) {
        if (isOfRequest(error)) throw error;
        failed(error as Error);
      }
      return work(primary);
    },
  };
}

/** State of a read replica. */
export interface ReplicaState {
  /** Version of Postgres, such as 18.1. */
  readonly version: string;
  /** False for a database that replays nothing, because it is not a replica, or was promoted. */
  readonly isReplaying: boolean;
  /** Age of the last replayed transaction if more was received, in s; 0 when everything received is replayed. */
  readonly behindSeconds: number;
}

export async function readReplicaState(replica: Knex): Promise<ReplicaState> {
  const { rows } = await replica.raw(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplaying",
       CASE WHEN pg_last_wal_receive_lsn() IS DISTINCT FROM pg_last_wal_replay_lsn()
         THEN coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0) ELSE 0 END::float8 AS "behindSeconds"`,
  );
  return rows[0];
}

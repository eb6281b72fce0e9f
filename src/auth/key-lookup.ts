import type { Knex } from 'knex';
import type { Caller } from '../context.ts';
import type { Clock } from '../domain/time.ts';
import { KeyCache } from './key-cache.ts';
import { isWellFormed } from './key-format.ts';
import { knownModules } from './key-record.ts';

export interface LookUpDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly hashOf: (key: string) => Buffer;
  /** True for a key that need not have the form of ours. */
  readonly isOwn: (key: string) => boolean;
}

/** Whom keys open to. */
export interface LookUp {
  find(key: string): Promise<Caller | null>;
  stillOpen(ids: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
  /** Forgets what was read: something changed. */
  forget(): void;
}

/** One indexed read by hash, kept for 4 s; what is malformed is told without one. Time counts when the question is asked, not when it was read. */
export function createLookUp({ db, now, hashOf, isOwn }: LookUpDeps): LookUp {
  const cache = new KeyCache<Row | null>(now);

  function callerOf({ id, name, modules, account_id, plan, trusted_only, revoked_at, expires_at, secret_expires_at }: Row): Caller | null {
    const isOver = [expires_at, secret_expires_at].some((end) => end !== null && end.getTime() <= now());
    if (revoked_at || isOver) return null;
    const expiresAt = expires_at?.getTime() ?? null;
    const terms = { modules: new Set(knownModules(modules)), plan, expiresAt, trustedOnly: trusted_only };
    return { keyId: id, name, accountId: account_id, ...terms };
  }

  return {
    async find(key) {
      if (!isWellFormed(key) && !isOwn(key)) return null;
      const hash = hashOf(key);
      const row = await cache.through(hash.toString('base64'), async () => {
        const { rows } = await db.raw(`SELECT ${COLUMNS} WHERE s.hash = ?`, [hash]);
        return (rows[0] as Row | undefined) ?? null;
      });
      return row && callerOf(row);
    },

    async stillOpen(ids) {
      const { rows } = await db.raw(
        `SELECT DISTINCT ON (k.id) ${COLUMNS} WHERE k.id = ANY (?) ORDER BY k.id, s.expires_at DESC NULLS FIRST`,
        [[...ids]],
      );
      const callers = (rows as Row[]).map(callerOf).filter((caller) => caller !== null);
      return new Map(callers.map((caller) => [caller.keyId, caller]));
    },

    forget: () => cache.clear(),
  };
}

const COLUMNS = `k.id, k.name, k.modules, k.account_id, k.plan, k.trusted_only, k.revoked_at, k.expires_at, s.expires_at AS secret_expires_at
  FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id`;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly modules: readonly string[];
  readonly account_id: string;
  readonly plan: string;
  readonly trusted_only: boolean;
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
  readonly secret_expires_at: Date | null;
}

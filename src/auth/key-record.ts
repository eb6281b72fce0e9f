import type { Knex } from 'knex';
import { MODULES, type ModuleName } from '../domain/modules.ts';

/** One of the texts that open a key, or did. Times are epoch ms. */
export interface SecretRecord {
  /** Its last four characters. */
  readonly lastFour: string;
  readonly createdAt: number;
  /** End of its overlap with the next; null for the one in use. */
  readonly expiresAt: number | null;
}

/** A key as it can be shown at any time. Times are epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  /** Name of its account. */
  readonly account: string;
  readonly name: string;
  readonly note: string | null;
  /** The last four characters of its newest secret, to tell keys apart. */
  readonly lastFour: string;
  readonly modules: readonly ModuleName[];
  readonly plan: string;
  /** True for one that runs trusted GraphQL documents alone. */
  readonly trustedOnly: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Start of the minute of its last use; null before the first. */
  readonly lastUsedAt: number | null;
  /** Newest first, those that ended included. */
  readonly secrets: readonly SecretRecord[];
}

/** Which keys: a condition on `k`, with its bindings. */
interface Choice {
  readonly where: string;
  readonly bindings: readonly unknown[];
}

/** Keys as they are now, oldest first. */
export async function readKeys(db: Knex, { where, bindings }: Choice = { where: 'true', bindings: [] }): Promise<KeyRecord[]> {
  const { rows } = await db.raw(`${SELECT} WHERE ${where} ORDER BY k.created_at, k.id`, [...bindings] as Knex.Value[]);
  return rows.map(toRecord);
}

const SELECT = `
  SELECT k.*, a.name AS account,
    (SELECT json_agg(s ORDER BY s.created_at DESC, s.expires_at DESC NULLS FIRST)
     FROM (SELECT last_four, created_at, expires_at FROM api_key_secrets WHERE key_id = k.id) AS s) AS secrets
  FROM api_keys k JOIN accounts a ON a.id = k.account_id`;

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly account: string;
  readonly name: string;
  readonly note: string | null;
  readonly modules: readonly string[];
  readonly plan: string;
  readonly trusted_only: boolean;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  /** Times as JSON writes them; null for none. */
  readonly secrets: readonly { readonly last_four: string; readonly created_at: string; readonly expires_at: string | null }[] | null;
}

function toRecord(row: Row): KeyRecord {
  const secrets = (row.secrets ?? []).map(({ last_four, created_at, expires_at }) => ({
    lastFour: last_four,
    createdAt: Date.parse(created_at),
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
  }));
  return {
    id: row.id,
    accountId: row.account_id,
    account: row.account,
    name: row.name,
    note: row.note,
    lastFour: secrets[0]?.lastFour ?? '',
    modules: knownModules(row.modules),
    plan: row.plan,
    trustedOnly: row.trusted_only,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
    revokedAt: row.revoked_at?.getTime() ?? null,
    lastUsedAt: row.last_used_at?.getTime() ?? null,
    secrets,
  };
}

/** Modules of a newer release are left out: this one cannot open them. */
export const knownModules = (names: readonly string[]): readonly ModuleName[] => MODULES.filter((module) => names.includes(module));

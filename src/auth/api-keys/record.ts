import type { Knex } from 'knex';
import { MODULES, type ModuleName } from '../../domain/catalogue.ts';
import { invalidInput } from '../../domain/errors.ts';
import { isoOrNull } from '../../domain/time.ts';
import { knownModules } from './lookup.ts';

/** A secret of a key, without its text. Times are epoch ms. */
export interface SecretRecord {
  /** Last four characters. */
  readonly lastFour: string;
  readonly createdAt: number;
  /** End of the overlap with its successor; null for the current secret. */
  readonly expiresAt: number | null;
}

/** An API key without its secrets' text. Times are epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  /** Name of its account. */
  readonly account: string;
  readonly name: string;
  readonly note: string | null;
  /** Last four characters of the newest secret, so that people can distinguish keys. */
  readonly lastFour: string;
  readonly modules: readonly ModuleName[];
  readonly plan: string;
  /** True when the key may run trusted GraphQL documents only. */
  readonly trustedOnly: boolean;
  /** True when a consolidated check that no source answered is an error. */
  readonly failsIncomplete: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Start of the minute of the last use; null for an unused key. */
  readonly lastUsedAt: number | null;
  /** Secrets, newest first, including ended ones. */
  readonly secrets: readonly SecretRecord[];
}

/** The editable fields of a key. `expiresAt` is epoch ms, null for never; a `note` of null removes it. */
export interface KeyTerms {
  readonly name?: string;
  readonly modules?: readonly ModuleName[];
  readonly expiresAt?: number | null;
  /** Note that only operators see. */
  readonly note?: string | null;
  /** Name of the plan. */
  readonly plan?: string;
  /** If true, the key runs trusted GraphQL documents only. */
  readonly trustedOnly?: boolean;
  /** If true, a consolidated check that no source answered is an error. */
  readonly failsIncomplete?: boolean;
}

const PLAN = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * Converts terms to columns of `api_keys`, given fields only. @throws AppError INVALID_INPUT for a blank name, no modules or an invalid
 * plan name
 */
export function termColumns({ name, modules, expiresAt, note, plan, trustedOnly, failsIncomplete }: KeyTerms) {
  if (name?.trim() === '') throw invalidInput('name', 'A key needs a name, so that people can tell it from others.');
  if (modules?.length === 0) throw invalidInput('modules', 'A key needs at least one module.');
  if (plan !== undefined && !PLAN.test(plan))
    throw invalidInput('plan', `"${plan}" is not a valid name of a plan; an example is standard.`);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(modules && { modules: [...modules] }),
    ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : new Date(expiresAt) }),
    ...(note !== undefined && { note: note?.trim() || null }),
    ...(plan !== undefined && { plan }),
    ...(trustedOnly !== undefined && { trusted_only: trustedOnly }),
    ...(failsIncomplete !== undefined && { fails_incomplete: failsIncomplete }),
  };
}

/** Converts terms to facts of the audit log. Names and notes may contain personal data, so they are logged as `changed`. */
export const termFacts = ({ name, note, expiresAt, trustedOnly, failsIncomplete, ...rest }: KeyTerms) => ({
  ...rest,
  ...(trustedOnly !== undefined && { trusted_only: trustedOnly }),
  ...(failsIncomplete !== undefined && { fails_incomplete: failsIncomplete }),
  ...(expiresAt !== undefined && { expires_at: isoOrNull(expiresAt) }),
  ...(name !== undefined && { name: 'changed' }),
  ...(note !== undefined && { note: 'changed' }),
});

/** Parses `kyb,owners` or `all` to modules. @throws AppError INVALID_INPUT with the names of all modules */
export function readModules(text: string): readonly ModuleName[] {
  if (text.trim() === 'all') return MODULES;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const found = MODULES.find((module) => module === name);
    if (!found) throw invalidInput('modules', `There is no module "${name}". Give all, or any of: ${MODULES.join(', ')}.`);
    return found;
  });
}

/** SQL condition on `k`, with its bindings. */
interface Condition {
  readonly where: string;
  readonly bindings: readonly unknown[];
}

/** Reads the matching keys, oldest first; all keys without a condition. */
export async function readKeys(db: Knex, { where, bindings }: Condition = { where: 'true', bindings: [] }): Promise<KeyRecord[]> {
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
  readonly fails_incomplete: boolean;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  /** Times in ISO 8601; null for a key without secrets. */
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
    failsIncomplete: row.fails_incomplete,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
    revokedAt: row.revoked_at?.getTime() ?? null,
    lastUsedAt: row.last_used_at?.getTime() ?? null,
    secrets,
  };
}

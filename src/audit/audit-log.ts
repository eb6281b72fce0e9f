import type { Knex } from 'knex';

/** Actions that are logged: every change that an operator, a key or the server makes. Reads are not logged. */
export type AuditAction =
  | 'account.created'
  | 'account.changed'
  | 'account.erased'
  | 'key.created'
  | 'key.changed'
  | 'key.rotated'
  | 'key.rotation_undone'
  | 'key.revoked'
  | 'person.signed_in'
  | 'person.signed_out'
  | 'person.session_ended'
  | 'document.registered'
  | 'document.removed'
  | 'monitor.created'
  | 'monitor.updated'
  | 'monitor.cancelled'
  | 'monitor.secret_rotated'
  | 'monitor.enabled'
  | 'mail.subscribed'
  | 'mail.confirmed'
  | 'mail.unsubscribed'
  | 'companies.tagged'
  | 'evidence_key.created'
  | 'match.dismissed'
  | 'match.reopened'
  | 'match.confirmed'
  | 'match.unconfirmed'
  | 'match.dismissal_proposed'
  | 'match.confirmation_proposed'
  | 'note.added'
  | 'note.deleted'
  | 'screening.started'
  | 'screening.cancelled'
  | 'screening.secret_rotated'
  | 'change.released'
  | 'change.discarded'
  | 'suppression.added'
  | 'suppression.removed'
  | 'change_log.epoch_begun';

/** One logged change. */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  /** Author of the change: `operator <user>` for a command, `key <id>` for a caller, `person <id>` for a person who signs in or out, `server` for the service itself. */
  readonly actor: string;
  readonly action: AuditAction;
  /** Public id of the changed object. */
  readonly subject: string;
  /** Details of the change; never a key, an address or a person's name. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Entries of a statement. Postgres accepts 65,535 parameters, and an entry has five. */
const MAX_ENTRIES = 1_000;

/**
 * Writes entries in their order, a thousand by one statement. It must be called in the transaction of the change, so that both are committed or neither.
 */
export async function audit(trx: Knex, ...entries: readonly AuditEntry[]): Promise<void> {
  const rows = entries.map(({ at, facts = {}, ...entry }) => ({ ...entry, at: new Date(at), facts: JSON.stringify(facts) }));
  for (let start = 0; start < rows.length; start += MAX_ENTRIES) await trx('audit_log').insert(rows.slice(start, start + MAX_ENTRIES));
}

/** Reads entries since `since` (epoch ms), oldest first; `subject` is an id or the beginning of one. */
export async function auditLog(db: Knex, { since, subject }: { readonly since: number; readonly subject?: string }): Promise<AuditEntry[]> {
  const beginning = `${(subject ?? '').replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const rows: Row[] = await db('audit_log').where('at', '>=', new Date(since)).whereLike('subject', beginning).orderBy('id');
  return rows.map(({ at, actor, action, subject, facts }) => ({ at: at.getTime(), actor, action, subject, facts }));
}

/** Number of rows that one statement deletes. */
const PURGE_ROWS = 5_000;

/** Deletes the entries before `before` (epoch ms), in batches. Returns their number. */
export async function purgeAudit(db: Knex, before: number): Promise<number> {
  let purged = 0;
  for (let last = PURGE_ROWS; last === PURGE_ROWS; purged += last) {
    const old = db('audit_log').select('id').where('at', '<', new Date(before)).orderBy('at').limit(PURGE_ROWS);
    last = await db('audit_log').whereIn('id', old).delete();
  }
  return purged;
}

interface Row extends Required<Omit<AuditEntry, 'at'>> {
  readonly at: Date;
}

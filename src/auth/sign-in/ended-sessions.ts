import type { Knex } from 'knex';
import { audit } from '../../audit/audit-log.ts';
import type { Clock } from '../../domain/time.ts';
import { deleteChosenSessions, type ListedSession, type SessionChoice } from '../store/person-sessions.ts';

/**
 * Ends the sessions of a choice, in all processes within 5 s, and writes each into the audit log.
 * @param actor author of the change, as the audit log names it
 * @returns the ended sessions; none if there are no such sessions
 */
export const endChosenSessions = (
  { db, now, actor }: { readonly db: Knex; readonly now: Clock; readonly actor: string },
  choice: SessionChoice,
): Promise<readonly ListedSession[]> =>
  db.transaction(async (trx) => {
    const at = now();
    const ended = await deleteChosenSessions(trx, choice, at);
    const entries = ended.map(({ id, keyId, personId }) => ({
      at,
      actor,
      subject: id,
      facts: { key: keyId, person: personId },
      action: 'person.session_ended' as const,
    }));
    if (entries.length > 0) await audit(trx, ...entries);
    return ended;
  });

import { randomUUID } from 'node:crypto';
import { audit } from '../../../audit/audit-log.ts';
import type { AccountData } from '../../../auth/accounts/erasure.ts';
import { actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import { lockAccount } from '../../../db/transaction.ts';
import { COMPLIANCE_MODULE_OF } from '../../../domain/catalogue.ts';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { maskCpfs } from '../../../domain/personal-ids.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { storable } from '../../../domain/text.ts';
import { noteMessages } from '../../../messages/notes.ts';
import { requireModule } from '../../../metering/ask.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { MAX_NOTE, MAX_NOTES, type Note } from '../domain/note.ts';
import { COMPLIANCE_MODULES } from '../loader.ts';
import { countNotes, deleteNote, eraseNotes, insertNote } from '../store/notes.ts';

/** Rate limit of writing and deleting notes, per key. */
export const WRITE_NOTE: LimitedAction = { name: 'company_note', rate: { perMinute: 120, burst: 120 } };

/** Notes of accounts about companies. A key reaches the notes of its own account only. */
export interface Notes {
  /**
   * Writes a note about a company. Each CPF in it is masked.
   * @throws AppError MODULE_NOT_ENABLED if the key has no module for the consolidated check of the country; INVALID_INPUT on `text`;
   * PLAN_LIMIT_REACHED
   */
  add(caller: Caller, company: CompanyKey, text: string): Promise<Note>;
  /** Deletes a note. @param id public id @throws AppError NOTE_NOT_FOUND */
  delete(caller: Caller, id: string): Promise<Note>;
}

function createNotes({ db, now }: Pick<ServiceDeps, 'db' | 'now'>): Notes {
  /** The text may name people, so it is not in the audit log. */
  const log = (action: 'note.added' | 'note.deleted', caller: Caller, { id, company }: Note) => ({
    at: now(),
    actor: actorOf(caller),
    action,
    subject: toPublicId('note', id),
    facts: { company: companyKeyText(company) },
  });

  return {
    async add(caller, company, written) {
      requireModule(caller, COMPLIANCE_MODULE_OF[company.country]);
      const text = readNote(written);
      return changeInTime(db, async (trx) => {
        await lockAccount(trx, caller.accountId);
        if ((await countNotes(trx, caller.accountId)) >= MAX_NOTES) throw tooMany(company);
        const { country, taxId } = company;
        const note = { id: randomUUID(), company: { country, taxId }, text, keyId: caller.keyId, keyName: caller.name, writtenAt: now() };
        const stored = await insertNote(trx, caller.accountId, note);
        await audit(trx, log('note.added', caller, stored));
        return stored;
      });
    },
    delete(caller, id) {
      const uuid = fromPublicId('note', id);
      return changeInTime(db, async (trx) => {
        const note = uuid && (await deleteNote(trx, caller.accountId, uuid));
        if (!note) throw new AppError('NOTE_NOT_FOUND', noteMessages.noNote());
        await audit(trx, log('note.deleted', caller, note));
        return note;
      });
    },
  };
}

/** Returns the text as it is stored. @throws AppError INVALID_INPUT on `text` */
function readNote(written: string): string {
  const text = storable(written).trim();
  if (text === '') throw invalidInput('text', noteMessages.noText());
  if (text.length > MAX_NOTE) throw invalidInput('text', noteMessages.longText({ max: MAX_NOTE }));
  return maskCpfs(text);
}

const tooMany = ({ country }: CompanyKey): AppError =>
  new AppError('PLAN_LIMIT_REACHED', noteMessages.many({ max: MAX_NOTES }), { module: COMPLIANCE_MODULE_OF[country] });

/** Token for `open`. A caller needs a module with consolidated checks. */
export const noteService = defineService<Notes>({ name: 'company_notes', module: COMPLIANCE_MODULES, create: createNotes });

/** The notes of an account, for its export and erasure. */
export const noteAccountData: AccountData = {
  tables: [{ table: 'company_notes', where: 'account_id = ?' }],
  erase: async (trx, { accountId }) => (await eraseNotes(trx, accountId)).map((id) => toPublicId('note', id)),
};

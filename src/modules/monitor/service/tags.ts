import { audit } from '../../../audit/audit-log.ts';
import { actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import { lockAccount } from '../../../db/transaction.ts';
import { type CompanyKey, type Country, parsePrintedCompanyKey } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { tagMessages } from '../../../messages/monitors.ts';
import type { ServiceDeps } from '../../../service.ts';
import { MAX_IDENTIFIERS } from '../domain/monitor.ts';
import { MAX_TAGS, readTags } from '../domain/tag.ts';
import { addTags, firstUnwatched, removeTags } from '../store/company-tags.ts';

/** Rate limit of changes of tags, per key. */
export const TAG: LimitedAction = { name: 'tag_companies', rate: { perMinute: 120, burst: 120 } };

/** Input of `change`. */
export interface TagChange {
  readonly country: Country;
  readonly identifiers: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Tags by which an account groups the companies that it watches. All keys of the account have the same tags. */
export interface Tags {
  /**
   * Adds and removes tags of companies, and returns the companies in the order of `identifiers`.
   * @throws AppError INVALID_INPUT on `identifiers`, `identifiers.N`, `add`, `add.N`, `remove` or `remove.N`
   */
  change(caller: Caller, change: TagChange): Promise<readonly CompanyKey[]>;
}

export const createTags = ({ db, now }: Pick<ServiceDeps, 'db' | 'now'>): Tags => ({
  async change(caller, { country, identifiers, ...change }) {
    const { accountId } = caller;
    const companies = readCompanies(country, identifiers);
    const [added, removed] = [readTags(change.added, 'add'), readTags(change.removed, 'remove')];
    if (removed.some((tag) => added.includes(tag))) throw invalidInput('remove', tagMessages.addedAndRemoved());
    await changeInTime(db, async (trx) => {
      await lockAccount(trx, accountId);
      if (removed.length > 0) await removeTags(trx, accountId, companies, removed);
      if (added.length > 0) {
        const unwatched = await firstUnwatched(trx, accountId, companies);
        if (unwatched !== null) throw invalidInput(`identifiers.${unwatched}`, tagMessages.notWatched());
        if ((await addTags(trx, accountId, companies, added)) > MAX_TAGS) throw invalidInput('add', tagMessages.tooMany({ max: MAX_TAGS }));
      }
      // Tags may name people, so they are not in the audit log.
      const facts = { companies: companies.length, added: added.length, removed: removed.length };
      await audit(trx, { at: now(), actor: actorOf(caller), action: 'companies.tagged', subject: accountId, facts });
    });
    return companies;
  },
});

/** @throws AppError INVALID_INPUT on `identifiers` or `identifiers.N` */
function readCompanies(country: Country, identifiers: readonly string[]): readonly CompanyKey[] {
  if (identifiers.length === 0 || identifiers.length > MAX_IDENTIFIERS)
    throw invalidInput('identifiers', tagMessages.companies({ max: MAX_IDENTIFIERS }));
  return identifiers.map((text, i) => parsePrintedCompanyKey(country, text, `identifiers.${i}`));
}

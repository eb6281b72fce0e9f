import type { Knex } from 'knex';
import { audit } from '../../audit/audit-log.ts';
import { type AccountListColumns, toAccountLists } from '../../db/account-lists.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { AccountLists, OptionalList } from '../../domain/optional-lists.ts';
import type { Clock } from '../../domain/time.ts';

/** A customer that API keys belong to. `createdAt` is epoch ms. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Default address for keys sent by mail; null for none. */
  readonly email: string | null;
  readonly createdAt: number;
  /** True if a decision about a candidate takes effect when a second person approves the decision. */
  readonly needsApproval: boolean;
  /** Optional lists that it has chosen. */
  readonly lists: AccountLists;
}

/** The editable fields of an account. An `email` of null removes the address; an empty array of lists removes the choice. */
export interface AccountTerms {
  readonly name?: string;
  readonly email?: string | null;
  /** See `Account.needsApproval`. */
  readonly needsApproval?: boolean;
  /** See `AccountLists.answers`. */
  readonly lists?: readonly OptionalList[];
  /** See `AccountLists.verdicts`. */
  readonly verdictLists?: readonly OptionalList[];
}

/** Operations on accounts. `which` is an account's name, its id, or the beginning of its id (4 characters or more). */
export interface Accounts {
  /** Returns all accounts, sorted by name, each with the number of its keys that are not revoked. */
  list(): Promise<readonly (Account & { readonly keys: number })[]>;
  /** @throws AppError INVALID_INPUT when `which` matches no account or several */
  get(which: string): Promise<Account>;
  /** @throws AppError INVALID_INPUT for a blank name or the name of another account */
  create(terms: AccountTerms & { readonly name: string }): Promise<Account>;
  /** @throws AppError INVALID_INPUT as `get` and `create`, and when `terms` is empty */
  update(which: string, terms: AccountTerms): Promise<Account>;
}

export interface AccountsDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Author of the changes, for the audit log. */
  readonly actor: string;
}

export function createAccounts({ db, now, actor }: AccountsDeps): Accounts {
  return {
    async list() {
      const { rows } = await db.raw(
        `SELECT a.*, (SELECT count(*)::int FROM api_keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL) AS keys
         FROM accounts a ORDER BY a.name`,
      );
      return rows.map((row: Row & { keys: number }) => ({ ...toAccount(row), keys: row.keys }));
    },

    get: (which) => findAccount(db, which),

    create: ({ name, email = null, ...lists }) =>
      db.transaction(async (trx) => {
        const [row] = await trx('accounts')
          .insert({ ...termColumns({ ...lists, name: readName(name), email }), created_at: new Date(now()) }, '*')
          .onConflict('name')
          .ignore();
        if (!row) throw nameTaken(name);
        await audit(trx, { at: now(), actor, action: 'account.created', subject: row.id });
        return toAccount(row);
      }),

    async update(which, terms) {
      const fields = Object.keys(terms);
      if (fields.length === 0)
        throw invalidInput('name', 'Nothing to change: give a name, an e-mail address, lists or the approval of decisions.');
      const { id } = await findAccount(db, which);
      const columns = termColumns({ ...terms, ...(terms.name !== undefined && { name: readName(terms.name) }) });
      return db.transaction(async (trx) => {
        const { name } = columns;
        if (name !== undefined && (await trx('accounts').where({ name }).whereNot({ id }).first('id'))) throw nameTaken(name);
        const [row] = await trx('accounts').where({ id }).update(columns, '*');
        const setting = terms.needsApproval !== undefined && { needs_approval: terms.needsApproval };
        await audit(trx, { at: now(), actor, action: 'account.changed', subject: id, facts: { fields, ...setting } });
        return toAccount(row);
      });
    },
  };
}

/** @throws AppError INVALID_INPUT when `which` matches no account or several */
export async function findAccount(db: Knex, which: string): Promise<Account> {
  const named = await db('accounts').where({ name: which.trim() }).first();
  if (named) return toAccount(named);
  const isId = /^[0-9a-f-]{4,36}$/i.test(which);
  const [row, another] = isId
    ? await db('accounts')
        .whereRaw('id::text LIKE ?', [`${which.toLowerCase()}%`])
        .limit(2)
    : [];
  if (!row) throw invalidInput('account', `There is no account "${which}". Make it first: quipu accounts create --name "${which}"`);
  if (another) throw invalidInput('account', 'Several accounts begin like this; give more of the id.');
  return toAccount(row);
}

/** Finds or creates the account of this name and locks it until the end of the transaction. */
export async function ensureAccount(trx: Knex, name: string, { now, actor }: Omit<AccountsDeps, 'db'>): Promise<Account> {
  const [created] = await trx('accounts')
    .insert({ name, created_at: new Date(now()) }, '*')
    .onConflict('name')
    .ignore();
  if (created) await audit(trx, { at: now(), actor, action: 'account.created', subject: created.id });
  return toAccount(await trx('accounts').where({ name }).forUpdate().first());
}

function readName(text: string): string {
  if (text.trim() === '') throw invalidInput('name', 'An account needs a name, so that people can tell it from others.');
  return text.trim();
}

const nameTaken = (name: string) => invalidInput('name', `There is an account "${name}" already.`);

/** Converts terms to columns, given fields only. */
const termColumns = ({ name, email, needsApproval, lists, verdictLists }: AccountTerms) => ({
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email }),
  ...(needsApproval !== undefined && { needs_approval: needsApproval }),
  ...(lists && { lists: [...lists] }),
  ...(verdictLists && { verdict_lists: [...verdictLists] }),
});

interface Row extends AccountListColumns {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly needs_approval: boolean;
  readonly created_at: Date;
}

const toAccount = ({ id, name, email, needs_approval, created_at, ...lists }: Row): Account => ({
  id,
  name,
  email,
  createdAt: created_at.getTime(),
  needsApproval: needs_approval,
  lists: toAccountLists(lists),
});

import type { Knex } from 'knex';
import { audit } from '../../audit/audit-log.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';

/** A customer: whom keys belong to. `createdAt` is epoch ms. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Where to send a key that nobody else is named for. */
  readonly email: string | null;
  readonly createdAt: number;
}

/** Null takes the address away. */
export interface AccountTerms {
  readonly name?: string;
  readonly email?: string | null;
}

/** Accounts. `which` names one by its name, its id, or the beginning of its id. */
export interface Accounts {
  /** By name, each with the number of its keys that are not revoked. */
  list(): Promise<readonly (Account & { readonly keys: number })[]>;
  /** @throws AppError INVALID_INPUT when it names none, or several */
  get(which: string): Promise<Account>;
  /** @throws AppError INVALID_INPUT for a blank name, or one that is taken */
  create(terms: AccountTerms & { readonly name: string }): Promise<Account>;
  /** @throws AppError INVALID_INPUT as both, and when nothing is to change */
  update(which: string, terms: AccountTerms): Promise<Account>;
}

export interface AccountsDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Who makes the changes, for the audit log. */
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

    create: ({ name, email = null }) =>
      db.transaction(async (trx) => {
        const [row] = await trx('accounts')
          .insert({ name: readName(name), email, created_at: new Date(now()) }, '*')
          .onConflict('name')
          .ignore();
        if (!row) throw taken(name);
        await audit(trx, { at: now(), actor, action: 'account.created', subject: row.id });
        return toAccount(row);
      }),

    async update(which, terms) {
      const fields = Object.keys(terms);
      if (fields.length === 0) throw invalidInput('name', 'Nothing to change: give a name, an e-mail address, or both.');
      const { id } = await findAccount(db, which);
      const columns = { ...terms, ...(terms.name !== undefined && { name: readName(terms.name) }) };
      return db.transaction(async (trx) => {
        if (columns.name !== undefined && (await trx('accounts').where({ name: columns.name }).whereNot({ id }).first('id')))
          throw taken(columns.name);
        const [row] = await trx('accounts').where({ id }).update(columns, '*');
        await audit(trx, { at: now(), actor, action: 'account.changed', subject: id, facts: { fields } });
        return toAccount(row);
      });
    },
  };
}

/** @throws AppError INVALID_INPUT when `which` names none, or several */
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

/** The account of this name, made where there is none; until the end of the transaction nobody else comes past here with it. */
export async function ensureAccount(trx: Knex, name: string, { now, actor }: Omit<AccountsDeps, 'db'>): Promise<Account> {
  const [made] = await trx('accounts')
    .insert({ name, created_at: new Date(now()) }, '*')
    .onConflict('name')
    .ignore();
  if (made) await audit(trx, { at: now(), actor, action: 'account.created', subject: made.id });
  return toAccount(await trx('accounts').where({ name }).forUpdate().first());
}

function readName(text: string): string {
  if (text.trim() === '') throw invalidInput('name', 'An account needs a name, so that people can tell it from others.');
  return text.trim();
}

const taken = (name: string) => invalidInput('name', `There is an account "${name}" already.`);

interface Row {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly created_at: Date;
}

const toAccount = ({ id, name, email, created_at }: Row): Account => ({ id, name, email, createdAt: created_at.getTime() });

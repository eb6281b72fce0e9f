import { Command } from 'commander';
import type { Knex } from 'knex';
import { type Account, createAccounts } from '../auth/accounts/accounts.ts';
import { eraseAccount, exportAccount } from '../auth/accounts/erasure.ts';
import { isoOrNull } from '../domain/time.ts';
import { parts } from '../modules/index.ts';
import { type Act, type Io, JSON_HELP, json, operator, readEmail, runOn, tableText } from './run.ts';

/** The database with the accounts. */
export interface AccountStore {
  readonly db: Knex;
  close(): Promise<void>;
}

interface Options {
  readonly name?: string;
  readonly email?: string;
  readonly json?: boolean;
}

const ACCOUNT_DATA = parts.flatMap(({ accountData = [] }) => accountData);
const NAME_HELP = 'name of the customer';
const WHICH_HELP = 'its name, its id, or the first characters of the id';

/**
 * Creates `accounts list|create|update|export|erase`. Errors go to `io.err` in one line, with exit code 1.
 * @param openDb called when the command's arguments are valid; closed when it ends
 */
export function accountsCommand(openDb: () => Promise<AccountStore>, io: Io): Command {
  const act: Act<AccountStore> = (work) => runOn(openDb, io, work);
  const accounts = new Command('accounts')
    .description('Accounts: the customers that API keys belong to')
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  for (const add of [addList, addCreate, addUpdate, addExport, addErase]) add(accounts, act);
  return accounts;
}

const accountsOf = ({ db }: AccountStore) => createAccounts({ db, now: Date.now, actor: operator() });

function addList(accounts: Command, act: Act<AccountStore>): void {
  accounts
    .command('list')
    .description('list all accounts with the number of their keys')
    .option('--json', JSON_HELP)
    .action((options: Options) =>
      act(async (open) => {
        const all = await accountsOf(await open()).list();
        if (options.json) return json(all.map((account) => ({ ...accountJson(account), keys: account.keys })));
        if (all.length === 0) return 'There are no accounts yet.\n';
        return tableText(
          ['id', 'name', 'e-mail', 'keys'],
          all.map(({ id, name, email, keys }) => [id, name, email ?? 'none', String(keys)]),
        );
      }),
    );
}

function addCreate(accounts: Command, act: Act<AccountStore>): void {
  accounts
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', NAME_HELP)
    .option('--email <address>', 'address to which its keys are sent')
    .option('--json', JSON_HELP)
    .action((options: Options & { readonly name: string }) =>
      act(async (open) => {
        const { name } = options;
        const terms = readTerms(options);
        const account = await accountsOf(await open()).create({ ...terms, name });
        return options.json ? json(accountJson(account)) : `Created account ${account.id} (${account.name}).\n`;
      }),
    );
}

function addUpdate(accounts: Command, act: Act<AccountStore>): void {
  accounts
    .command('update')
    .description('change the name or e-mail address of an account')
    .argument('<account>', WHICH_HELP)
    .option('--name <name>', NAME_HELP)
    .option('--email <address>', 'address that its keys are sent to; "none" removes it')
    .option('--json', JSON_HELP)
    .action((which: string, options: Options) =>
      act(async (open) => {
        const terms = readTerms(options);
        const account = await accountsOf(await open()).update(which, terms);
        return options.json ? json(accountJson(account)) : `Changed account ${account.id} (${account.name}).\n`;
      }),
    );
}

function addExport(accounts: Command, act: Act<AccountStore>): void {
  accounts
    .command('export')
    .description('print as JSON everything that is stored about an account, except hashes of keys and secrets of webhooks')
    .argument('<account>', WHICH_HELP)
    .action((which: string) =>
      act(async (open) => `${JSON.stringify(await exportAccount((await open()).db, which, ACCOUNT_DATA), null, 2)}\n`),
    );
}

function addErase(accounts: Command, act: Act<AccountStore>): void {
  accounts
    .command('erase')
    .description('delete an account with its keys, monitors, deliveries and usage; monthly totals stay. Its keys must be revoked')
    .argument('<account>', WHICH_HELP)
    .option('--yes', 'confirm: this cannot be undone')
    .option('--json', JSON_HELP)
    .action((which: string, { yes, json: asJson }: { readonly yes?: boolean; readonly json?: boolean }) =>
      act(async (open) => {
        const { db } = await open();
        const parts = { db, now: Date.now, actor: operator() };
        if (!yes) {
          const { id, name } = await createAccounts(parts).get(which);
          if (asJson) return json({ id, name, erased: false });
          return `Nothing was erased. Save the data (accounts export ${id}), then repeat with --yes to erase ${name}.\n`;
        }
        const { id, name } = await eraseAccount(parts, which, ACCOUNT_DATA);
        return asJson ? json({ id, name, erased: true }) : `Erased account ${id} (${name}).\n`;
      }),
    );
}

const readTerms = ({ name, email }: Options) => ({
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email: email === 'none' ? null : readEmail(email) }),
});

const accountJson = ({ id, name, email, createdAt }: Account) => ({ id, name, email, created_at: isoOrNull(createdAt) });

import { Command } from 'commander';
import type { Knex } from 'knex';
import { type Account, createAccounts } from '../auth/accounts/accounts.ts';
import { addErasure } from './accounts-erasure.ts';
import { readAddress } from './keys-options.ts';
import type { Io } from './lists.ts';
import { JSON_HELP, json, moment, operator, runOn, tableText } from './run.ts';

/** The database of the accounts, and how to be done with it. */
export interface AccountStore {
  readonly db: Knex;
  close(): Promise<void>;
}

interface Options {
  readonly name?: string;
  readonly email?: string;
  readonly json?: boolean;
}

const NAME_HELP = 'what the customer is called';

/**
 * `accounts list|create|update|export|erase`. What cannot be done is said on `io.err` in one line, and the exit code is 1.
 * @param openDb called once a command's arguments are understood; closed when it is done
 */
export function accountsCommand(openDb: () => Promise<AccountStore>, io: Io): Command {
  const act = (work: (open: () => Promise<AccountStore>) => Promise<string>) => runOn(openDb, io, work);
  const accountsOf = ({ db }: AccountStore) => createAccounts({ db, now: Date.now, actor: operator() });
  const accounts = new Command('accounts')
    .description('Accounts: the customers whom keys belong to')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  accounts
    .command('list')
    .description('show all accounts, with how many keys each has')
    .option('--json', JSON_HELP)
    .action((options: Options) =>
      act(async (open) => {
        const all = await accountsOf(await open()).list();
        if (options.json) return json(all.map((account) => ({ ...accountJson(account), keys: account.keys })));
        if (all.length === 0) return 'There are no accounts yet.\n';
        return tableText(all.map(({ id, name, email, keys }) => [id, name, email ?? 'no address', `${keys} keys`]));
      }),
    );

  accounts
    .command('create')
    .description('make an account')
    .requiredOption('--name <name>', NAME_HELP)
    .option('--email <address>', 'where its keys are sent')
    .option('--json', JSON_HELP)
    .action((options: Options & { readonly name: string }) =>
      act(async (open) => {
        const { name } = options;
        const terms = readTerms(options);
        const account = await accountsOf(await open()).create({ ...terms, name });
        return options.json ? json(accountJson(account)) : `Created account ${account.id} (${account.name}).\n`;
      }),
    );

  accounts
    .command('update')
    .description('change what an account is called, or where its keys are sent')
    .argument('<account>', 'its name, its id, or the first characters of it')
    .option('--name <name>', NAME_HELP)
    .option('--email <address>', 'where its keys are sent; "none" for nowhere')
    .option('--json', JSON_HELP)
    .action((which: string, options: Options) =>
      act(async (open) => {
        const terms = readTerms(options);
        const account = await accountsOf(await open()).update(which, terms);
        return options.json ? json(accountJson(account)) : `Changed account ${account.id} (${account.name}).\n`;
      }),
    );

  addErasure(accounts, act);
  return accounts;
}

const readTerms = ({ name, email }: Options) => ({
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email: email === 'none' ? null : readAddress(email) }),
});

const accountJson = ({ id, name, email, createdAt }: Account) => ({ id, name, email, created_at: moment(createdAt) });

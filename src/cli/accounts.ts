import { Command } from 'commander';
import type { Knex } from 'knex';
import { type Account, createAccounts } from '../auth/accounts/accounts.ts';
import { eraseAccount, exportAccount } from '../auth/accounts/erasure.ts';
import { invalidInput } from '../domain/errors.ts';
import { OPTIONAL_LISTS, type OptionalList, optionalLists } from '../domain/optional-lists.ts';
import { isoOrNull } from '../domain/time.ts';
import { parts } from '../modules/index.ts';
import { type Act, type Io, JSON_HELP, json, operator, readEmail, readOne, runOn, tableText } from './run.ts';

/** The database with the accounts. */
export interface AccountStore {
  readonly db: Knex;
  close(): Promise<void>;
}

interface Options {
  readonly name?: string;
  readonly email?: string;
  readonly approval?: string;
  readonly lists?: string;
  readonly verdictLists?: string;
  readonly json?: boolean;
}

const ACCOUNT_DATA = parts.flatMap(({ accountData = [] }) => accountData);
const NAME_HELP = 'name of the customer';
const ALL_LISTS = Object.keys(OPTIONAL_LISTS) as readonly OptionalList[];
const DECIDING_LISTS = optionalLists({ mayDecide: true });
const LISTS_HELP = `optional lists that its answers include, separated by commas, or "none": ${ALL_LISTS.join(', ')}`;
const VERDICTS_HELP = `optional lists whose records count in its verdicts, or "none": ${DECIDING_LISTS.join(', ')}`;
const APPROVAL_HELP =
  '"needed" if a decision about a candidate takes effect when a second person, with a key of another name, approves it, or "none"';
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
          ['id', 'name', 'e-mail', 'keys', 'lists', 'verdict lists'],
          all.map(({ id, name, email, keys, lists }) => [
            id,
            name,
            email ?? 'none',
            String(keys),
            listsText(lists.answers),
            listsText(lists.verdicts),
          ]),
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
    .option('--approval <which>', APPROVAL_HELP)
    .option('--lists <names>', LISTS_HELP)
    .option('--verdict-lists <names>', VERDICTS_HELP)
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
    .description('change the name, the e-mail address, the chosen lists or the approval of decisions of an account')
    .argument('<account>', WHICH_HELP)
    .option('--name <name>', NAME_HELP)
    .option('--email <address>', 'address that its keys are sent to; "none" removes it')
    .option('--approval <which>', APPROVAL_HELP)
    .option('--lists <names>', LISTS_HELP)
    .option('--verdict-lists <names>', VERDICTS_HELP)
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

const readTerms = ({ name, email, approval, lists, verdictLists }: Options) => ({
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email: email === 'none' ? null : readEmail(email) }),
  ...(approval !== undefined && { needsApproval: readApproval(approval) }),
  ...(lists !== undefined && { lists: readLists('list', ALL_LISTS, lists) }),
  ...(verdictLists !== undefined && { verdictLists: readLists('verdict list', DECIDING_LISTS, verdictLists) }),
});

/** Parses `needed` to true and `none` to false. */
function readApproval(text: string): boolean {
  if (text !== 'needed' && text !== 'none') throw invalidInput('approval', `"${text}" is not a value of --approval; write needed or none.`);
  return text === 'needed';
}

/** Parses names separated by commas, and `none` to no list. @throws AppError INVALID_INPUT for an unknown name */
function readLists(kind: string, known: readonly OptionalList[], text: string): readonly OptionalList[] {
  if (text.trim().toLowerCase() === 'none') return [];
  const names = text.split(',').map((name) => readOne(kind, known, name.trim()));
  return known.filter((list) => names.includes(list));
}

const listsText = (lists: readonly OptionalList[]): string => lists.join(',') || 'none';

const accountJson = ({ id, name, email, createdAt, needsApproval, lists }: Account) => ({
  id,
  name,
  email,
  created_at: isoOrNull(createdAt),
  approval: needsApproval ? 'needed' : 'none',
  lists: lists.answers,
  verdict_lists: lists.verdicts,
});

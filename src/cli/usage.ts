import { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import type { Knex } from 'knex';
import { findAccount } from '../auth/accounts/accounts.ts';
import { type KeyRecord, readKeys } from '../auth/store/keys.ts';
import { csvFormat } from '../domain/csv.ts';
import { invalidInput } from '../domain/errors.ts';
import type { PlanOf } from '../domain/plan.ts';
import { monthOf } from '../domain/time.ts';
import { isMonth, type ModuleUsage, sum, usageUnder } from '../domain/usage.ts';
import { usedInMonth } from '../metering/store/usage-counters.ts';
import { type Io, JSON_HELP, json, runOn, tableText } from './run.ts';

/** The database with the usage, and the plans. */
export interface UsageStore {
  readonly db: Knex;
  readonly planOf: PlanOf;
  close(): Promise<void>;
}

interface Options {
  readonly month?: string;
  readonly key?: string;
  readonly account?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** Usage of one module by one key. */
interface Line {
  readonly key: KeyRecord;
  readonly usage: ModuleUsage;
}

/** Creates `usage`, which prints the usage of a month. Errors go to `io.err` in one line, with exit code 1. */
export function usageCommand(openDb: () => Promise<UsageStore>, io: Io): Command {
  return new Command('usage')
    .description('Print the usage of a month by key and module, with the price of the overage')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .option('--month <month>', 'YYYY-MM, in UTC; the current month by default')
    .option('--key <key>', 'usage of one key: its id, or the first characters of the id')
    .option('--account <account>', 'usage of one account: its name, its id, or the first characters of the id')
    .option('--csv', 'print CSV')
    .option('--json', JSON_HELP)
    .action((options: Options) =>
      runOn(openDb, io, async (open) => {
        const { month = monthOf(Date.now()) } = options;
        if (!isMonth(month)) throw invalidInput('month', `"${month}" is no month; write YYYY-MM.`);
        if (options.key && options.account) throw invalidInput('key', 'Give a key or an account, not both.');
        const lines = await read(await open(), month, options);
        if (options.json) return json({ month, usage: lines.map(toJson), total_amount: totalOf(lines), currency: 'USD' });
        return options.csv ? csv(month, lines) : text(month, lines);
      }),
    );
}

async function read({ db, planOf }: UsageStore, month: string, options: Options): Promise<readonly Line[]> {
  const keys = await chosen(db, options);
  const ids = keys.map(({ id }) => id);
  const used = await usedInMonth(db, month, ids);
  return keys.flatMap((key) =>
    usageUnder(planOf(key.plan), new Set(), used.get(key.id) ?? new Map()).map((usage): Line => ({ key, usage })),
  );
}

async function chosen(db: Knex, { key, account }: Options): Promise<readonly KeyRecord[]> {
  if (account !== undefined) return readKeys(db, { accountId: (await findAccount(db, account)).id });
  if (key === undefined) return readKeys(db);
  if (!/^[0-9a-f-]{4,36}$/i.test(key)) throw invalidInput('key', 'Name the key by its id, or the first 4 characters or more of it.');
  const found = await readKeys(db, { idPrefix: key.toLowerCase() });
  if (found.length !== 1) throw invalidInput('key', found.length === 0 ? 'There is no such key.' : 'Several keys begin like this.');
  return found;
}

const totalOf = (lines: readonly Line[]): string => sum(lines.map(({ usage }) => usage.amount));

const toJson = ({ key, usage }: Line) => ({
  account: key.account,
  key_id: key.id,
  key_name: key.name,
  last_four: key.lastFour,
  plan: key.plan,
  module: usage.module,
  included: usage.included,
  used: usage.used,
  overage: usage.overage,
  overage_price: usage.overagePrice,
  amount: usage.amount,
  currency: usage.currency,
});

const COLUMNS = [
  'month',
  'account',
  'key_id',
  'key_name',
  'last_four',
  'plan',
  'module',
  'included',
  'used',
  'overage',
  'overage_price',
  'amount',
  'currency',
] as const;

/** Returns CSV with a header row. Cells without a limit or price are empty. */
const csv = (month: string, lines: readonly Line[]): string =>
  stringify(
    lines.map((line) => ({ month, ...toJson(line) })),
    { header: true, columns: [...COLUMNS], ...csvFormat('comma') },
  );

function text(month: string, lines: readonly Line[]): string {
  if (lines.length === 0) return `Nothing was used in ${month}.\n`;
  const head = ['account', 'key', 'module', 'included', 'used', 'overage', 'amount'];
  const rows = lines.map(({ key, usage }) => [
    key.account,
    `${key.name} …${key.lastFour}`,
    usage.module,
    usage.included === null ? 'no limit' : String(usage.included),
    String(usage.used),
    String(usage.overage),
    `${usage.amount} ${usage.currency}`,
  ]);
  return `${tableText(head, rows)}${month}: ${totalOf(lines)} USD in all.\n`;
}

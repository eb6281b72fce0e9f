import type { Command } from 'commander';
import type { Knex } from 'knex';
import { createAccounts } from '../auth/accounts/accounts.ts';
import { eraseAccount, exportAccount } from '../auth/accounts/erasure.ts';
import { operator } from './run.ts';

const WHICH = 'its name, its id, or the first characters of it';

/** Adds `accounts export|erase`. @param act runs a command's work and says what it returns */
export function addErasure(
  accounts: Command,
  act: (work: (open: () => Promise<{ readonly db: Knex }>) => Promise<string>) => Promise<void>,
): void {
  accounts
    .command('export')
    .description('print as JSON everything that is kept of an account, but for what opens a key or signs a webhook')
    .argument('<account>', WHICH)
    .action((which: string) => act(async (open) => `${JSON.stringify(await exportAccount((await open()).db, which), null, 2)}\n`));

  accounts
    .command('erase')
    .description('erase an account with its keys, monitors, deliveries and usage; totals of months stay. Its keys must be revoked')
    .argument('<account>', WHICH)
    .option('--yes', 'do it: it cannot be undone')
    .action((which: string, { yes }: { readonly yes?: boolean }) =>
      act(async (open) => {
        const { db } = await open();
        const parts = { db, now: Date.now, actor: operator() };
        if (!yes) {
          const { id, name } = await createAccounts(parts).get(which);
          return `Nothing was erased. Keep what there is (accounts export ${id}), then say --yes to erase ${name}.\n`;
        }
        const { id, name } = await eraseAccount(parts, which);
        return `Erased account ${id} (${name}).\n`;
      }),
    );
}

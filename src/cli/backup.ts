import { Command } from 'commander';
import type { Knex } from 'knex';
import { audit } from '../audit/audit-log.ts';
import { dumpDatabase, type Environment, otherConnections, restoreDatabase } from '../db/dump.ts';
import { AppError } from '../domain/errors.ts';
import type { Epoch } from '../modules/monitor/domain/log-position.ts';
import { startEpoch } from '../modules/monitor/store/change-log.ts';
import { renumberUpdates } from '../webhooks/store/delivery-log.ts';
import { type Io, JSON_HELP, json, operator, runOn } from './run.ts';

/** Dependencies of the commands. The database is opened without a migration. */
export interface BackupParts {
  readonly db: Knex;
  /** Environment variables of this process, for pg_dump and pg_restore. */
  readonly environment: Environment;
  /** Migrates the database. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  readonly json?: boolean;
}

/** Creates `backup`, `restore` and `epoch`. Errors go to `io.err` in one line, with exit code 1. */
export function backupCommands(openParts: () => Promise<BackupParts>, io: Io): readonly Command[] {
  const command = (name: string, description: string): Command =>
    new Command(name).description(description).option('--json', JSON_HELP).configureOutput({ writeOut: io.out, writeErr: io.err });

  return [
    command('backup', 'Dump the database into a file; the service may run; needs pg_dump on the PATH')
      .argument('<file>', 'a new file')
      .action((file: string, options: Options) =>
        runOn(openParts, io, async (open) => {
          const { db, environment } = await open();
          const bytes = await dumpDatabase(db, file, environment);
          return options.json ? json({ file, bytes }) : `The database is saved in ${file} (${(bytes / 1e6).toFixed(1)} MB).\n`;
        }),
      ),

    command('restore', 'Restore a dump into an empty database, and begin an epoch of the change log; needs pg_restore on the PATH')
      .argument('<file>', 'a file that backup wrote')
      .action((file: string, options: Options) =>
        runOn(openParts, io, async (open) => {
          const { db, environment, migrate } = await open();
          await restoreDatabase(db, file, environment);
          await migrate();
          return report(await beginEpoch(db), options);
        }),
      ),

    command('epoch', 'Begin an epoch of the change log, after the database was restored by other means; stop the service first').action(
      (options: Options) =>
        runOn(openParts, io, async (open) => {
          const { db, migrate } = await open();
          await requireStopped(db);
          await migrate();
          return report(await beginEpoch(db), options);
        }),
    ),
  ];
}

/** Time within which the connections of a process close after its end. */
const CLOSING_MS = 3_000;

/** @throws AppError INVALID_INPUT while processes of the service are connected, because they know changes that a restore removed */
async function requireStopped(db: Knex): Promise<void> {
  const since = performance.now();
  let count = await otherConnections(db);
  while (count > 0 && performance.now() - since < CLOSING_MS) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    count = await otherConnections(db);
  }
  if (count > 0)
    throw new AppError('INVALID_INPUT', `Stop all processes of the service first: they have ${count} connections to this database.`);
}

const beginEpoch = (db: Knex): Promise<Epoch> =>
  db.transaction(async (trx) => {
    const epoch = await startEpoch(trx);
    await renumberUpdates(trx);
    await audit(trx, {
      at: Date.now(),
      actor: operator(),
      action: 'change_log.epoch_begun',
      subject: epoch.id,
      facts: { after: epoch.after },
    });
    return epoch;
  });

const report = ({ id, after }: Epoch, options: Options): string =>
  options.json
    ? json({ epoch: id, after })
    : `The change log continues after position ${after} in epoch ${id}. Cursors for later positions are refused. Start the service.\n`;

import { Command } from 'commander';
import { createLog, openDatabase, sourcesOf } from './app.ts';
import { keysCommand } from './cli/keys.ts';
import { sourcesCommand, syncCommand } from './cli/lists.ts';
import { type Config, ConfigError, processConfig } from './config.ts';
import { attachOrStart } from './db/embedded.ts';
import { migrate } from './db/migrations.ts';
import { AppError } from './domain/errors.ts';
import { findSandbox } from './sandbox/address.ts';

const io = {
  out: (text: string): void => void process.stdout.write(text),
  err: (text: string): void => void process.stderr.write(text),
};

/** The database of the running server, or one started for as long as the command runs; migrated. */
async function open(config: Config) {
  const log = createLog({ logLevel: 'error' });
  const database = await openDatabase(config, log, (dataDir) => attachOrStart(dataDir, { log }));
  await migrate(database.db);
  return { ...database, log };
}

async function openKeys() {
  const config = processConfig();
  const { db, close } = await open(config);
  return { db, secret: config.keySecret, close };
}

async function openSources() {
  const config = processConfig();
  const sandboxUrl = config.sources === 'sandbox' ? await findSandbox(config.dataDir) : null;
  if (config.sources === 'sandbox' && !sandboxUrl) {
    throw new ConfigError('The sandbox runs inside the server: start it (npm start), or set QUIPU_SOURCES=live.');
  }
  const { db, close, log } = await open(config);
  const sources = sourcesOf(config, { db, log, now: Date.now, random: Math.random, sandboxUrl });
  return {
    sources,
    async close() {
      await sources.close();
      await close();
    },
  };
}

const program = new Command('quipu')
  .description('Keys and lists of a Quipu service, beside its running server or without one')
  .addCommand(keysCommand(openKeys, io))
  .addCommand(syncCommand(openSources, io))
  .addCommand(sourcesCommand(openSources, io))
  .addCommand(
    new Command('migrate').description('Bring the database to the current schema').action(async () => {
      const { close } = await open(processConfig());
      await close();
      io.out('The database is up to date.\n');
    }),
  );

// An exit lets go of a Postgres that runs for this command only; a signal alone would leave it behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

program.parseAsync().catch((error: unknown) => {
  const known = error instanceof AppError || error instanceof ConfigError;
  io.err(`${error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error)}\n`);
  process.exitCode = 1;
});

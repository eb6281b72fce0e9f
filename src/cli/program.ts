import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { withKeySecret } from '../app/data-folder.ts';
import { openDatabase } from '../app/database.ts';
import { createLog } from '../app/log.ts';
import { registryImportParts } from '../app/registry-copy.ts';
import { createServices } from '../app/services.ts';
import { limitsOf, type SandboxAddress, sourcesOf } from '../app/sources.ts';
import { createMailer } from '../auth/mail.ts';
import { type Config, ConfigError, processConfig, processEnvironment } from '../config.ts';
import { attachOrStart } from '../db/embedded.ts';
import { AppError } from '../domain/errors.ts';
import { bringUpToDate } from '../jobs/schema.ts';
import { createPlans } from '../metering/plans.ts';
import { clOwnership } from '../sources/cl-ownership/source.ts';
import { sii } from '../sources/sii/source.ts';
import { accountsCommand } from './accounts.ts';
import { auditCommand } from './audit.ts';
import { backupCommands } from './backup.ts';
import { checkCommand } from './check.ts';
import type { ClientParts } from './client.ts';
import { completionCommand } from './completion.ts';
import { type DoctorParts, doctorCommand } from './doctor.ts';
import { documentsCommand } from './documents.ts';
import { domainsCommand } from './domains.ts';
import { evidenceCommand } from './evidence.ts';
import { connectionCommand, groupCommand } from './group.ts';
import { beneficialOwnersCommand, groupFindingsCommand } from './group-findings.ts';
import { historyCommand } from './history.ts';
import { type Import, importCommand, tendersImport } from './import.ts';
import { receitaImportCommand } from './import-receita.ts';
import { keysCommand } from './keys.ts';
import { sourcesCommand, syncCommand } from './lists.ts';
import { mcpCommand } from './mcp.ts';
import { monitorCommand } from './monitor.ts';
import { otherCompaniesCommand } from './other-companies.ts';
import { branchesCommand, ownsCommand } from './owns.ts';
import { createProgress } from './progress.ts';
import { registrationCommand } from './registration.ts';
import { reportCommand } from './report.ts';
import { EXIT, JSON_HELP, json } from './run.ts';
import { screenCommand } from './screen.ts';
import { searchCommand } from './search.ts';
import { sessionsCommand } from './sessions.ts';
import { suppressCommand } from './suppress.ts';
import { usageCommand } from './usage.ts';
import { watchCommand } from './watch.ts';

const io = {
  out: (text: string): void => void process.stdout.write(text),
  err: (text: string): void => void process.stderr.write(text),
};

/** Connects to the database of the running server, or to a database that runs until the command ends. */
async function connect(config: Config) {
  // An exit stops a Postgres that runs for this command only. A signal alone would leave it running.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(EXIT.interrupted));
  const log = createLog({ logLevel: 'error' });
  return { ...(await openDatabase(config, log, (dataDir) => attachOrStart(dataDir, { log }))), log };
}

/** Opens the database without a migration, because the command migrates it after the restore. */
async function openUnmigrated() {
  const { log, ...database } = await connect(processConfig());
  return { ...database, environment: processEnvironment(), migrate: () => bringUpToDate(database.db, log) };
}

/** Opens the database and migrates it. */
async function open(config: Config) {
  const database = await connect(config);
  await bringUpToDate(database.db, database.log);
  return database;
}

async function openKeys() {
  const config = await withKeySecret(processConfig());
  const { smtpUrl, mailFrom: from } = config;
  const mailer = smtpUrl && from ? createMailer({ smtpUrl, from }) : undefined;
  const { db, close } = await open(config);
  return { db, secret: config.keySecret, ...(mailer && { mailer }), close };
}

async function openUsage() {
  const config = processConfig();
  return { ...(await open(config)), planOf: createPlans(config.plans) };
}

/** Returns the address of the sandbox of the running server; null in live mode, and if none runs. */
async function sandboxOf({ sources, dataDir }: Config): Promise<SandboxAddress | null> {
  if (sources !== 'sandbox') return null;
  const { findSandbox } = await import('../../sandbox/index.ts');
  return findSandbox(dataDir);
}

/** Address of a sandbox whose simulator is not needed. Its copies are known by their origin and not by this address. */
const NO_SANDBOX = { url: 'http://sandbox.invalid', dns: '127.0.0.1:53' };

/** Dependencies of the sources in every command. */
const PROCESS = { now: Date.now, random: Math.random };

/** Dependencies of the sources in a command that does not need the simulator. */
const offlineParts = async (config: Config) => ({
  ...PROCESS,
  sandbox: config.sources === 'sandbox' ? ((await sandboxOf(config)) ?? NO_SANDBOX) : null,
});

async function openSources({ offline = false } = {}) {
  const config = processConfig();
  const parts = offline ? await offlineParts(config) : { ...PROCESS, sandbox: await sandboxOf(config) };
  if (config.sources === 'sandbox' && !parts.sandbox) {
    throw new ConfigError('The sandbox runs inside the server: start it (npm start), or set QUIPU_SOURCES=live.');
  }
  const { db, close, log } = await open(config);
  const limits = limitsOf(config, log);
  const sources = sourcesOf(config, { ...parts, db, log, limits });
  return {
    sources,
    async close() {
      await sources.close();
      await limits?.close();
      await close();
    },
  };
}

/** Opens the database for the commands of the own copy of the Brazilian registry. */
async function openReceita() {
  const config = await withKeySecret(processConfig());
  const { sandbox } = await offlineParts(config);
  const { db, close, log } = await open(config);
  return { db, close, log, ...registryImportParts(config, sandbox?.url ?? null) };
}

/** Opens the services of a server, without the jobs. */
async function openServices() {
  const config = await withKeySecret(processConfig());
  const parts = await offlineParts(config);
  const { db, close, log } = await open(config);
  const services = createServices(config, { ...parts, db, log });
  return {
    db,
    open: services.open,
    async close() {
      await services.close();
      await close();
    },
  };
}

const doctor: DoctorParts = {
  config: processConfig,
  openDatabase: connect,
  sandboxUrl: async (config) => (await sandboxOf(config))?.url ?? null,
  sourcesOf: async (config, db) => sourcesOf(config, { ...(await offlineParts(config)), db, log: createLog({ logLevel: 'error' }) }),
};

const client: ClientParts = { io, config: processConfig };
const progress = () => createProgress(process.stderr);

const imports: readonly Import[] = [
  {
    name: 'sii',
    description: 'The Chilean tax registry: companies, names, activities, domiciles',
    files: 'PUB_EMPRESAS_PJ and, optionally, PUB_NOMBRES_PJ, PUB_NOM_ACTECOS, PUB_NOM_DIRECCIONES; txt or zip, recognised by their headers',
    copies: [sii],
  },
  {
    name: 'cl-ownership',
    description: 'Owners of Chilean companies with their shares: composición de sociedades of the SII',
    files: 'composicion_sociedades, csv or zip',
    copies: [clOwnership],
    options: [new Option('--rollback', 'make the version before the current one answer again')],
    narrow: ({ rollback }) => ({ copies: [clOwnership], sync: { rollBack: rollback === true }, isOffline: rollback === true }),
  },
  tendersImport,
];

const EXIT_HELP = `
Exit codes: 0 done, 1 failed, 2 check, group-findings: a finding, 3 check, screen, group-findings: not checked completely,
130 interrupted. The help of a command names its own.
`;

const program: Command = new Command('quipu')
  .version(manifest.version, '-v, --version', 'print the version')
  .description('Checks companies on a Quipu server, and operates one: keys, lists, known domains, monitoring')
  .addHelpText('after', EXIT_HELP)
  .addCommand(doctorCommand(doctor, io))
  .addCommand(checkCommand(client))
  .addCommand(screenCommand({ ...client, progress }))
  .addCommand(searchCommand(client))
  .addCommand(registrationCommand(client))
  .addCommand(reportCommand(client))
  .addCommand(historyCommand(client))
  .addCommand(ownsCommand(client))
  .addCommand(branchesCommand(client))
  .addCommand(groupCommand(client))
  .addCommand(groupFindingsCommand(client))
  .addCommand(beneficialOwnersCommand(client))
  .addCommand(otherCompaniesCommand(client))
  .addCommand(connectionCommand(client))
  .addCommand(watchCommand(client))
  .addCommand(mcpCommand(client))
  .addCommand(keysCommand(openKeys, io))
  .addCommand(accountsCommand(() => open(processConfig()), io))
  .addCommand(sessionsCommand(() => open(processConfig()), io))
  .addCommand(auditCommand(() => open(processConfig()), io))
  .addCommand(syncCommand(openSources, io))
  .addCommand(
    importCommand(imports, { open: openSources, io, progress }).addCommand(receitaImportCommand({ open: openReceita, io, progress })),
  )
  .addCommand(suppressCommand(openReceita, io))
  .addCommand(sourcesCommand(openSources, io))
  .addCommand(documentsCommand(() => open(processConfig()), io))
  .addCommand(domainsCommand(() => open(processConfig()), io))
  .addCommand(monitorCommand(openServices, io))
  .addCommand(evidenceCommand(openServices, io))
  .addCommand(usageCommand(openUsage, io))
  .addCommand(completionCommand(() => program, io))
  .addCommand(
    new Command('migrate')
      .description('Migrate the database to the current schema')
      .option('--json', JSON_HELP)
      .action(async (options: { json?: boolean }) => {
        const { close } = await open(processConfig());
        await close();
        io.out(options.json ? json({ up_to_date: true }) : 'The database is up to date.\n');
      }),
  );

for (const command of backupCommands(openUnmigrated, io)) program.addCommand(command);

program.parseAsync().catch((error: unknown) => {
  const known = error instanceof AppError || error instanceof ConfigError;
  io.err(`${error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error)}\n`);
  process.exitCode = EXIT.failed;
});

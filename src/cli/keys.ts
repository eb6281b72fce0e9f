import { Command } from 'commander';
import type { Knex } from 'knex';
import { createKeys, type KeyRecord, type Keys, readModules } from '../access/keys.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { DAY_MS, isIsoDate, isoWithOffset } from '../domain/time.ts';
import type { Io } from './lists.ts';

/** The database of the keys, the secret of their hashes, and how to be done with both. */
export interface KeyStore {
  readonly db: Knex;
  readonly secret: string;
  close(): Promise<void>;
}

interface TermOptions {
  readonly modules?: string;
  readonly expires?: string;
  readonly json?: boolean;
}

const MODULES_HELP = 'modules it opens, by comma, or "all"';
const EXPIRES_HELP = 'last day it opens, in UTC (YYYY-MM-DD)';
const JSON_HELP = 'print JSON';
const NAMING = 'its id, or the first characters of it';

/**
 * `keys create|list|update|revoke`. What cannot be done is said on `io.err` in one line, and the exit code is 1.
 * @param openDb called once a command's arguments are understood; closed when it is done
 */
export function keysCommand(openDb: () => Promise<KeyStore>, io: Io): Command {
  const act = (work: (keys: () => Promise<Keys>) => Promise<string>) => runOn(openDb, io, work);
  const keys = new Command('keys')
    .description('API keys: who may ask, and for what')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  keys
    .command('create')
    .description('make a key and show it, once')
    .requiredOption('--name <name>', 'whose key it is')
    .requiredOption('--modules <list>', MODULES_HELP)
    .option('--expires <day>', EXPIRES_HELP)
    .option('--json', JSON_HELP)
    .action((options: TermOptions & { readonly name: string }) =>
      act(async (open) => {
        const terms = { name: options.name, ...readTerms(options) };
        const { key, ...record } = await (await open()).create(terms);
        if (!options.json) return `${sentence('Created', record)}\n\n  ${key}\n\nThis is the only time the key is shown: keep it now.\n`;
        const { id, name, modules, expires_at, created_at } = toJson(record);
        return json({ id, key, name, modules, expires_at, created_at });
      }),
    );

  keys
    .command('list')
    .description('show all keys, by their last four characters')
    .option('--json', JSON_HELP)
    .action((options: TermOptions) =>
      act(async (open) => {
        const records = await (await open()).list();
        return options.json ? json(records.map(toJson)) : table(records);
      }),
    );

  keys
    .command('update')
    .description('change what a key opens, or until when')
    .argument('<id>', NAMING)
    .option('--modules <list>', MODULES_HELP)
    .option('--expires <day>', `${EXPIRES_HELP}, or "never"`)
    .option('--json', JSON_HELP)
    .action((id: string, options: TermOptions) =>
      act(async (open) => {
        const terms = readTerms(options);
        const record = await (await open()).update(id, terms);
        return options.json ? json(toJson(record)) : `${sentence('Changed', record)} Effective within 5 seconds.\n`;
      }),
    );

  keys
    .command('revoke')
    .description('make a key open nothing, for good')
    .argument('<id>', NAMING)
    .option('--json', JSON_HELP)
    .action((id: string, options: TermOptions) =>
      act(async (open) => {
        const record = await (await open()).revoke(id);
        return options.json ? json(toJson(record)) : `${sentence('Revoked', record)} Effective within 5 seconds.\n`;
      }),
    );

  return keys;
}

/** Opens the database only when the work asks for it, and closes it before anything is said. */
async function runOn(openDb: () => Promise<KeyStore>, io: Io, work: (keys: () => Promise<Keys>) => Promise<string>): Promise<void> {
  let store: KeyStore | undefined;
  try {
    const said = await work(async () => {
      store = await openDb();
      return createKeys({ db: store.db, secret: store.secret, now: Date.now });
    }).finally(() => store?.close());
    io.out(said);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function readTerms({ modules, expires }: TermOptions) {
  return {
    ...(modules !== undefined && { modules: readModules(modules) }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires) }),
  };
}

/** The last day → the moment after it, epoch ms; `never` → null. */
function readExpiry(text: string): number | null {
  if (text === 'never') return null;
  if (!isIsoDate(text)) throw invalidInput('expires', `"${text}" is no day; write YYYY-MM-DD, such as 2027-01-31.`);
  const end = Date.parse(`${text}T00:00:00Z`) + DAY_MS;
  if (end <= Date.now()) throw invalidInput('expires', `${text} is over already.`);
  return end;
}

const toJson = (record: KeyRecord) => ({
  id: record.id,
  name: record.name,
  last_four: record.lastFour,
  modules: record.modules,
  created_at: isoWithOffset(record.createdAt),
  expires_at: moment(record.expiresAt),
  revoked_at: moment(record.revokedAt),
});

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

const moment = (ms: number | null): string | null => (ms === null ? null : isoWithOffset(ms));

const sentence = (did: string, { id, name, modules, expiresAt }: KeyRecord): string =>
  `${did} key ${id} (${name}): ${modules.join(', ')}; expires ${moment(expiresAt) ?? 'never'}.`;

function table(records: readonly KeyRecord[]): string {
  if (records.length === 0) return 'There are no keys yet.\n';
  const rows = records.map((record) => [
    record.id,
    `…${record.lastFour}`,
    record.name,
    record.revokedAt === null ? `expires ${moment(record.expiresAt) ?? 'never'}` : `revoked ${moment(record.revokedAt)}`,
    record.modules.join(','),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
}

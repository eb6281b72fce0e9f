import { Command } from 'commander';
import type { Knex } from 'knex';
import { createAccounts } from '../auth/accounts/accounts.ts';
import { createKeys, type Deliver, type IssuedKey, type Keys } from '../auth/api-keys/keys.ts';
import type { Mailer } from '../auth/mail.ts';
import { keyMail } from '../auth/mail.ts';
import { invalidInput } from '../domain/errors.ts';
import { readAddress, readOverlap, readTerms, type TermOptions } from './keys-options.ts';
import { keyDetails, keyJson, keySentence, keysTable, secretsJson } from './keys-text.ts';
import type { Io } from './lists.ts';
import { JSON_HELP, json, moment, operator, runOn } from './run.ts';

/** The database of the keys, the secret of their hashes, and how to be done with both. */
export interface KeyStore {
  readonly db: Knex;
  readonly secret: string;
  /** Left out where mail is not set up. */
  readonly mailer?: Mailer;
  close(): Promise<void>;
}

interface Options extends TermOptions {
  readonly json?: boolean;
}

interface DeliveryOptions {
  /** An address; true for the one of the account. */
  readonly email?: string | true;
}

const MODULES_HELP = 'modules it opens, by comma, or "all"';
const EXPIRES_HELP = 'last day it opens, in UTC (YYYY-MM-DD)';
const NOTE_HELP = 'a note to yourself';
const PLAN_HELP = 'plan whose limits and prices hold';
const DOCUMENTS_HELP = 'GraphQL documents it may run: "trusted" for registered ones alone, or "any"';
const EMAIL_HELP = "send it there instead of showing it; to the account's address where none is given";
const NAMING = 'its id, or the first characters of it';
const SOON = 'Effective within 5 seconds.';

/**
 * `keys create|list|show|rotate|update|revoke`. What cannot be done is said on `io.err` in one line, and the exit code is 1.
 * @param openDb called once a command's arguments are understood; closed when it is done
 */
export function keysCommand(openDb: () => Promise<KeyStore>, io: Io): Command {
  const act = (work: (open: () => Promise<KeyStore>) => Promise<string>) => runOn(openDb, io, work);
  const keys = new Command('keys')
    .description('API keys: who may ask, and for what')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  keys
    .command('create')
    .description('make a key and show it, once')
    .requiredOption('--name <name>', 'whose key it is')
    .requiredOption('--modules <list>', MODULES_HELP)
    .option('--account <account>', 'name or id of the account it belongs to; else the one of the same name, made where there is none')
    .option('--expires <day>', EXPIRES_HELP)
    .option('--note <text>', NOTE_HELP)
    .option('--plan <plan>', PLAN_HELP)
    .option('--documents <which>', DOCUMENTS_HELP)
    .option('--email [address]', EMAIL_HELP)
    .option('--json', JSON_HELP)
    .action((options: Options & DeliveryOptions & { readonly name: string; readonly account?: string }) =>
      act(async (open) => {
        const { name, account } = options;
        const terms = { ...readTerms(options), name, ...(account !== undefined && { account }) };
        const post = readPost(options);
        const store = await open();
        const { to, deliver } = await post(store, account ?? name);
        return told('Created', await keysOf(store).create(terms, deliver), { to, asJson: options.json });
      }),
    );

  keys
    .command('list')
    .description('show all keys, by their last four characters')
    .option('--json', JSON_HELP)
    .action((options: Options) =>
      act(async (open) => {
        const records = await keysOf(await open()).list();
        return options.json ? json(records.map(keyJson)) : keysTable(records);
      }),
    );

  keys
    .command('show')
    .description('show what is known of a key')
    .argument('<id>', NAMING)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options) =>
      act(async (open) => {
        const record = await keysOf(await open()).get(id);
        return options.json ? json({ ...keyJson(record), secrets: secretsJson(record) }) : keyDetails(record);
      }),
    );

  keys
    .command('rotate')
    .description('give a key another secret and show it, once; callers, monitors and usage stay with the key')
    .argument('<id>', NAMING)
    .option('--overlap <time>', 'how long the old one opens too, e.g. 30m, 7d; 0 ends it at once', '24h')
    .option('--email [address]', EMAIL_HELP)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options & DeliveryOptions & { readonly overlap: string }) =>
      act(async (open) => {
        const overlapMs = readOverlap(options.overlap);
        const post = readPost(options);
        const store = await open();
        const record = await keysOf(store).get(id);
        const oldOpenUntil = Date.now() + overlapMs;
        const { to, deliver } = await post(store, record.accountId, oldOpenUntil);
        const issued = await keysOf(store).rotate(record.id, { overlapMs, ...(deliver && { deliver }) });
        return told('Rotated', issued, { to, asJson: options.json, oldOpenUntil });
      }),
    );

  keys
    .command('update')
    .description('change what a key opens, until when, or what it is called')
    .argument('<id>', NAMING)
    .option('--modules <list>', MODULES_HELP)
    .option('--expires <day>', `${EXPIRES_HELP}, or "never"`)
    .option('--name <name>', 'whose key it is')
    .option('--note <text>', `${NOTE_HELP}; "" for none`)
    .option('--plan <plan>', PLAN_HELP)
    .option('--documents <which>', DOCUMENTS_HELP)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options) =>
      act(async (open) => {
        const terms = readTerms(options);
        const record = await keysOf(await open()).update(id, terms);
        return options.json ? json(keyJson(record)) : `${keySentence('Changed', record)} ${SOON}\n`;
      }),
    );

  keys
    .command('revoke')
    .description('make a key open nothing, for good')
    .argument('<id>', NAMING)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options) =>
      act(async (open) => {
        const record = await keysOf(await open()).revoke(id);
        return options.json ? json(keyJson(record)) : `${keySentence('Revoked', record)} ${SOON}\n`;
      }),
    );

  return keys;
}

const keysOf = ({ db, secret }: KeyStore): Keys => createKeys({ db, secret, now: Date.now, actor: operator() });

/** How a key gets to its owner: by mail, or, with neither, by being shown. */
interface Post {
  readonly to?: string;
  readonly deliver?: Deliver;
}

/**
 * Reads where a key is to be sent. What it returns looks for what is needed to send it, before there is a key.
 * @throws AppError INVALID_INPUT for what is no address; the function, where mail is not set up or the account has no address
 */
function readPost({ email }: DeliveryOptions): (store: KeyStore, account: string, oldOpenUntil?: number) => Promise<Post> {
  if (email === undefined) return async () => ({});
  const given = email === true ? null : readAddress(email);
  return async ({ db, mailer }, account, oldOpenUntil) => {
    if (!mailer) throw invalidInput('email', 'Mail is not set up: set QUIPU_SMTP_URL and QUIPU_MAIL_FROM, or leave --email out.');
    const to = given ?? (await createAccounts({ db, now: Date.now, actor: operator() }).get(account)).email;
    if (to === null) throw invalidInput('email', 'This account has no e-mail address: write one after --email.');
    return { to, deliver: (issued) => mailer.send(keyMail(issued, to, oldOpenUntil)) };
  };
}

/** What is said of a key that was issued: itself only where it was not sent. */
function told(
  did: string,
  { key, ...record }: IssuedKey,
  { to, asJson, oldOpenUntil }: { readonly to?: string; readonly asJson?: boolean; readonly oldOpenUntil?: number },
): string {
  if (asJson) {
    const { id, name, modules, expires_at, created_at } = keyJson(record);
    const where = to === undefined ? { key } : { sent_to: to };
    return json({ id, ...where, name, modules, expires_at, created_at, ...(oldOpenUntil && { old_open_until: moment(oldOpenUntil) }) });
  }
  const old = oldOpenUntil === undefined ? '' : ` The old one opens until ${moment(oldOpenUntil)}.`;
  const shown = `\n\n  ${key}\n\nThis is the only time the key is shown: keep it now.\n`;
  return `${keySentence(did, record)}${old}${to === undefined ? shown : ` The key was sent to ${to}.\n`}`;
}

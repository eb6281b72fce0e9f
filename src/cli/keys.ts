import { Command } from 'commander';
import type { Knex } from 'knex';
import { createAccounts } from '../auth/accounts/accounts.ts';
import { createKeys, type Deliver, type IssuedKey, type Keys } from '../auth/api-keys/keys.ts';
import { readModules, readRole } from '../auth/api-keys/terms.ts';
import { keyMail } from '../auth/mail.ts';
import type { KeyTerms } from '../auth/store/keys.ts';
import { MODULES } from '../domain/catalogue.ts';
import { invalidInput } from '../domain/errors.ts';
import type { Mailer } from '../domain/mail.ts';
import { ROLES } from '../domain/roles.ts';
import { DAY_MS, DURATION, durationMs, isIsoDate, isoOrNull } from '../domain/time.ts';
import { keyDetails, keyJson, keySentence, keysTable, secretsJson } from './keys-text.ts';
import { type Act, type Io, JSON_HELP, json, operator, readEmail, runOn } from './run.ts';

/** The database with the keys, and the HMAC key of their hashes. */
export interface KeyStore {
  readonly db: Knex;
  readonly secret: string;
  /** Undefined when mail is not configured. */
  readonly mailer?: Mailer;
  close(): Promise<void>;
}

/** Options of `quipu keys` as given on the command line. */
interface TermOptions {
  readonly name?: string;
  readonly modules?: string;
  readonly role?: string;
  readonly expires?: string;
  readonly note?: string;
  readonly plan?: string;
  readonly documents?: string;
  readonly incomplete?: string;
}

interface Options extends TermOptions {
  readonly json?: boolean;
}

interface DeliveryOptions {
  /** An e-mail address; true for the account's address. */
  readonly email?: string | true;
}

const MODULES_HELP = `modules that it may use, separated by commas, or "all": ${MODULES.join(', ')}`;
const ROLE_HELP = `what it may change: ${Object.keys(ROLES).join(', ')}; by default administer, which is everything`;
const EXPIRES_HELP = 'last day on which it is valid, in UTC (YYYY-MM-DD)';
const NOTE_HELP = 'a note for operators';
const PLAN_HELP = 'plan with its limits and prices';
const INCOMPLETE_HELP = 'a consolidated check that no source answered: "error" (503), or "answer" (200, insufficient)';
const DOCUMENTS_HELP = 'GraphQL documents that it may run: "trusted" for registered ones only, or "any"';
const EMAIL_HELP = "send it there instead of showing it; to the account's address where none is given";
const NAMING = 'its id, or the first characters of the id';
const SOON = 'Effective within 5 seconds.';

/**
 * Creates `keys create|list|show|rotate|update|revoke`. Errors go to `io.err` in one line, with exit code 1.
 * @param openDb called when the command's arguments are valid; closed when it ends
 */
export function keysCommand(openDb: () => Promise<KeyStore>, io: Io): Command {
  const act: Act<KeyStore> = (work) => runOn(openDb, io, work);
  const keys = new Command('keys').description('API keys and their modules').configureOutput({ writeOut: io.out, writeErr: io.err });
  for (const add of [addCreate, addList, addShow, addRotate, addUpdate, addRevoke]) add(keys, act);
  return keys;
}

function addCreate(keys: Command, act: Act<KeyStore>): void {
  keys
    .command('create')
    .description('create a key and show it once')
    .requiredOption('--name <name>', 'name of the key')
    .requiredOption('--modules <list>', MODULES_HELP)
    .option('--role <role>', ROLE_HELP)
    .option('--account <account>', 'name or id of its account; by default the account with the name of the key, created if needed')
    .option('--expires <day>', EXPIRES_HELP)
    .option('--note <text>', NOTE_HELP)
    .option('--plan <plan>', PLAN_HELP)
    .option('--documents <which>', DOCUMENTS_HELP)
    .option('--incomplete <how>', INCOMPLETE_HELP)
    .option('--email [address]', EMAIL_HELP)
    .option('--json', JSON_HELP)
    .action((options: Options & DeliveryOptions & { readonly name: string; readonly account?: string }) =>
      act(async (open) => {
        const { name, account } = options;
        const terms = { ...readTerms(options), name, ...(account !== undefined && { account }) };
        const post = readPost(options);
        const store = await open();
        const { to, deliver } = await post(store, account ?? name);
        return issuedText('Created', await keysOf(store).create(terms, deliver), { to, asJson: options.json });
      }),
    );
}

function addList(keys: Command, act: Act<KeyStore>): void {
  keys
    .command('list')
    .description('list all keys with their last four characters')
    .option('--json', JSON_HELP)
    .action((options: Options) =>
      act(async (open) => {
        const records = await keysOf(await open()).list();
        return options.json ? json(records.map(keyJson)) : keysTable(records);
      }),
    );
}

function addShow(keys: Command, act: Act<KeyStore>): void {
  keys
    .command('show')
    .description('show the details of a key')
    .argument('<id>', NAMING)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options) =>
      act(async (open) => {
        const record = await keysOf(await open()).get(id);
        return options.json ? json({ ...keyJson(record), secrets: secretsJson(record) }) : keyDetails(record);
      }),
    );
}

function addRotate(keys: Command, act: Act<KeyStore>): void {
  keys
    .command('rotate')
    .description('add a secret to a key and show it once; monitors and usage stay with the key')
    .argument('<id>', NAMING)
    .option('--overlap <time>', 'how long the old secret stays valid, e.g. 30m, 7d; 0 ends it at once', '24h')
    .option('--email [address]', EMAIL_HELP)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options & DeliveryOptions & { readonly overlap: string }) =>
      act(async (open) => {
        const overlapMs = readOverlap(options.overlap);
        const post = readPost(options);
        const store = await open();
        const record = await keysOf(store).get(id);
        const oldValidUntil = Date.now() + overlapMs;
        const { to, deliver } = await post(store, record.accountId, oldValidUntil);
        const issued = await keysOf(store).rotate(record.id, { overlapMs, ...(deliver && { deliver }) });
        return issuedText('Rotated', issued, { to, asJson: options.json, oldValidUntil });
      }),
    );
}

function addUpdate(keys: Command, act: Act<KeyStore>): void {
  keys
    .command('update')
    .description('change the modules, role, expiry, name, plan or note of a key')
    .argument('<id>', NAMING)
    .option('--modules <list>', MODULES_HELP)
    .option('--role <role>', ROLE_HELP)
    .option('--expires <day>', `${EXPIRES_HELP}, or "never"`)
    .option('--name <name>', 'name of the key')
    .option('--note <text>', `${NOTE_HELP}; "" for none`)
    .option('--plan <plan>', PLAN_HELP)
    .option('--documents <which>', DOCUMENTS_HELP)
    .option('--incomplete <how>', INCOMPLETE_HELP)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options) =>
      act(async (open) => {
        const terms = readTerms(options);
        const record = await keysOf(await open()).update(id, terms);
        return options.json ? json(keyJson(record)) : `${keySentence('Changed', record)} ${SOON}\n`;
      }),
    );
}

function addRevoke(keys: Command, act: Act<KeyStore>): void {
  keys
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<id>', NAMING)
    .option('--json', JSON_HELP)
    .action((id: string, options: Options) =>
      act(async (open) => {
        const record = await keysOf(await open()).revoke(id);
        return options.json ? json(keyJson(record)) : `${keySentence('Revoked', record)} ${SOON}\n`;
      }),
    );
}

const keysOf = ({ db, secret }: KeyStore): Keys => createKeys({ db, secret, now: Date.now, actor: operator() });

/** The delivery of a secret to its owner: by mail, or on the terminal without both fields. */
interface Post {
  readonly to?: string;
  readonly deliver?: Deliver;
}

/**
 * Reads the recipient of a secret. The returned function prepares the delivery, before the key is created.
 * @throws AppError INVALID_INPUT for an invalid address; the function if mail is not configured or the account has no address
 */
function readPost({ email }: DeliveryOptions): (store: KeyStore, account: string, oldValidUntil?: number) => Promise<Post> {
  if (email === undefined) return async () => ({});
  const given = email === true ? null : readEmail(email);
  return async ({ db, mailer }, account, oldValidUntil) => {
    if (!mailer) throw invalidInput('email', 'Mail is not configured: set QUIPU_SMTP_URL and QUIPU_MAIL_FROM, or leave --email out.');
    const to = given ?? (await createAccounts({ db, now: Date.now, actor: operator() }).get(account)).email;
    if (to === null) throw invalidInput('email', 'This account has no e-mail address: write one after --email.');
    return { to, deliver: (issued) => mailer.send(keyMail(issued, to, oldValidUntil)) };
  };
}

/** Returns the output after a secret was issued, which includes the secret unless it was sent by mail. */
function issuedText(
  did: string,
  { key, ...record }: IssuedKey,
  { to, asJson, oldValidUntil }: { readonly to?: string; readonly asJson?: boolean; readonly oldValidUntil?: number },
): string {
  if (asJson) {
    const { id, name, modules, expires_at, created_at } = keyJson(record);
    const where = to === undefined ? { key } : { sent_to: to };
    return json({
      id,
      ...where,
      name,
      modules,
      expires_at,
      created_at,
      ...(oldValidUntil && { old_open_until: isoOrNull(oldValidUntil) }),
    });
  }
  const old = oldValidUntil === undefined ? '' : ` The old secret is valid until ${isoOrNull(oldValidUntil)}.`;
  const shown = `\n\n  ${key}\n\nThis is the only time the key is shown: keep it now.\n`;
  return `${keySentence(did, record)}${old}${to === undefined ? shown : ` The key was sent to ${to}.\n`}`;
}

/** @throws AppError INVALID_INPUT naming the option */
const readTerms = ({ modules, role, expires, name, note, plan, documents, incomplete }: TermOptions): KeyTerms => ({
  ...(name !== undefined && { name }),
  ...(modules !== undefined && { modules: readModules(modules) }),
  ...(role !== undefined && { role: readRole(role) }),
  ...(expires !== undefined && { expiresAt: readExpiry(expires) }),
  ...(note !== undefined && { note }),
  ...(plan !== undefined && { plan }),
  ...(documents !== undefined && { trustedOnly: readDocuments(documents) }),
  ...(incomplete !== undefined && { failsIncomplete: readIncomplete(incomplete) }),
});

/** Parses `trusted` to true (the key runs trusted documents only) and `any` to false. */
function readDocuments(text: string): boolean {
  if (text !== 'trusted' && text !== 'any')
    throw invalidInput('documents', `"${text}" is not a value of --documents; write trusted or any.`);
  return text === 'trusted';
}

/** Parses `error` to true (a consolidated check that no source answered is an error) and `answer` to false. */
function readIncomplete(text: string): boolean {
  if (text !== 'error' && text !== 'answer')
    throw invalidInput('incomplete', `"${text}" is not a value of --incomplete; write error or answer.`);
  return text === 'error';
}

/** Parses the last valid day to the end of that day, epoch ms, and `never` to null. */
function readExpiry(text: string): number | null {
  if (text === 'never') return null;
  if (!isIsoDate(text)) throw invalidInput('expires', `"${text}" is no day; write YYYY-MM-DD, such as 2027-01-31.`);
  const end = Date.parse(`${text}T00:00:00Z`) + DAY_MS;
  if (end <= Date.now()) throw invalidInput('expires', `${text} is in the past.`);
  return end;
}

const LONGEST_OVERLAP_MS = 90 * DAY_MS;

/** Parses a duration such as `24h`, or `0`, to milliseconds. @throws AppError INVALID_INPUT */
function readOverlap(text: string): number {
  const overlap = text === '0' ? 0 : DURATION.test(text) ? durationMs(text) : Number.NaN;
  if (!(overlap <= LONGEST_OVERLAP_MS))
    throw invalidInput('overlap', `"${text}" is not a valid overlap; write 0, or a duration up to 90d, such as 24h.`);
  return overlap;
}

import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Knex } from 'knex';
import { findAccount } from '../auth/accounts/accounts.ts';
import { invalidInput } from '../domain/errors.ts';
import type { PublicKey, SealedReceipt } from '../evidence/receipt.ts';
import { canonical, type Fault, findFault } from '../evidence/seal.ts';
import { pageReceipts } from '../evidence/store.ts';
import { evidenceService } from '../modules/compliance/service/receipts.ts';
import type { Open } from '../service.ts';
import { parseFaithfully } from './faithful-json.ts';
import { type Io, JSON_HELP, json, operator, runOn } from './run.ts';

/** The database and the services on it. */
export interface EvidenceParts {
  readonly db: Knex;
  readonly open: Open;
  close(): Promise<void>;
}

/** Exit codes of `verify`. The code 1 means a file that cannot be read. */
const EXIT_CODES: Readonly<Record<Fault, number>> = { changed: 2, chain: 3, key: 4 };

/** Number of receipts that one statement reads. */
const PAGE = 500;

const EXAMPLES = `
Examples:
  curl -s https://quipu.example.com/.well-known/quipu-evidence-keys > keys.json
  quipu evidence verify receipt.json --keys keys.json       one receipt
  quipu evidence verify receipts.jsonl --keys keys.json     a chain: one receipt a line, or a reply of GET /v1/evidence
  quipu evidence export "Acme Ltda" > receipts.jsonl
Exit codes of verify: 0 genuine, 1 unreadable, 2 content changed, 3 the chain has a gap, 4 another key or a forged signature
`;

/** Creates `evidence verify|export|rotate-key`. Errors go to `io.err` in one line. `verify` needs neither a database nor a network. */
export function evidenceCommand(openParts: () => Promise<EvidenceParts>, io: Io): Command {
  const evidence = new Command('evidence')
    .description('Receipts of consolidated checks')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText('after', EXAMPLES);

  evidence
    .command('verify')
    .description('check receipts offline: content, signatures and chain')
    .argument('<file>', 'a receipt as JSON, a list of receipts, or one receipt per line')
    .requiredOption('--keys <file>', 'file of public keys, saved from /.well-known/quipu-evidence-keys')
    .option('--json', JSON_HELP)
    .action((file: string, { keys, json: asJson = false }: { readonly keys: string; readonly json?: boolean }) =>
      runOn(nothingToOpen, io, async () => {
        const receipts = readReceipts(await readText(file));
        const finding = findFault(receipts, readKeys(await readText(keys)));
        if (finding) process.exitCode = EXIT_CODES[finding.fault];
        if (asJson)
          return json({ genuine: !finding, receipts: receipts.length, fault: finding?.fault ?? null, message: finding?.message ?? null });
        if (!finding) return genuine(receipts);
        io.err(`${finding.message}\n`);
        return '';
      }),
    );

  evidence
    .command('export')
    .description('print the receipts of an account, one per line, in the order of the chain')
    .argument('<account>', 'name or id of the account')
    .action((account: string) => runOn(openParts, io, async (open) => exportOf((await open()).db, account)));

  evidence
    .command('rotate-key')
    .description('replace the generated signing key; earlier receipts can still be verified')
    .option('--json', JSON_HELP)
    .action((options: { json?: boolean }) =>
      runOn(openParts, io, async (open) => {
        const { kid } = await (await open()).open(evidenceService).keys.rotate(operator());
        if (options.json) return json({ key_id: kid });
        return `Receipts are signed with the key ${kid} within a minute.\n`;
      }),
    );
  return evidence;
}

const nothingToOpen = async () => ({ close: async () => undefined });

function genuine(receipts: readonly SealedReceipt[]): string {
  const sequences = receipts.map(({ receipt }) => receipt.sequence);
  const [first, last] = [Math.min(...sequences), Math.max(...sequences)];
  return receipts.length === 1
    ? `Receipt ${first} is genuine.\n`
    : `Receipts ${first} to ${last} are genuine, and none is missing between them.\n`;
}

async function exportOf(db: Knex, account: string): Promise<string> {
  const { id: accountId } = await findAccount(db, account);
  let text = '';
  for (let after: number | null = null; ; ) {
    const [page] = await pageReceipts(db, [{ accountId, first: PAGE, after }]);
    text += (page?.items ?? []).map((sealed) => `${canonical(sealed)}\n`).join('');
    if (!page?.hasMore) return text;
    after = page.items.at(-1)?.receipt.sequence ?? null;
  }
}

/** @throws AppError INVALID_INPUT for a file that cannot be read */
async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    throw invalidInput('file', `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Parses a receipt, a list, a reply of `GET /v1/evidence`, or one receipt per line. @throws AppError INVALID_INPUT for anything else */
function readReceipts(text: string): readonly SealedReceipt[] {
  const values = parse(text) ?? text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parse(line)?.[0]]));
  const receipts = values.flatMap((value) => (isPage(value) ? value.evidence : [value]));
  if (receipts.length === 0 || !receipts.every(isSealedReceipt))
    throw invalidInput('file', 'The file has no receipts, is cut off, or is not JSON.');
  return receipts;
}

/** @throws AppError INVALID_INPUT */
function readKeys(text: string): readonly PublicKey[] {
  const [value] = parse(text) ?? [];
  const keys = isObject(value) && Array.isArray(value.keys) ? value.keys : [];
  if (!keys.every((key) => isObject(key) && typeof key.kid === 'string' && typeof key.x === 'string') || keys.length === 0)
    throw invalidInput('keys', 'The file of keys has no keys; save /.well-known/quipu-evidence-keys of the service.');
  return keys as unknown as readonly PublicKey[];
}

/**
 * Parses JSON to its value, or to the items of a list; null for text that is not JSON.
 * @throws AppError INVALID_INPUT for ambiguous JSON
 */
function parse(text: string): readonly unknown[] | null {
  const value = parseFaithfully(text);
  return Array.isArray(value) ? value : value === null ? null : [value];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** Members of a reply of `GET /v1/evidence`. No signature covers them, so a file with others is refused. */
const PAGE_MEMBERS: ReadonlySet<string> = new Set(['evidence', 'has_more', 'next_after']);

/** True for a reply of `GET /v1/evidence`. */
const isPage = (value: unknown): value is { readonly evidence: readonly unknown[] } =>
  isObject(value) && Array.isArray(value.evidence) && Object.keys(value).every((name) => PAGE_MEMBERS.has(name));

/** True for an object with the members that are verified. Other members of a receipt are part of its hash. */
const isSealedReceipt = (value: unknown): value is SealedReceipt =>
  isObject(value) &&
  Object.keys(value).length === 4 &&
  [value.content_hash, value.signature, value.key_id].every((member) => typeof member === 'string') &&
  isObject(value.receipt) &&
  Number.isSafeInteger(value.receipt.sequence);

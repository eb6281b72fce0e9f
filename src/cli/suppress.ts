import { Command } from 'commander';
import type { Knex } from 'knex';
import { audit } from '../audit/audit-log.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { isMaskedCpf } from '../domain/personal-ids.ts';
import { isoWithOffset } from '../domain/time.ts';
import { eraseObserved } from '../modules/monitor/service/erasures.ts';
import { eraseFromCopy } from '../sources/receita-federal/copy/erase.ts';
import { ImportRefusal } from '../sources/receita-federal/copy/refusal.ts';
import { isRoot } from '../sources/receita-federal/copy/rows.ts';
import { deleteSuppression, insertSuppression, listSuppressions } from '../sources/receita-federal/copy/store/suppressions.ts';
import { type Suppressed, suppressionHash } from '../sources/receita-federal/copy/suppression.ts';
import { type Io, JSON_HELP, json, operator, runOn, tableText } from './run.ts';

/** The database with the own copy of the Brazilian registry. */
export interface SuppressParts {
  readonly db: Knex;
  readonly origin: string;
  readonly secret: string;
  close(): Promise<void>;
}

const NOTE_HELP = 'a reference such as the number of the request; no name';
const isDocument = (text: string): boolean => isMaskedCpf(text) || /^\d{11}$/.test(text);

/**
 * Creates `suppress person|company|list|remove`: people and companies that an operator has erased from the own copy of the Brazilian
 * registry and from what monitors have not reported. Only keyed hashes of them are stored, by which each import leaves them out.
 */
export function suppressCommand(openDb: () => Promise<SuppressParts>, io: Io): Command {
  const act = (work: (open: () => Promise<SuppressParts>) => Promise<string>) => runOn(openDb, io, work);
  const suppress = new Command('suppress')
    .description('Erase people and companies from the own copy of the Brazilian registry, also from later imports')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  suppress
    .command('person')
    .description('erase name and CPF of a partner or representative; the number of partners stays')
    .requiredOption('--name <name>', 'name as the registry prints it')
    .requiredOption('--document <cpf>', 'CPF, complete or masked as the registry prints it: ***123456**')
    .option('--note <text>', NOTE_HELP)
    .option('--json', JSON_HELP)
    .action(({ name, document, ...options }: PersonOptions) =>
      act(async (open) => {
        if (!isDocument(document)) throw invalidInput('document', 'Give a CPF of 11 digits, or a masked one: ***123456**.');
        if (!/\p{L}/u.test(name)) throw invalidInput('name', 'Give the name of the person.');
        return erase(await open(), { kind: 'person', name, document }, options);
      }),
    );

  suppress
    .command('company')
    .description('erase a company; requests for it fail as for a source that cannot be read, and never say "not found"')
    .argument('<root>', 'first eight characters of the CNPJ')
    .option('--note <text>', NOTE_HELP)
    .option('--json', JSON_HELP)
    .action((root: string, options: Options) =>
      act(async (open) => {
        if (!isRoot(root)) throw invalidInput('root', 'Give the first eight characters of the CNPJ.');
        return erase(await open(), { kind: 'company', root }, options);
      }),
    );

  suppress
    .command('list')
    .description('list the hashes, the oldest first')
    .option('--json', JSON_HELP)
    .action(({ json: asJson = false }: Options) =>
      act(async (open) => {
        const { db } = await open();
        const found = (await listSuppressions(db)).map(({ createdAt, ...one }) => ({ ...one, created_at: isoWithOffset(createdAt) }));
        if (asJson) return json(found);
        if (found.length === 0) return 'Nothing is suppressed.\n';
        return tableText(
          ['hash', 'kind', 'since', 'note'],
          found.map(({ hash, kind, created_at: since, note }) => [hash, kind, since, note ?? '']),
        );
      }),
    );

  suppress
    .command('remove')
    .description('remove a hash from the list; the next import loads the person or company again')
    .argument('<hash>', 'hash of the list')
    .option('--json', JSON_HELP)
    .action((hash: string, { json: asJson = false }: Options) =>
      act(async (open) => {
        const { db } = await open();
        const isRemoved = await db.transaction(async (trx) => {
          const removed = await deleteSuppression(trx, hash);
          if (removed) await audit(trx, { at: Date.now(), actor: operator(), action: 'suppression.removed', subject: hash });
          return removed;
        });
        if (!isRemoved) throw new AppError('INVALID_INPUT', `The list has no hash ${hash}.`, { field: 'hash' });
        return asJson ? json({ hash, removed: true }) : `Removed ${hash}. The next import loads it again.\n`;
      }),
    );
  return suppress;
}

interface Options {
  readonly note?: string;
  readonly json?: boolean;
}
type PersonOptions = Options & { readonly name: string; readonly document: string };

/** Adds the hash to the list, and erases the person or company from the records of monitors and from the loaded versions. */
async function erase({ db, origin, secret }: SuppressParts, one: Suppressed, { note, json: asJson = false }: Options): Promise<string> {
  const hash = suppressionHash(secret)(one);
  const { kind } = one;
  const record = () =>
    db.transaction(async (trx) => {
      const at = Date.now();
      const isNew = await insertSuppression(trx, { hash, kind, note: note ?? null, createdAt: at });
      if (isNew) await audit(trx, { at, actor: operator(), action: 'suppression.added', subject: hash, facts: { kind } });
      await eraseObserved(trx, one);
    });
  try {
    const { rows } = await eraseFromCopy({ db, origin }, one, record);
    if (asJson) return json({ hash, kind, rows });
    return `Suppressed ${hash}: ${rows} rows of the loaded versions. Caches no longer answer with them after a few seconds.\n`;
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    throw new AppError('INVALID_INPUT', error.message, { field: 'origin' });
  }
}

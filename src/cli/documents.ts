import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { GraphQLError, parse } from 'graphql';
import type { Knex } from 'knex';
import { createDocuments, type TrustedDocument } from '../auth/trusted-documents.ts';
import { invalidInput } from '../domain/errors.ts';
import { textProblem } from '../graphql/limits/validate-operation.ts';
import { type Io, JSON_HELP, json, moment, operator, runOn, tableText } from './run.ts';

/** The database with the documents. */
export interface DocumentStore {
  readonly db: Knex;
  close(): Promise<void>;
}

interface Options {
  readonly json?: boolean;
}

/**
 * `documents register|list|remove`. Errors go to `io.err` in one line, with exit code 1.
 * @param openDb called when the command's arguments are valid; closed when it ends
 */
export function documentsCommand(openDb: () => Promise<DocumentStore>, io: Io): Command {
  const act = (work: (open: () => Promise<DocumentStore>) => Promise<string>) => runOn(openDb, io, work);
  const documentsOf = ({ db }: DocumentStore) => createDocuments({ db, now: Date.now, actor: operator() });
  const shown = (all: readonly TrustedDocument[], options: Options) =>
    options.json ? json(all.map(documentJson)) : tableText(all.map(({ hash, name }) => [hash, name]));
  const documents = new Command('documents')
    .description('Trusted GraphQL documents: called by their SHA-256; some keys may run no others')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  documents
    .command('register')
    .description('register each file as a trusted document')
    .argument('<files...>', 'GraphQL files, one document each')
    .option('--json', JSON_HELP)
    .action((files: readonly string[], options: Options) =>
      act(async (open) => {
        const texts = files.map((file) => [path.basename(file), readDocument(file)] as const);
        const store = documentsOf(await open());
        const registered: TrustedDocument[] = [];
        for (const [name, text] of texts) registered.push(await store.register(name, text));
        return shown(registered, options);
      }),
    );

  documents
    .command('list')
    .description('list all trusted documents')
    .option('--json', JSON_HELP)
    .action((options: Options) =>
      act(async (open) => {
        const all = await documentsOf(await open()).list();
        return all.length === 0 && !options.json ? 'There are no trusted documents yet.\n' : shown(all, options);
      }),
    );

  documents
    .command('remove')
    .description('remove a trusted document')
    .argument('<document>', 'its hash, the first characters of it, or its name')
    .option('--json', JSON_HELP)
    .action((which: string, options: Options) =>
      act(async (open) => {
        const document = await documentsOf(await open()).remove(which);
        return options.json ? json(documentJson(document)) : `Removed ${document.name} (${document.hash}). Effective within 5 seconds.\n`;
      }),
    );

  return documents;
}

/** @throws AppError INVALID_INPUT for a file that cannot be read or is not a valid document */
function readDocument(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    const problem = textProblem(text);
    if (problem) throw problem;
    parse(text);
    return text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined && !(error instanceof GraphQLError)) throw error;
    throw invalidInput('files', `${file}: ${code ?? (error as Error).message}`);
  }
}

const documentJson = ({ hash, name, createdAt }: TrustedDocument) => ({ hash, name, created_at: moment(createdAt) });

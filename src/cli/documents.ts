import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { GraphQLError, Kind, parse } from 'graphql';
import type { Knex } from 'knex';
import { createDocuments, documentHash, type TrustedDocument } from '../auth/trusted-documents.ts';
import { invalidInput } from '../domain/errors.ts';
import { isoOrNull } from '../domain/time.ts';
import { textProblem } from '../graphql/limits/validate-operation.ts';
import { type Io, JSON_HELP, json, operator, runOn, tableText } from './run.ts';

/** The database with the documents. */
export interface DocumentStore {
  readonly db: Knex;
  close(): Promise<void>;
}

interface Options {
  readonly json?: boolean;
}

/**
 * Creates `documents register|list|remove`. Errors go to `io.err` in one line, with exit code 1.
 * @param openDb called when the command's arguments are valid; closed when it ends
 */
export function documentsCommand(openDb: () => Promise<DocumentStore>, io: Io): Command {
  const act = (work: (open: () => Promise<DocumentStore>) => Promise<string>) => runOn(openDb, io, work);
  const documentsOf = ({ db }: DocumentStore) => createDocuments({ db, now: Date.now, actor: operator() });
  const shown = (all: readonly TrustedDocument[], options: Options) =>
    options.json
      ? json(all.map(documentJson))
      : tableText(
          ['hash', 'name'],
          all.map(({ hash, name }) => [hash, name]),
        );
  const documents = new Command('documents')
    .description('Trusted GraphQL documents: requested by their SHA-256; a key can be restricted to them')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  documents
    .command('register')
    .description('register each file as a trusted document, or the documents of a manifest')
    .argument('<files...>', 'GraphQL files, one document each; or manifests (.json) of Apollo, Relay or graphql-codegen')
    .option('--json', JSON_HELP)
    .action((files: readonly string[], options: Options) =>
      act(async (open) => {
        const texts = files.flatMap(readDocuments);
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
    .argument('<document>', 'its hash, the first characters of the hash, or its name')
    .option('--json', JSON_HELP)
    .action((which: string, options: Options) =>
      act(async (open) => {
        const document = await documentsOf(await open()).remove(which);
        return options.json ? json(documentJson(document)) : `Removed ${document.name} (${document.hash}). Effective within 5 seconds.\n`;
      }),
    );

  return documents;
}

type NamedText = readonly [name: string, text: string];

/** @throws AppError INVALID_INPUT for a file that cannot be read, or has an invalid document */
function readDocuments(file: string): readonly NamedText[] {
  try {
    const text = readFileSync(file, 'utf8');
    const documents = file.endsWith('.json') ? readManifest(text) : [[path.basename(file), text] as const];
    for (const [, document] of documents) {
      const problem = textProblem(document);
      if (problem) throw problem;
      parse(document);
    }
    return documents;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isExpected = error instanceof GraphQLError || error instanceof SyntaxError || error instanceof ManifestError;
    if (code === undefined && !isExpected) throw error;
    throw invalidInput('files', `${file}: ${code ?? (error as Error).message}`);
  }
}

class ManifestError extends Error {}

/**
 * Reads a manifest: that of Apollo's generate-persisted-query-manifest, or the object from hash to text that Relay and the client preset of
 * graphql-codegen write. Documents are named after their operations.
 * @throws ManifestError; SyntaxError for text that is not JSON
 */
function readManifest(json: string): readonly NamedText[] {
  const manifest: unknown = JSON.parse(json);
  if (!isObject(manifest)) throw notAManifest();
  const entries = 'format' in manifest || 'operations' in manifest ? apolloEntries(manifest) : Object.entries(manifest);
  return entries.map(([id, text]) => {
    if (typeof text !== 'string') throw notAManifest();
    const name = nameOf(text);
    if (id.replace(/^sha256:/, '') !== documentHash(text))
      throw new ManifestError(`the id of ${name} is not the SHA-256 of its text; set the hash algorithm of the tool to SHA-256`);
    return [name, text];
  });
}

function apolloEntries({ format, version, operations }: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  if (format !== 'apollo-persisted-query-manifest' || version !== 1 || !Array.isArray(operations)) throw notAManifest();
  return operations.map((operation: unknown) => {
    if (!isObject(operation) || typeof operation.id !== 'string') throw notAManifest();
    return [operation.id, operation.body];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const notAManifest = (): ManifestError => new ManifestError('this is no manifest of documents of Apollo, Relay or graphql-codegen');

/** Returns the name of the operation of a document, or `unnamed`. */
function nameOf(text: string): string {
  const operation = parse(text).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return operation && 'name' in operation ? (operation.name?.value ?? 'unnamed') : 'unnamed';
}

const documentJson = ({ hash, name, createdAt }: TrustedDocument) => ({ hash, name, created_at: isoOrNull(createdAt) });

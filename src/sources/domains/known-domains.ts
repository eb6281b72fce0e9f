import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { failureOfRead } from '../../db/unavailable.ts';
import type { CompanyKey } from '../../domain/company.ts';
import { AppError } from '../../domain/errors.ts';
import { defineSource, type SourceDeps, type SourceInstance } from '../source.ts';
import { type DomainKey, parseDomain, parseOwnerId } from './domain.ts';
import type { DomainOwner } from './owner.ts';
import { createDomainStore, type KnownOwner } from './store.ts';

interface KnownDomains extends SourceInstance {
  /** Returns the stored owner for each key, in order; null when there is none. One SQL statement. @throws AppError SOURCE_UNAVAILABLE */
  find(keys: readonly DomainKey[]): Promise<readonly (KnownOwner | null)[]>;
  /** Stores the owner that was determined for a key for `ttlMs`. Logs failures and never rejects, because the owner can be determined again. */
  keep(key: DomainKey, owner: DomainOwner, ttlMs: number): Promise<void>;
}

const FILE = 'QUIPU_DOMAINS_FILE';

/** Domains with a known owner: set by an operator by command or file, or determined earlier. Stored in a Postgres table. */
export const knownDomains = defineSource({
  name: 'known_domains',
  attribution: 'Set by the operator of this service, or found earlier in the sources named beside it.',
  addresses: {},
  settings: {
    [FILE]: {
      description:
        'A csv file of domains and their companies, with the header domain,identifier, loaded at each start. `quipu domains set` sets one domain.',
      fallback: '',
      pattern: /./,
      expected: 'expected the path of a csv file',
    },
  },
  create: createKnownDomains,
});

function createKnownDomains({ db, dns, setting, now, log }: SourceDeps): KnownDomains {
  const store = createDomainStore(db, now, dns.health().origin);
  let lastSuccessAt: number | null = null;
  let lastFailure: { readonly at: number; readonly kind: string } | null = null;
  const failed = (kind: string): void => {
    lastFailure = { at: now(), kind };
  };

  /** Imports the csv file into the table in the background, so that start-up does not wait. A file that cannot be read is logged and skipped. */
  async function seed(file: string): Promise<void> {
    try {
      const { owners, problems } = readDomainsFile(await readFile(file, 'utf8'));
      for (const { line, problem } of problems) log.warn({ line, problem }, `a line of ${FILE} was left out`);
      if (problems.length > 0) failed('wrong_lines');
      await store.set(owners, 'file');
      log.info({ domains: owners.length }, `${FILE} was taken over`);
    } catch (error) {
      failed('file_unusable');
      log.error({ err: error }, `${FILE}: this file cannot be used; known domains come from the table alone`);
    }
  }
  const seeded = setting(FILE) ? seed(setting(FILE)) : Promise.resolve();

  return {
    async find(keys) {
      await seeded;
      try {
        const found = await store.find(keys);
        lastSuccessAt = now();
        return found;
      } catch (error) {
        failed('unreadable');
        throw failureOfRead('known_domains', error as Error);
      }
    },
    async keep({ start }, owner, ttlMs) {
      await store.keep(owner.method === 'site' ? (start ?? '') : '', owner, ttlMs).catch((error: unknown) => {
        failed('unwritable');
        log.warn({ err: error }, 'what was found of a domain could not be kept');
      });
    },
    async status() {
      await seeded;
      return {
        name: 'known_domains',
        kind: 'list',
        origin: 'given',
        lastSuccessAt,
        lastErrorAt: lastFailure?.at ?? null,
        lastError: lastFailure?.kind ?? null,
        circuit: 'closed',
        list: null,
        usable: true,
      };
    },
    close: () => seeded,
  };
}

/** Parsed csv file of known domains. */
interface DomainsFile {
  readonly owners: readonly { readonly domain: string; readonly company: CompanyKey }[];
  /** Skipped lines by number; the header is line 1. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

const HEADER = ['domain', 'identifier'];

/**
 * Parses a csv with the header `domain,identifier`, separated by commas or semicolons. Returns the owners, and the lines that cannot be
 * read.
 */
function readDomainsFile(text: string): DomainsFile {
  const records = cells(text);
  if ('problem' in records) return { owners: [], problems: [{ line: 1, problem: records.problem }] };
  const [header, ...rest] = records;
  if (!header || HEADER.some((name, i) => header.cells[i]?.toLowerCase() !== name)) {
    return { owners: [], problems: [{ line: 1, problem: `The first line is to read ${HEADER.join(',')}.` }] };
  }
  const read = rest.map(({ line, cells: [domain = '', identifier = ''] }) => {
    try {
      return { line, owner: { domain: parseDomain(domain).domain, company: parseOwnerId(identifier) } };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { line, problem: error.message };
    }
  });
  return {
    owners: read.flatMap(({ owner }) => owner ?? []),
    problems: read.flatMap(({ line, problem }) => (problem ? [{ line, problem }] : [])),
  };
}

/** Returns every line that is not empty, with its number. */
function cells(text: string): readonly { readonly line: number; readonly cells: readonly string[] }[] | { readonly problem: string } {
  try {
    const records = parse(text, {
      bom: true,
      delimiter: [',', ';'],
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    return (records as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      line: info.lines,
      cells: record,
    }));
  } catch {
    return { problem: 'This is no csv: a quote is left open.' };
  }
}

import { readFile } from 'node:fs/promises';
import { sourceUnavailable } from '../../domain/errors.ts';
import { defineSource, type SourceDeps, type SourceInstance } from '../source.ts';
import type { DomainKey } from './domain.ts';
import { readDomainsFile } from './domains-file.ts';
import type { DomainOwner } from './owner.ts';
import { createDomainStore, type KnownOwner } from './store.ts';

export interface KnownDomains extends SourceInstance {
  /** Keys → what is known of each, in order; null for nothing. One statement. @throws AppError SOURCE_UNAVAILABLE */
  find(keys: readonly DomainKey[]): Promise<readonly (KnownOwner | null)[]>;
  /** Keeps what was found of a key for `ttlMs`. Never rejects: it can be found again. */
  keep(key: DomainKey, owner: DomainOwner, ttlMs: number): Promise<void>;
}

const FILE = 'QUIPU_DOMAINS_FILE';

/** Domains whose company is known: said by an operator, by command or file, or found not long ago. A table in Postgres. */
export const knownDomains = defineSource({
  name: 'known_domains',
  attribution: 'Set by the operator of this service, or found earlier in the sources named beside it.',
  addresses: {},
  settings: {
    [FILE]: {
      description:
        'A csv file of known domains, with the header domain,identifier, taken over at each start. `quipu domains set` corrects single ones.',
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

  /** What the file says, without holding up the start: a file that cannot be used is told, and nothing is lost but its help. */
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
        throw sourceUnavailable('known_domains', error as Error);
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

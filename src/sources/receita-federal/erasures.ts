import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { failureOfRead } from '../../db/unavailable.ts';
import { sourceUnavailable } from '../../domain/errors.ts';
import { type Clock, SECOND_MS } from '../../domain/time.ts';
import type { ReceitaCompany, ReceitaPartner } from './company.ts';
import { listSuppressions } from './copy/store/suppressions.ts';
import { type Suppressed, suppressionHash } from './copy/suppression.ts';

/** Time in ms for which the list is used without reading it again. */
const LIST_TTL_MS = 5 * SECOND_MS;

/** True for a person or a company that the operator has erased. */
export type IsErased = (one: Suppressed) => boolean;

/**
 * The people and companies that the operator has erased from the own copy, for the answers of the mirrors. It needs no copy: an erasure
 * also counts while the copy is missing or overdue, and for companies that it lacks.
 */
export interface Erasures {
  /** Returns a text that changes with the list, as last read. Before it was read the text is that of this process alone. */
  version(): string;
  /** Reads the list. If that fails, the list that was read before is used. @throws AppError SOURCE_UNAVAILABLE if there is none */
  read(): Promise<IsErased>;
}

interface ErasureParts {
  /** Returns the pool; it is not called before the list is read. */
  readonly db: () => Knex;
  /** Secret of the installation, by which the list is hashed; null if the process does not have it. */
  readonly secret: string | null;
  readonly now: Clock;
}

export function createErasures({ db, secret, now }: ErasureParts): Erasures {
  const hashOf = secret === null ? null : suppressionHash(secret);
  const unreadVersion = `unread ${randomUUID()}`;
  let known: { readonly version: string; readonly isErased: IsErased } | null = null;
  let reading: Promise<void> = Promise.resolve();
  let readAt = Number.NEGATIVE_INFINITY;

  function listOf(hashes: readonly string[]): NonNullable<typeof known> {
    if (hashes.length > 0 && hashOf === null) throw new Error('the list of erased people and companies needs QUIPU_KEY_SECRET');
    const list = new Set(hashes);
    const version = list.size === 0 ? '0' : createHash('sha256').update(hashes.toSorted().join()).digest('base64url').slice(0, 16);
    return { version, isErased: (one) => list.size > 0 && hashOf !== null && list.has(hashOf(one)) };
  }

  function refresh(): Promise<void> {
    if (now() - readAt < LIST_TTL_MS && now() >= readAt) return reading;
    readAt = now();
    reading = listSuppressions(db()).then((entries) => {
      known = listOf(entries.map(({ hash }) => hash));
    });
    reading.catch(() => {
      readAt = Number.NEGATIVE_INFINITY;
    });
    return reading;
  }

  return {
    version() {
      void refresh().catch(() => undefined); // the next call sees a change
      return known?.version ?? unreadVersion;
    },
    async read() {
      const error = await refresh().then(
        () => null,
        (failure: Error) => failure,
      );
      if (known) return known.isErased;
      throw error ? failureOfRead('receita_federal', error) : sourceUnavailable('receita_federal', 'the list of erasures is not known');
    },
  };
}

/** Removes name and document of erased partners, whose rows stay, and erased representatives, as the imports do. */
export const withoutErased = (company: ReceitaCompany, isErased: IsErased): ReceitaCompany => ({
  ...company,
  partners: company.partners?.map((partner) => withoutPeople(partner, isErased)) ?? null,
});

function withoutPeople({ legalRepDocument, ...partner }: ReceitaPartner, isErased: IsErased): ReceitaPartner {
  const isPerson = (name: string | null, document: string | null | undefined): boolean =>
    name !== null && document != null && isErased({ kind: 'person', name, document });
  return {
    ...partner,
    ...(isPerson(partner.name, partner.document) && { name: '', document: null }),
    ...(isPerson(partner.legalRepName, legalRepDocument) && { legalRepName: null, legalRepRole: null }),
  };
}

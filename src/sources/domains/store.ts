import type { Knex } from 'knex';
import type { CompanyKey, Country } from '../../domain/company.ts';
import type { Clock } from '../../domain/time.ts';
import type { DomainKey } from './domain.ts';
import type { DomainOwner } from './owner.ts';

/** Origin of a row: the csv file, the command, or null for an owner that the service determined. */
export type SetBy = 'file' | 'command' | null;

/** A stored owner. Times are epoch ms. */
export interface KnownOwner extends DomainOwner {
  /** URL of the page that was read first; empty for the front page. */
  readonly start: string;
  readonly setBy: SetBy;
  readonly foundAt: number;
  /** Epoch ms; null for a row that never expires. */
  readonly expiresAt: number | null;
}

/** Stores owners of domains in Postgres. */
export interface DomainStore {
  /** Returns the unexpired owner for each key, in order; null when there is none. A row set by an operator has precedence. One statement. */
  find(keys: readonly DomainKey[]): Promise<readonly (KnownOwner | null)[]>;
  /** Stores an owner that the service determined, for `ttlMs`. */
  keep(start: string, owner: DomainOwner, ttlMs: number): Promise<void>;
  /** Replaces determined owners by an operator's; these never expire. The file does not overwrite a row that the command set. */
  set(owners: readonly { readonly domain: string; readonly company: CompanyKey }[], by: 'file' | 'command'): Promise<void>;
  /** Returns all unexpired rows of a domain. */
  get(domain: string): Promise<readonly KnownOwner[]>;
  /** Returns all unexpired rows, ordered by domain. */
  list(): Promise<readonly KnownOwner[]>;
  /** Deletes all rows of a domain, set or determined; returns their number. */
  forget(domain: string): Promise<number>;
}

/** Number of expired rows deleted with each stored row, so that domains that are never requested again do not fill the table. */
const EXPIRED_PER_WRITE = 20;

const epochMs = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;
const COLUMNS = `d.domain, d.start, d.country, d.tax_id AS "taxId", d.method, d.set_by AS "setBy", d.confidence, d.evidence,
  d.candidates, d.reason, ${epochMs('d.found_at')} AS "foundAt", ${epochMs('d.expires_at')} AS "expiresAt"`;

interface Row extends Omit<KnownOwner, 'company'> {
  readonly country: Country | null;
  readonly taxId: string | null;
}

const toOwner = ({ country, taxId, ...rest }: Row): KnownOwner => ({ ...rest, company: country && taxId ? { country, taxId } : null });

/** @param origin origin of the name servers in use; an owner determined through the sandbox's must not be returned in live mode */
export function createDomainStore(db: Knex, now: Clock, origin = ''): DomainStore {
  const at = (ms: number): string => new Date(ms).toISOString();

  async function rows(where: string, bindings: readonly string[]): Promise<readonly KnownOwner[]> {
    const live = '(d.expires_at IS NULL OR d.expires_at > ?)';
    const sql = `SELECT ${COLUMNS} FROM domain_owners d WHERE ${live} AND ${where} ORDER BY d.domain, d.start`;
    return (await db.raw(sql, [at(now()), ...bindings])).rows.map(toOwner);
  }

  return {
    async find(keys) {
      // A company found from the front page is valid for every page of the site; "no company" is not.
      const found = await db.raw(
        `SELECT DISTINCT ON (k.position) k.position::int, ${COLUMNS}
         FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS k(domain, start, position)
         JOIN domain_owners d ON d.domain = k.domain AND (d.start = k.start OR (d.start = '' AND d.tax_id IS NOT NULL))
         WHERE (d.set_by IS NOT NULL OR d.origin = ?) AND (d.expires_at IS NULL OR d.expires_at > ?)
         ORDER BY k.position, d.set_by IS NULL, d.start <> k.start`,
        [keys.map(({ domain }) => domain), keys.map(({ start }) => start ?? ''), origin, at(now())],
      );
      const byPosition = new Map<number, KnownOwner>(
        found.rows.map(({ position, ...row }: Row & { position: number }) => [position, toOwner(row)]),
      );
      return keys.map((_, i) => byPosition.get(i + 1) ?? null);
    },
    async keep(start, { domain, company, method, confidence, evidence, candidates, reason }, ttlMs) {
      const foundAt = now();
      const values = [domain, start, origin, company?.country ?? null, company?.taxId ?? null, method, confidence];
      await db.raw(
        `INSERT INTO domain_owners
           (domain, start, origin, country, tax_id, method, confidence, evidence, candidates, reason, found_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (domain, start, origin) DO UPDATE SET (country, tax_id, method, confidence, evidence, candidates, reason, found_at, expires_at)
           = (excluded.country, excluded.tax_id, excluded.method, excluded.confidence, excluded.evidence, excluded.candidates,
              excluded.reason, excluded.found_at, excluded.expires_at)`,
        [...values, evidence && JSON.stringify(evidence), JSON.stringify(candidates), reason, at(foundAt), at(foundAt + ttlMs)],
      );
      await db.raw(
        `DELETE FROM domain_owners WHERE (domain, start, origin) IN
           (SELECT domain, start, origin FROM domain_owners WHERE expires_at <= ? LIMIT ${EXPIRED_PER_WRITE} FOR UPDATE SKIP LOCKED)`,
        [at(foundAt)],
      );
    },
    async set(owners, by) {
      const one = new Map(owners.map((owner) => [owner.domain, owner.company]));
      const companies = [...one.values()];
      await db.raw(
        `WITH given AS (SELECT * FROM unnest(?::text[], ?::text[], ?::text[]) AS one(domain, country, tax_id)),
           found AS (DELETE FROM domain_owners d USING given WHERE d.domain = given.domain AND d.set_by IS NULL)
         INSERT INTO domain_owners AS d (domain, start, origin, country, tax_id, method, set_by, confidence, candidates, found_at)
         SELECT domain, '', '', country, tax_id, 'known', ?, 1, '[]', ? FROM given
         ON CONFLICT (domain, start, origin) DO UPDATE SET (country, tax_id, set_by, found_at)
           = (excluded.country, excluded.tax_id, excluded.set_by, excluded.found_at)
         WHERE excluded.set_by = 'command' OR d.set_by = 'file'`,
        [[...one.keys()], companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), by, at(now())],
      );
    },
    get: (domain) => rows('d.domain = ?', [domain]),
    list: () => rows('true', []),
    async forget(domain) {
      return (await db.raw('DELETE FROM domain_owners WHERE domain = ?', [domain])).rowCount;
    },
  };
}

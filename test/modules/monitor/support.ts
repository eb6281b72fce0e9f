import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type CompanyKey, formatTaxId, legalPersonText } from '../../../src/domain/company.ts';
import type { Change } from '../../../src/modules/monitor/domain/change.ts';
import { changesAfter } from '../../../src/modules/monitor/store/change-log.ts';
import { makeCandidatesDue } from '../../../src/modules/monitor/store/list-entries.ts';
import { cnpjOf } from '../../support/made-up-cnpjs.ts';

/** A valid CNPJ that no simulated company has. */
export const cnpj = (n: number): string => cnpjOf(70_000_000 + n);

/** Number of companies of one monitor of a large portfolio. */
const MAX_OF_MONITOR = 500;

export const brazilian = (taxId: string): CompanyKey => ({ country: 'BR', taxId });
export const companiesOf = (count: number): readonly CompanyKey[] => Array.from({ length: count }, (_, n) => brazilian(cnpj(n)));

export interface Watch {
  readonly now?: number;
  readonly listNews?: boolean;
  readonly recordNews?: boolean;
  readonly candidateNews?: boolean;
  /** The key that owns the monitor; one key of all tests unless given. */
  readonly keyId?: string;
  readonly url?: string;
}

/**
 * Watches made-up companies of Brazil, of which none is due for a check within an hour, so that the portfolio is large and nothing is read
 * for it. Returns the companies.
 */
export async function watchUnchecked(db: Knex, count: number): Promise<readonly CompanyKey[]> {
  const companies = companiesOf(count);
  for (let from = 0; from < count; from += MAX_OF_MONITOR) await watch(db, companies.slice(from, from + MAX_OF_MONITOR));
  const ids = companies.map(({ taxId }) => taxId);
  await db('watched_companies')
    .whereIn('tax_id', ids)
    .update({ due_at: new Date(Date.now() + 3_600_000) });
  return companies;
}

/** Inserts a monitor into the tables as creating one does. Returns its id (a UUID). */
export async function watch(
  db: Knex,
  companies: readonly CompanyKey[],
  {
    now = Date.now(),
    listNews = false,
    recordNews = false,
    candidateNews = false,
    keyId: givenKey,
    url = 'https://receiver.example/hook',
  }: Watch = {},
): Promise<string> {
  const id = randomUUID();
  const at = new Date(now);
  const keyId = givenKey ?? (await aKey(db));
  await db.transaction(async (trx) => {
    await trx.raw(
      `INSERT INTO watched_companies (country, tax_id, legal_person, anchor_at, due_at)
       SELECT *, ?, ? FROM unnest(?::text[], ?::text[], ?::text[]) ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
      [at, at, companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), companies.map(legalPersonText)],
    );
    await trx('monitors').insert({
      id,
      key_id: keyId,
      country: companies[0]?.country ?? 'BR',
      webhook_url: url,
      secret: Buffer.from('sealed'),
      retry_policy: 'none',
      list_news: listNews,
      record_news: recordNews,
      candidate_news: candidateNews,
      created_at: at,
    });
    await trx.batchInsert(
      'monitor_companies',
      companies.map((company, ordinal) => ({
        monitor_id: id,
        country: company.country,
        tax_id: company.taxId,
        identifier: formatTaxId(company),
        ordinal,
      })),
    );
    await makeCandidatesDue(trx, id);
  });
  return id;
}

/** Returns the id of the key that owns the monitors; creates it once per database. */
async function aKey(db: Knex): Promise<string> {
  const kept = await db('api_keys').first('id');
  if (kept) return kept.id;
  const id = randomUUID();
  const [account] = await db('accounts').insert({ name: 'test', created_at: new Date() }, 'id');
  await db('api_keys').insert({ id, account_id: account.id, name: 'test', modules: ['monitor'] });
  return id;
}

/** Deletes all monitors, and what is stored of and for them. */
export const deleteMonitors = (db: Knex): Promise<unknown> =>
  db.raw('TRUNCATE monitors, webhook_endpoints, watched_companies, changes, deliveries, endpoint_partitions CASCADE');

/** Returns the whole change log. */
export const changeLog = (db: Knex): Promise<readonly Change[]> => changesAfter(db, 0, { limit: 1_000_000 });

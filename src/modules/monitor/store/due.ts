import type { Knex } from 'knex';
import { SECOND_MS } from '../../../domain/time.ts';
import type { WatchedCountry } from '../domain/watched.ts';

/**
 * Brings forward what lies more than an interval ahead, to the next moment of its rhythm: the interval was longer before.
 * @param now epoch ms
 * @param interval in ms
 */
export async function bringForward(db: Knex, now: number, interval: number): Promise<void> {
  await db.raw(
    `WITH late AS MATERIALIZED (SELECT country, tax_id FROM watched_companies WHERE country IN ('BR', 'CL') AND due_at > :latest FOR UPDATE SKIP LOCKED)
     UPDATE watched_companies w
     SET due_at = anchor_at + make_interval(secs => :seconds * (floor(greatest(extract(epoch FROM :now - anchor_at), 0) / :seconds) + 1))
     FROM late WHERE w.country = late.country AND w.tax_id = late.tax_id`,
    { now: new Date(now), seconds: interval / SECOND_MS, latest: new Date(now + interval) },
  );
}

/** What is due at an instant. */
export interface Due {
  readonly companies: Readonly<Record<WatchedCountry, number>>;
  /** True when a webhook lane has something to send and nobody works on it. */
  readonly lanes: boolean;
}

/** Looks at what is due. @param now epoch ms */
export async function countDue(db: Knex, now: number): Promise<Due> {
  const { rows } = await db.raw(
    `SELECT count(*) FILTER (WHERE country = 'BR') AS br, count(*) FILTER (WHERE country = 'CL') AS cl,
       EXISTS (SELECT FROM webhook_lanes WHERE due_at <= :now AND (leased_until IS NULL OR leased_until <= :now)) AS lanes
     FROM watched_companies WHERE country IN ('BR', 'CL') AND due_at <= :now AND (leased_until IS NULL OR leased_until <= :now)`,
    { now: new Date(now) },
  );
  const [{ br, cl, lanes }] = rows;
  return { companies: { BR: Number(br), CL: Number(cl) }, lanes };
}

import type { Knex } from 'knex';

/**
 * Change monitoring.
 * - monitors: who watches, and where to tell them. monitor_companies: what each watches.
 * - watched_companies: one row a company however many monitors watch it: what was last seen, and when it is looked at next.
 * - held_changes: what the guard keeps back until an operator decides. judged_lists: which editions of the lists were looked at.
 * - changes: the change log, one row per change and monitor. Its positions come from log_heads, whose row a writer keeps locked until
 *   it commits: positions follow the order of commits and have no gap.
 * - deliveries, delivery_attempts: what is told by webhook. webhook_lanes: four queues a host, each worked off by one process at a time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE monitors (
      id uuid PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_keys,
      country text NOT NULL CHECK (country IN ('BR', 'CL')),
      webhook_url text NOT NULL,
      secret bytea NOT NULL,
      old_secret bytea,
      old_secret_until timestamptz,
      retry_policy text NOT NULL CHECK (retry_policy IN ('none', 'standard')),
      list_news boolean NOT NULL,
      created_at timestamptz NOT NULL,
      cancelled_at timestamptz,
      failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz,
      disabled_at timestamptz
    );
    COMMENT ON COLUMN monitors.secret IS 'sealed';
    COMMENT ON COLUMN monitors.old_secret IS 'sealed; signs too until old_secret_until';
    COMMENT ON COLUMN monitors.list_news IS 'true: its webhook is told of list news, too';
    COMMENT ON COLUMN monitors.cancelled_at IS 'null while active';
    COMMENT ON COLUMN monitors.failures IS 'attempts in a row that failed';
    COMMENT ON COLUMN monitors.failing_since IS 'set when they became too many to be chance';
    COMMENT ON COLUMN monitors.disabled_at IS 'set when its receiver failed for too long';
    CREATE INDEX monitors_of_key ON monitors (key_id, created_at, id);

    CREATE TABLE monitor_companies (
      monitor_id uuid NOT NULL REFERENCES monitors ON DELETE CASCADE,
      country text NOT NULL,
      tax_id text NOT NULL,
      identifier text NOT NULL,
      place integer NOT NULL,
      PRIMARY KEY (monitor_id, tax_id)
    );
    COMMENT ON COLUMN monitor_companies.identifier IS 'as the caller wrote it';
    COMMENT ON COLUMN monitor_companies.place IS 'order in which the caller named them';
    CREATE INDEX monitor_companies_watchers ON monitor_companies (country, tax_id);

    CREATE TABLE watched_companies (
      country text NOT NULL,
      tax_id text NOT NULL,
      legal_person text NOT NULL,
      number bigint GENERATED ALWAYS AS IDENTITY,
      snapshot jsonb,
      ignored jsonb NOT NULL DEFAULT '{}',
      listings jsonb NOT NULL DEFAULT '{}',
      anchor_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      checked_at timestamptz,
      failures integer NOT NULL DEFAULT 0,
      lease uuid,
      leased_until timestamptz,
      PRIMARY KEY (country, tax_id)
    );
    COMMENT ON COLUMN watched_companies.legal_person IS 'COUNTRY:root, as the entries of lists name it';
    COMMENT ON COLUMN watched_companies.number IS 'spreads the companies over the interval';
    COMMENT ON COLUMN watched_companies.snapshot IS '{status, size, activity} as last reported; null before the first check';
    COMMENT ON COLUMN watched_companies.ignored IS 'source → an observation that an operator discarded: while it is seen again, nothing has changed';
    COMMENT ON COLUMN watched_companies.listings IS 'list → fingerprints of the entries that name the company; no member before the first look';
    COMMENT ON COLUMN watched_companies.anchor_at IS 'a moment of its regular rhythm; due_at differs from the rhythm after a failure only';
    COMMENT ON COLUMN watched_companies.failures IS 'checks in a row that failed';
    COMMENT ON COLUMN watched_companies.lease IS 'claim of the process that checks it now; a write needs it';
    CREATE INDEX watched_companies_due ON watched_companies (country, due_at);
    CREATE INDEX watched_companies_looked ON watched_companies (country, checked_at);
    CREATE INDEX watched_companies_person ON watched_companies (legal_person);

    CREATE TABLE held_changes (
      country text NOT NULL,
      tax_id text NOT NULL,
      source text NOT NULL,
      reason text NOT NULL CHECK (reason IN ('share', 'blank')),
      fields jsonb NOT NULL,
      observed jsonb NOT NULL,
      held_at timestamptz NOT NULL,
      PRIMARY KEY (country, tax_id, source),
      FOREIGN KEY (country, tax_id) REFERENCES watched_companies ON DELETE CASCADE
    );
    COMMENT ON COLUMN held_changes.reason IS 'share: too many companies changed alike; blank: known fields became empty';
    COMMENT ON COLUMN held_changes.fields IS '[{field, from, to, list?}]';
    COMMENT ON COLUMN held_changes.observed IS 'the snapshot it would become; for a list, the fingerprints of the entries';
    CREATE INDEX held_changes_of_source ON held_changes (source);

    CREATE TABLE judged_lists (
      list text PRIMARY KEY,
      edition text NOT NULL,
      shape integer NOT NULL
    );
    COMMENT ON COLUMN judged_lists.edition IS 'the last that the watched companies were compared with';
    COMMENT ON COLUMN judged_lists.shape IS 'version of the reader that made its records: those of another cannot be compared';

    CREATE TABLE log_heads (
      stream text PRIMARY KEY,
      position bigint NOT NULL,
      kept_from bigint NOT NULL
    );
    COMMENT ON COLUMN log_heads.position IS 'last position given out';
    COMMENT ON COLUMN log_heads.kept_from IS 'positions before this one were forgotten';
    INSERT INTO log_heads VALUES ('changes', 0, 1), ('deliveries', 0, 1);

    CREATE TABLE changes (
      position bigint PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      monitor_id uuid NOT NULL,
      key_id uuid NOT NULL,
      country text NOT NULL,
      tax_id text NOT NULL,
      identifier text NOT NULL,
      source text NOT NULL,
      fields jsonb NOT NULL,
      detected_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN changes.id IS 'the event id on every transport';
    COMMENT ON COLUMN changes.fields IS '[{field, from, to, list?}]';
    CREATE INDEX changes_of_monitor ON changes (monitor_id, position);
    CREATE INDEX changes_of_key ON changes (key_id, position);
    CREATE INDEX changes_of_company ON changes (country, tax_id, position);
    CREATE INDEX changes_by_time ON changes (detected_at);

    CREATE TABLE deliveries (
      id uuid PRIMARY KEY,
      monitor_id uuid NOT NULL,
      key_id uuid NOT NULL,
      change_id uuid,
      event_id text NOT NULL,
      body text NOT NULL,
      host text NOT NULL,
      lane smallint NOT NULL,
      state text NOT NULL CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'dropped')),
      attempts integer NOT NULL DEFAULT 0,
      due_at timestamptz,
      claim uuid,
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      revision bigint NOT NULL
    );
    COMMENT ON COLUMN deliveries.change_id IS 'null for a test event';
    COMMENT ON COLUMN deliveries.event_id IS 'webhook-id, the same for every attempt';
    COMMENT ON COLUMN deliveries.state IS 'dropped: given up, because its monitor was cancelled or disabled';
    COMMENT ON COLUMN deliveries.due_at IS 'of the next attempt, or of the one under way; null once settled';
    COMMENT ON COLUMN deliveries.claim IS 'of the attempt under way; its outcome is written under it';
    COMMENT ON COLUMN deliveries.revision IS 'position of its latest news in the stream deliveries; those that wait in a lane are sent in this order';
    CREATE INDEX deliveries_waiting ON deliveries (host, lane, revision) INCLUDE (due_at) WHERE state IN ('pending', 'sending');
    CREATE INDEX deliveries_of_monitor ON deliveries (monitor_id, created_at, id);
    CREATE INDEX deliveries_of_change ON deliveries (change_id);
    CREATE UNIQUE INDEX deliveries_by_revision ON deliveries (revision);
    CREATE INDEX deliveries_by_time ON deliveries (created_at);

    CREATE TABLE delivery_attempts (
      delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
      number integer NOT NULL,
      started_at timestamptz NOT NULL,
      latency_ms integer,
      status integer,
      error text,
      answer text,
      PRIMARY KEY (delivery_id, number)
    );
    COMMENT ON COLUMN delivery_attempts.latency_ms IS 'until the headers; null while under way, and for an attempt that our own end cut off';
    COMMENT ON COLUMN delivery_attempts.status IS 'HTTP status; null where none came';
    COMMENT ON COLUMN delivery_attempts.error IS 'why it failed, in one word; null for a success';
    COMMENT ON COLUMN delivery_attempts.answer IS 'first 1 KiB of the body';

    CREATE TABLE webhook_lanes (
      host text NOT NULL,
      lane smallint NOT NULL,
      due_at timestamptz,
      lease uuid,
      leased_until timestamptz,
      slow boolean NOT NULL DEFAULT false,
      PRIMARY KEY (host, lane)
    );
    COMMENT ON COLUMN webhook_lanes.due_at IS 'when its next delivery may be sent; null while there is none';
    COMMENT ON COLUMN webhook_lanes.lease IS 'claim of the process that works it off; a write needs it';
    COMMENT ON COLUMN webhook_lanes.slow IS 'true: its last request took long; such lanes get a part of the places only';
    CREATE INDEX webhook_lanes_due ON webhook_lanes (due_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE webhook_lanes, delivery_attempts, deliveries, changes, log_heads, judged_lists, held_changes, watched_companies, monitor_companies, monitors`);
}

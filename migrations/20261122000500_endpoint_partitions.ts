import type { Knex } from 'knex';

/**
 * Webhooks wait in partitions per endpoint (monitor), and requests need a slot of their host. `delivery_partitions`, which were per host,
 * are not used any more. Deliveries that wait are taken over.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE endpoint_partitions (
      monitor_id uuid NOT NULL,
      partition smallint NOT NULL,
      host text NOT NULL,
      due_at timestamptz,
      lease uuid,
      leased_until timestamptz,
      quick boolean NOT NULL DEFAULT false,
      PRIMARY KEY (monitor_id, partition)
    );
    COMMENT ON COLUMN endpoint_partitions.host IS 'host and port of the webhook URL';
    COMMENT ON COLUMN endpoint_partitions.due_at IS 'when its next delivery may be sent; null while there is none';
    COMMENT ON COLUMN endpoint_partitions.lease IS 'of the process that sends from it now; every write requires it';
    COMMENT ON COLUMN endpoint_partitions.quick IS 'true: its last request was quick; others get half of the slots at most';
    CREATE INDEX endpoint_partitions_due ON endpoint_partitions (due_at);

    CREATE TABLE webhook_host_slots (
      host text NOT NULL,
      slot smallint NOT NULL,
      lease uuid,
      leased_until timestamptz,
      PRIMARY KEY (host, slot)
    );
    COMMENT ON COLUMN webhook_host_slots.slot IS '0 and 1 are for quick partitions only';

    ALTER TABLE monitors ADD COLUMN timeouts integer NOT NULL DEFAULT 0, ADD COLUMN parked_until timestamptz;
    COMMENT ON COLUMN monitors.timeouts IS 'attempts in a row that timed out';
    COMMENT ON COLUMN monitors.parked_until IS 'no request starts before this time; null unless the last attempt timed out';

    INSERT INTO endpoint_partitions (monitor_id, partition, host, due_at)
      SELECT monitor_id, partition, max(host), min(due_at) FROM deliveries WHERE state IN ('pending', 'sending') GROUP BY 1, 2;
    INSERT INTO webhook_host_slots (host, slot) SELECT DISTINCT host, slot FROM endpoint_partitions, generate_series(0, 3) AS slot;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE monitors DROP COLUMN timeouts, DROP COLUMN parked_until;
    DROP TABLE webhook_host_slots, endpoint_partitions;
  `);
}

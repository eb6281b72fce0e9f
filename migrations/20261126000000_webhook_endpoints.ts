import type { Knex } from 'knex';

/** Columns of an endpoint, and where the release before keeps them in `monitors`. */
const OF_MONITORS = {
  url: 'webhook_url',
  secret: 'secret',
  old_secret: 'old_secret',
  old_secret_until: 'old_secret_until',
  retry_policy: 'retry_policy',
  failures: 'failures',
  failing_since: 'failing_since',
  disabled_at: 'disabled_at',
  timeouts: 'timeouts',
  parked_until: 'parked_until',
} as const;
const ENDPOINT = Object.keys(OF_MONITORS);
const MONITOR = Object.values(OF_MONITORS);
const listed = (columns: readonly string[], table?: string): string =>
  columns.map((column) => (table ? `${table}.${column}` : column)).join(', ');

/**
 * Endpoints of webhooks, of monitors and screenings alike: the engine of webhooks knows no table of a module.
 *
 * While processes of the release before run, they read and write the columns of `monitors` and `screenings`. Triggers copy these in both
 * directions. They, and those columns, are to be dropped once no such process runs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_endpoints (
      id uuid PRIMARY KEY,
      owner_kind text NOT NULL,
      key_id uuid NOT NULL REFERENCES api_keys,
      url text,
      secret bytea NOT NULL,
      old_secret bytea,
      old_secret_until timestamptz,
      retry_policy text NOT NULL CHECK (retry_policy IN ('none', 'standard')),
      failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz,
      disabled_at timestamptz,
      timeouts integer NOT NULL DEFAULT 0,
      parked_until timestamptz,
      closed_at timestamptz
    );
    COMMENT ON COLUMN webhook_endpoints.id IS 'that of its owner, which has one endpoint';
    COMMENT ON COLUMN webhook_endpoints.owner_kind IS 'monitor, screening, or what else publishes messages';
    COMMENT ON COLUMN webhook_endpoints.url IS 'null: nothing is sent';
    COMMENT ON COLUMN webhook_endpoints.secret IS 'sealed';
    COMMENT ON COLUMN webhook_endpoints.old_secret IS 'sealed; signs too until old_secret_until';
    COMMENT ON COLUMN webhook_endpoints.failures IS 'attempts in a row that failed';
    COMMENT ON COLUMN webhook_endpoints.failing_since IS 'set after the third failed attempt in a row';
    COMMENT ON COLUMN webhook_endpoints.disabled_at IS 'set when its receiver failed for too long';
    COMMENT ON COLUMN webhook_endpoints.timeouts IS 'attempts in a row that timed out';
    COMMENT ON COLUMN webhook_endpoints.parked_until IS 'no request starts before this time; null unless the last attempt timed out';
    COMMENT ON COLUMN webhook_endpoints.closed_at IS 'when its owner ended; nothing is sent any more';
    CREATE INDEX webhook_endpoints_of_key ON webhook_endpoints (key_id);

    ALTER TABLE deliveries ADD COLUMN owner_kind text NOT NULL DEFAULT 'monitor';
    COMMENT ON COLUMN deliveries.monitor_id IS 'id of its endpoint, which is that of a monitor or of another owner';
    COMMENT ON COLUMN deliveries.change_id IS 'what it reports, such as a change or a screening; null for a test event';
    COMMENT ON COLUMN endpoint_partitions.monitor_id IS 'id of its endpoint';
    ALTER TABLE monitors ALTER COLUMN secret DROP NOT NULL, ALTER COLUMN retry_policy DROP NOT NULL;

    CREATE FUNCTION endpoint_of_monitor() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO webhook_endpoints (id, owner_kind, key_id, ${listed(ENDPOINT)}, closed_at)
        VALUES (NEW.id, 'monitor', NEW.key_id, ${listed(MONITOR, 'NEW')}, NEW.cancelled_at)
        ON CONFLICT (id) DO UPDATE SET (${listed(ENDPOINT)}, closed_at) = (SELECT ${listed(ENDPOINT, 'excluded')}, excluded.closed_at);
      RETURN NULL;
    END $$;
    CREATE TRIGGER endpoint_of_monitor AFTER INSERT OR UPDATE OF ${listed(MONITOR)}, cancelled_at ON monitors
      FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND NEW.secret IS NOT NULL) EXECUTE FUNCTION endpoint_of_monitor();

    CREATE FUNCTION endpoint_of_screening() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO webhook_endpoints (id, owner_kind, key_id, url, secret, retry_policy)
        VALUES (NEW.id, 'screening', NEW.key_id, NEW.webhook_url, NEW.webhook_secret, 'standard');
      RETURN NULL;
    END $$;
    CREATE TRIGGER endpoint_of_screening AFTER INSERT ON screenings
      FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND NEW.webhook_secret IS NOT NULL) EXECUTE FUNCTION endpoint_of_screening();

    CREATE FUNCTION owner_of_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.owner_kind = 'monitor' THEN
        UPDATE monitors SET (${listed(MONITOR)}) = (SELECT ${listed(ENDPOINT, 'NEW')}) WHERE id = NEW.id;
      ELSIF NEW.owner_kind = 'screening' THEN
        UPDATE screenings SET webhook_url = NEW.url, webhook_secret = NEW.secret
          WHERE id = NEW.id AND (webhook_url, webhook_secret) IS DISTINCT FROM (NEW.url, NEW.secret);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER owner_of_endpoint AFTER INSERT OR UPDATE OF ${listed(ENDPOINT)} ON webhook_endpoints
      FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION owner_of_endpoint();

    CREATE FUNCTION no_endpoint_without_owner() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM webhook_endpoints WHERE id = OLD.id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER no_endpoint_without_owner AFTER DELETE ON monitors FOR EACH ROW EXECUTE FUNCTION no_endpoint_without_owner();
    CREATE TRIGGER no_endpoint_without_owner AFTER DELETE ON screenings FOR EACH ROW EXECUTE FUNCTION no_endpoint_without_owner();

    INSERT INTO webhook_endpoints (id, owner_kind, key_id, ${listed(ENDPOINT)}, closed_at)
      SELECT id, 'monitor', key_id, ${listed(MONITOR)}, cancelled_at FROM monitors
      ON CONFLICT DO NOTHING;
    INSERT INTO webhook_endpoints (id, owner_kind, key_id, url, secret, retry_policy)
      SELECT id, 'screening', key_id, webhook_url, webhook_secret, 'standard' FROM screenings WHERE webhook_secret IS NOT NULL
      ON CONFLICT DO NOTHING;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER no_endpoint_without_owner ON screenings;
    DROP TRIGGER no_endpoint_without_owner ON monitors;
    DROP TRIGGER endpoint_of_screening ON screenings;
    DROP TRIGGER endpoint_of_monitor ON monitors;
    DROP TABLE webhook_endpoints;
    DROP FUNCTION no_endpoint_without_owner, owner_of_endpoint, endpoint_of_screening, endpoint_of_monitor;
    ALTER TABLE monitors ALTER COLUMN secret SET NOT NULL, ALTER COLUMN retry_policy SET NOT NULL;
    ALTER TABLE deliveries DROP COLUMN owner_kind;
  `);
}

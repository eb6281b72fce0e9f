import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { monitorGauges } from '../../src/modules/monitor/service/gauges.ts';
import { monitorSettings } from '../../src/modules/monitor/service/settings.ts';
import { createMetricsServer } from '../../src/server/telemetry/metrics.ts';
import { buildServices, type ServiceDeps } from '../../src/service.ts';
import { webhookGauges } from '../../src/webhooks/service/gauges.ts';
import { webhookSettings } from '../../src/webhooks/service/settings.ts';
import { testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

let database: TestDb;
beforeAll(async () => {
  database = await testDb();
  const companies = [
    ['BR', '99010001000184', NOW + MINUTE_MS],
    ['BR', '99010002000129', NOW - 14 * MINUTE_MS],
    ['CL', '67000001K', NOW - 16 * MINUTE_MS],
  ] as const;
  await database.knex('watched_companies').insert(
    companies.map(([country, tax_id, due]) => ({
      country,
      tax_id,
      legal_person: `${country}:${tax_id}`,
      anchor_at: new Date(NOW),
      due_at: new Date(due),
    })),
  );
  const held = { source: 'receita_federal', reason: 'share', fields: '[]', observed: '{}', held_at: new Date(NOW) };
  await database.knex('held_changes').insert([
    { ...held, country: 'BR', tax_id: '99010001000184' },
    { ...held, country: 'BR', tax_id: '99010002000129' },
  ]);
  await database.knex('log_heads').where({ stream: 'changes' }).update({ position: 41 });
});
afterAll(() => database.close());

/** Scrapes /metrics. `samples` are the lines of Quipu's own metrics. */
async function scrape() {
  const { log, lines } = memoryLog();
  const now = () => NOW;
  const settings = { ...monitorSettings, ...webhookSettings };
  const setting = (name: string) => settings[name as keyof typeof settings].fallback;
  const { open } = buildServices(() => ({ db: database.knex, now, log, setting, sealerFor: () => null }) as unknown as ServiceDeps);
  const server = await createMetricsServer(
    [...monitorGauges({ db: database.knex, now, open }), ...webhookGauges({ db: database.knex, now })],
    log,
  );
  const { body, headers } = await server.inject('/metrics');
  await server.close();
  return { samples: body.split('\n').filter((line) => line.startsWith('quipu_')), body, type: headers['content-type'], lines };
}

describe('/metrics', () => {
  it('reports monitoring and the process in the Prometheus text format', async () => {
    const { samples, body, type } = await scrape();
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(samples).toEqual([
      'quipu_monitor_held_changes{source="receita_federal"} 2',
      'quipu_monitor_watched_companies{country="BR"} 2',
      'quipu_monitor_watched_companies{country="CL"} 1',
      'quipu_monitor_overdue_companies 1',
      'quipu_change_log_position 41',
      'quipu_event_lag_changes 0',
      'quipu_webhook_deliveries_waiting 0',
      'quipu_webhook_oldest_waiting_seconds 0',
    ]);
    expect(body).toContain('nodejs_eventloop_lag_seconds');
    expect(body).toContain('process_resident_memory_bytes');
  });

  it('omits and logs gauges that cannot be read, and reports the others', async () => {
    await database.knex.schema.renameTable('watched_companies', 'gone');
    const { samples, body, lines } = await scrape();
    await database.knex.schema.renameTable('gone', 'watched_companies');
    expect(samples).toEqual([
      'quipu_monitor_held_changes{source="receita_federal"} 2',
      'quipu_change_log_position 41',
      'quipu_event_lag_changes 0',
      'quipu_webhook_deliveries_waiting 0',
      'quipu_webhook_oldest_waiting_seconds 0',
    ]);
    expect(body).toContain('process_resident_memory_bytes');
    // Gauges are read in parallel: the order of their log lines is not defined.
    expect(lines.map((line) => line.gauge).sort()).toEqual(['quipu_monitor_overdue_companies', 'quipu_monitor_watched_companies']);
    expect((await scrape()).samples).toHaveLength(8);
  });

  it('is off unless its port is set, and is not served on the port of the API', async () => {
    const off = await testApp({ listsTried: false });
    expect(off.metrics).toBeNull();
    await off.close();
    const on = await testApp({ listsTried: false, env: { QUIPU_METRICS_PORT: '0' } });
    const text = (await on.metrics?.inject('/metrics'))?.body;
    expect(text).toContain('quipu_change_log_position 0');
    expect(text).toContain('quipu_live_sessions{transport="websocket"} 0\nquipu_live_sessions{transport="sse"} 0');
    expect((await on.server.inject('/metrics')).statusCode).toBe(404);
    await on.close();
  });
});

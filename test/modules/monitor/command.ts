import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { expect } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { monitorCommand } from '../../../src/cli/monitor.ts';
import { toPublicId } from '../../../src/domain/public-ids.ts';
import type { TestApp } from '../../support/app.ts';

export const NOW = Date.parse('2026-11-21T12:00:00Z');

/** Runs `quipu monitor …` on the service's database. */
export async function runMonitor(app: TestApp, ...args: readonly string[]) {
  const said = { out: '', err: '' };
  let opened = 0;
  const io = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  const parts = async () => {
    opened += 1;
    return {
      db: app.db,
      open: app.open,
      close: async () => {
        opened -= 1;
      },
    };
  };
  process.exitCode = undefined;
  const program = new Command('quipu').exitOverride().addCommand(monitorCommand(parts, io).exitOverride());
  for (const command of program.commands[0]?.commands ?? []) command.exitOverride();
  await program.parseAsync(['monitor', ...args], { from: 'user' });
  expect(opened).toBe(0);
  return { ...said, code: process.exitCode ?? 0 };
}

export const [clean, small, chilean] = [companyByScenario('clean').cnpj, companyByScenario('clean-small').cnpj, '67000001K'];
const HOOK = 'https://hooks.example.com/secret-path?token=1';

/** Inserts a monitor of three companies directly into the tables. */
export async function watch(app: TestApp): Promise<{ monitorId: string; keyId: string }> {
  const { id: keyId } = await app.keys.create({ name: 'acme', modules: ['monitor'] });
  const monitorId = randomUUID();
  const at = new Date(NOW);
  await app.db('monitors').insert({
    id: monitorId,
    key_id: keyId,
    country: 'BR',
    webhook_url: HOOK,
    secret: Buffer.from('sealed'),
    retry_policy: 'none',
    list_news: false,
    created_at: at,
  });
  const companies = [
    { country: 'BR', tax_id: clean },
    { country: 'BR', tax_id: small },
    { country: 'CL', tax_id: chilean },
  ];
  await app
    .db('monitor_companies')
    .insert(companies.map((one, ordinal) => ({ ...one, monitor_id: monitorId, identifier: one.tax_id, ordinal })));
  const snapshot = { status: 'active', size: 'large', activity: 'Hotéis' };
  await app.db('watched_companies').insert(
    companies.map((one) => ({
      ...one,
      legal_person: `${one.country}:${one.tax_id}`,
      snapshot,
      anchor_at: at,
      due_at: at,
      checked_at: at,
    })),
  );
  return { monitorId, keyId };
}

/** Inserts a held change of one field. */
export async function hold(app: TestApp, country: string, taxId: string, field: 'status' | 'size', to: string | null) {
  const snapshot = { status: 'active', size: 'large', activity: 'Hotéis' };
  await app.db('held_changes').insert({
    country,
    tax_id: taxId,
    source: country === 'BR' ? 'receita_federal' : 'sii',
    reason: to === null ? 'blank' : 'share',
    fields: JSON.stringify([{ field, from: snapshot[field], to }]),
    observed: JSON.stringify({ ...snapshot, [field]: to }),
    held_at: new Date(NOW - 1),
  });
}

/** Inserts a delivery of a monitor directly into the tables. Returns its id. */
export async function deliver(app: TestApp, monitorId: string, keyId: string, state: string, createdAt = NOW): Promise<string> {
  const id = randomUUID();
  const settled = state === 'pending' ? { due_at: new Date(NOW) } : { settled_at: new Date(createdAt) };
  await app.db('deliveries').insert({
    id,
    monitor_id: monitorId,
    key_id: keyId,
    event_id: toPublicId('change', randomUUID()),
    body: '{}',
    host: 'hooks.example.com',
    partition: 0,
    state,
    attempts: state === 'pending' ? 0 : 1,
    created_at: new Date(createdAt),
    ...settled,
  });
  return id;
}

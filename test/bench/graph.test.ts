import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMonth } from '../../bench/graph/month-files.ts';
import { renderGraph } from '../../bench/graph/render.ts';
import type { GraphReport } from '../../bench/graph/report.ts';
import { drawSamples } from '../../bench/graph/samples.ts';
import { largeMonth } from '../../sandbox/upstreams/receita-federal/large-month.ts';
import { companyAt, largeRegistry, partnersOf } from '../../sandbox/world/brazil/large/registry.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const SIZE = 6_000;
const NOW = Date.parse('2026-11-28T12:00:00Z');
const textOf = (name: string, isLater = false): string => [...(largeMonth(largeRegistry(SIZE, isLater)).get(name)?.() ?? [])].join('');
const linesOf = (name: string, isLater = false): readonly string[] => textOf(name, isLater).trimEnd().split('\n');

describe('the made-up registry of any size', () => {
  it('has the files of a month in the layout of the registry, the same each time', () => {
    const columns = { Empresas0: 7, Estabelecimentos3: 30, Socios2: 11, Simples: 7, Municipios: 2 };
    for (const [name, count] of Object.entries(columns)) {
      const lines = linesOf(name);
      expect(lines.filter((line) => line.split('";"').length !== count)).toEqual([]);
      expect(linesOf(name)).toEqual(lines);
    }
  });

  it('differs between its two months in about one company of a hundred', () => {
    const all = (kind: string, isLater = false) => [0, 1, 2, 3].flatMap((number) => linesOf(`${kind}${number}`, isLater));
    const changed = ['Empresas', 'Estabelecimentos', 'Socios'].map((kind) => {
      const before = all(kind);
      return all(kind, true).filter((line, i) => line !== before[i]).length / before.length;
    });
    for (const share of changed) {
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(0.02);
    }
  });

  it('has owners with smaller numbers only, so that no company owns itself', () => {
    const registry = largeRegistry(SIZE, false);
    for (let serial = 0; serial < registry.companies; serial += 1) {
      const company = companyAt(serial, registry);
      for (const { kind, document } of partnersOf(company, registry))
        if (kind === 1) expect(document.slice(0, 8) < company.root).toBe(true);
    }
  });
});

describe('the benchmark of the graph', () => {
  let db: TestDb;
  let dir: string;
  beforeAll(async () => {
    db = await testDb();
    dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-graph-'));
  });
  afterAll(async () => {
    await db.close();
    await rm(dir, { recursive: true });
  });

  it('imports both months, which the guard of the import accepts, and finds keys for every question', async () => {
    const parts = { db: db.knex, origin: 'bench', secret: 'a secret of this test', now: () => NOW };
    const load = async (name: string, date: string, isLater: boolean) => {
      const { folder } = await writeMonth(path.join(dir, name), SIZE, date, isLater);
      return importFolder(folder, { ...parts, diskFolder: null, historyMonths: 24, log: memoryLog().log, onProgress: () => undefined });
    };
    const first = await load('earlier', '2026-10-14', false);
    expect(first.facts).toMatchObject({ companies: 5_000, establishments: 6_000, unread: 0, orphans: 0 });
    expect(await load('later', '2026-11-14', true)).toMatchObject({ outcome: 'loaded', extractedOn: '2026-11-14' });
    const { rows } = await db.knex.raw('SELECT DISTINCT field FROM receita_changes ORDER BY 1');
    expect(rows.map(({ field }: { field: string }) => field)).toEqual([
      ...['activity', 'address', 'capital', 'partner_joined', 'partner_left', 'status'],
    ]);
    const samples = await drawSamples(db.url, '2');
    for (const [name, keys] of Object.entries(samples)) expect([name, keys.length > 0]).toEqual([name, true]);
    expect(samples.pairs.flat().every((cnpj) => cnpj.length === 14)).toBe(true);
  });

  it('prints each figure beside its target, and why the store of documents cannot answer', () => {
    const text = renderGraph(report({ p95: 4, copySeconds: 6 }));
    expect(text).toContain('target at most 5 ms: reached');
    expect(text).toContain('target at least 0.5: reached');
    expect(text).toContain('- documents, history of a company: cannot: it keeps one month.');
    const slow = renderGraph(report({ p95: 6, copySeconds: 4 }));
    expect(slow).toContain('target at most 5 ms: missed');
    expect(slow).toContain('target at least 0.5: missed');
  });
});

function report({ p95, copySeconds }: { readonly p95: number; readonly copySeconds: number }): GraphReport {
  const summary = (median: number) => ({ median, min: median, max: median });
  const month = {
    seconds: 20,
    rowsSeconds: 10,
    indexSeconds: 2,
    cpuSeconds: 4,
    peakRssBytes: 3e8,
    establishments: 6_000,
    companies: 5_000,
    partners: 2_000,
  };
  const imported = { ...month, peakDisk: { data: 2e6, log: 1e6 } };
  const machine = { at: '2026-11-28T12:00:00Z', commit: 'abc', cpu: 'a CPU', cores: 2, node: 'v24', pinning: 'not pinned', loadAverage: 0 };
  const quipu = { p50: summary(1), p95: summary(p95), p99: summary(p95) };
  const target = { name: 'history', bench: 'graph', target: { atMost: 5, unit: 'ms' } };
  return {
    ...{ bench: 'graph', machine: { ...machine, isInMemory: false }, options: { rounds: 1, establishments: SIZE }, monthBytes: 1e6 },
    ...{ imports: [imported, imported], copySeconds, usesPsql: true, versionBytes: 2e6, documents: { buildSeconds: 1, bytes: 1e6 } },
    questions: [
      {
        name: 'history of a company',
        keys: 10,
        quipu,
        documents: 'cannot: it keeps one month',
        targets: [{ quantile: 0.95, target, value: p95 }],
      },
    ],
  };
}

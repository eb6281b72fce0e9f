import { expect, it } from 'vitest';
import { buildSources } from '../../src/sources/build.ts';
import type { Copy, SourceDeps, SourceStatus } from '../../src/sources/source.ts';

const CHECKED_AT = Date.parse('2026-11-21T06:00:00Z');

const list = { id: '1', publishedOn: null, loadedAt: CHECKED_AT, checkedAt: CHECKED_AT, entries: 1, rowsUnmatched: 0, checksum: '' };
const status = { name: 'CEIS', list: { ...list, goodUntil: CHECKED_AT + 9_000 } } as SourceStatus;
const copy = { name: 'CEIS', everyMs: 5_000, status: async () => status, sync: async () => ({ outcome: 'busy' }) } as unknown as Copy;
const source = { name: 'CEIS', attribution: '', addresses: {}, create: () => copy } as const;

it.each([
  ['its own interval', undefined, 5_000],
  ['the interval that the operator set for all lists', 2_000, 2_000],
])('reports the next sync of a list as due one interval after the last one, by %s', async (_, listIntervalMs, afterMs) => {
  const [report] = await buildSources([source], () => ({}) as SourceDeps, undefined, listIntervalMs).report();
  expect(report?.list).toMatchObject({ syncDueAt: CHECKED_AT + afterMs, goodUntil: CHECKED_AT + 9_000 });
});

import { describe, expect, it } from 'vitest';
import { groupsOf, meaningOf, type Source, withoutSuccess } from '../../dashboard/pages/sources/groups.ts';
import { SOURCES } from '../../src/domain/catalogue.ts';

const BEFORE = '2026-01-01T00:00:00Z';
const AFTER = '2026-01-02T00:00:00Z';

const source = (name: string, own: Partial<Source> = {}): Source => ({
  id: name,
  name,
  origin: 'LIVE',
  usable: true,
  circuit: 'CLOSED',
  heldChanges: 0,
  recentCalls: null,
  lastSuccessAt: AFTER,
  lastErrorAt: null,
  lastError: null,
  attribution: '',
  list: null,
  ...own,
});

const failed = (name: string): Source => source(name, { usable: false, lastErrorAt: AFTER, lastSuccessAt: BEFORE });
const list: Source['list'] = {
  publishedOn: null,
  loadedAt: BEFORE,
  checkedAt: BEFORE,
  syncDueAt: AFTER,
  goodUntil: AFTER,
  entries: 1,
  rowsUnmatched: 0,
};
const namesOf = (sources: readonly Source[]) =>
  groupsOf(sources, 'en').map((group) => [group.group, group.sources.map(({ name }) => name)]);

describe('the groups of sources', () => {
  it('are the countries, the international lists and the internet, each by the names of its sources', () => {
    const all = ['DNS', 'OFAC_SDN', 'RUES', 'SII', 'RECEITA_FEDERAL', 'CEIS'].map((name) => source(name));
    expect(namesOf(all)).toEqual([
      ['BR', ['CEIS', 'RECEITA_FEDERAL']],
      ['CL', ['SII']],
      ['CO', ['RUES']],
      ['INTERNATIONAL', ['OFAC_SDN']],
      ['INTERNET', ['DNS']],
    ]);
  });

  it('have failures first, inside a group and between groups', () => {
    const trying = source('PNCP', { circuit: 'HALF_OPEN' });
    const last = source('CEIS', { lastErrorAt: AFTER, lastSuccessAt: BEFORE });
    expect(namesOf([source('CNEP'), last, trying, failed('RECEITA_FEDERAL'), source('SII'), failed('UN_CONSOLIDATED')])).toEqual([
      ['BR', ['RECEITA_FEDERAL', 'PNCP', 'CEIS', 'CNEP']],
      ['INTERNATIONAL', ['UN_CONSOLIDATED']],
      ['CL', ['SII']],
    ]);
  });
});

describe('the meaning of a failure', () => {
  it.each([
    ['RECEITA_FEDERAL', 'sources.means.REGISTRY'],
    ['CEIS', 'sources.means.LIST'],
    ['UN_CONSOLIDATED', 'sources.means.LIST'],
    ['PNCP', 'sources.means.ORDERS'],
    ['RDAP', 'sources.means.INTERNET'],
    ['WEBSITE', 'sources.means.INTERNET'],
  ])('is said of %s by what its answers need it for', (name, key) => {
    expect(meaningOf(failed(name))).toBe(key);
  });

  it('is said of every source that does not answer, and of none that does', () => {
    for (const name of Object.keys(SOURCES).map((code) => code.toUpperCase())) {
      expect(meaningOf(failed(name))).toMatch(/^sources\.means\./);
      expect(meaningOf(source(name))).toBeNull();
    }
  });

  it('is another one while the version that was read before is used, or the next request tries again', () => {
    const facts = { lastErrorAt: AFTER, lastSuccessAt: BEFORE };
    expect(meaningOf(source('CEIS', { ...facts, list }))).toBe('sources.means.READ_FAILED');
    expect(meaningOf(source('RUES', facts))).toBe('sources.means.CALL_FAILED');
    expect(meaningOf(source('RUES', { ...facts, lastSuccessAt: null }))).toBe('sources.means.CALL_FAILED');
    expect(meaningOf(source('RUES', { lastErrorAt: BEFORE }))).toBeNull();
  });
});

describe('a source without a success', () => {
  const calls = { calls: 1, failed: 1, latencyMs: null };
  it.each([
    ['failed', { lastErrorAt: AFTER }],
    ['had calls whose failure is not recorded', { recentCalls: calls }],
    ['does not answer', { usable: false }],
  ])('was asked if it %s', (_, own) => {
    expect(withoutSuccess(source('RUES', { lastSuccessAt: null, ...own }))).toBe('sources.noSuccess');
  });

  it('was not asked yet if nothing is known of it', () => {
    expect(withoutSuccess(source('RUES', { lastSuccessAt: null }))).toBe('sources.notAsked');
  });
});

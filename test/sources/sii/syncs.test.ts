import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import type { SyncProgress } from '../../../src/sources/source.ts';
import { ask, onDisk, publisher, rutOf, siiDb } from './support.ts';
import { names, nominaOf, numbers } from './tables.ts';

const NUMBER = 76_000_000;
const { sii, db, leftovers } = siiDb();

describe('a sync of the registry', () => {
  it('loads new files, and stores only the check time when nothing changed', async () => {
    const { at, publish } = await publisher({ 'e.txt': nominaOf(3) });
    const copy = sii({ urls: { EMPRESAS: at('e.txt') } });
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 3, publishedOn: '2024-12-31' } });
    const first = copy.version();
    expect(await copy.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(copy.version()).toBe(first);
    publish({ 'e.txt': nominaOf(4) });
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 4 } });
    expect(copy.version()).not.toBe(first);
    expect(await leftovers()).toEqual([]);
  });

  it('dates the version by the publisher’s Last-Modified header', async () => {
    const { at } = await publisher({ 'e.txt': nominaOf(3) }, { 'last-modified': 'Mon, 10 Nov 2025 12:00:00 GMT' });
    const copy = sii({ urls: { EMPRESAS: at('e.txt') } });
    await copy.sync();
    expect((await copy.companies([])).version.publishedOn).toBe('2025-11-10');
  });

  it('reads the file of a file: address', async () => {
    const [file = ''] = await onDisk({ 'PUB_EMPRESAS_PJ_2024.txt': nominaOf(3) });
    const copy = sii({ urls: { EMPRESAS: pathToFileURL(file).href } });
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await ask(copy, NUMBER)).toBeDefined();
  });

  it('reports progress that never decreases', async () => {
    const { at } = await publisher({ 'e.txt': nominaOf(3_000), 'n.txt': names([[NUMBER, 'X', '', '']]) });
    const copy = sii({ urls: { EMPRESAS: at('e.txt'), NOMBRES: at('n.txt') } });
    const reports: SyncProgress[] = [];
    await copy.sync({ onProgress: (progress) => reports.push(progress) });
    const steps = reports.map(({ step }) => step).filter((step, i, all) => step !== all[i - 1]);
    expect(steps).toEqual(['e.txt', 'n.txt', 'e.txt', 'n.txt', 'merge', 'switch', 'names']);
    const read = reports.filter(({ step, share }) => step === 'e.txt' && share !== null);
    expect(read.map(({ rows }) => rows)).toEqual(read.map(({ rows }) => rows).toSorted((a, b) => a - b));
    expect(read.at(-1)).toEqual({ step: 'e.txt', rows: 3_000, share: 1 });
  });

  it('is refused when a file cannot be fetched, and when it is cancelled', async () => {
    const { at } = await publisher({ 'e.txt': nominaOf(3) });
    const copy = sii({ urls: { EMPRESAS: at('e.txt'), NOMBRES: at('none.zip') } });
    expect(await copy.sync()).toMatchObject({ outcome: 'refused', reason: 'download_failed' });
    expect(await copy.sync({ files: ['/nowhere/PUB_EMPRESAS_PJ_2024.txt'] })).toMatchObject({
      outcome: 'refused',
      reason: 'download_failed',
    });
    expect(await copy.sync({ signal: AbortSignal.abort() })).toEqual({ outcome: 'refused', reason: 'stopped' });
    const stop = new AbortController();
    const files = await onDisk({ 'e.txt': nominaOf(3_000) });
    const stopped = copy.sync({ files, signal: stop.signal, onProgress: () => stop.abort() });
    expect(await stopped).toEqual({ outcome: 'refused', reason: 'stopped' });
    expect(await leftovers()).toEqual([]);
  });

  it('is skipped while another sync runs', async () => {
    const files = await onDisk({ 'e.txt': nominaOf(5_000) });
    const copies = [sii(), sii(), sii()];
    const results = await Promise.all(copies.map((copy) => copy.sync({ files })));
    expect(results.map(({ outcome }) => outcome).filter((outcome) => outcome === 'loaded')).toHaveLength(1);
    expect(new Set(results.map(({ outcome }) => outcome))).not.toContain('refused');
    expect(await leftovers()).toEqual([]);
  });
});

describe('the addresses', () => {
  const tables = { 'e.txt': nominaOf(3), 'n.txt': names([[NUMBER + 9, 'SOLO NOMBRE', '', '']]) };

  it('by default are those of the newest nómina that the registry’s page lists', async () => {
    const page =
      '<a href="PUB_EMPRESAS_PJ_2020_A_2024.zip">…</a> <a href="/x/PUB_EMPRESAS_PJ_2021_A_2025.zip">…</a> PUB_EMPRESAS_PJ_2005_A_2014.zip';
    const { at, asked, publish } = await publisher({ 'sobre_el_sii/nominapersonasjuridicas.html': page });
    const copy = sii({ urls: { EMPRESAS: at('nominas/PUB_EMPRESAS_PJ_2020_A_2024.zip') }, origin: 'live' });
    expect(await copy.sync()).toMatchObject({ outcome: 'refused', reason: 'download_failed' });
    expect(asked.at(-1)).toBe('/nominas/PUB_EMPRESAS_PJ_2021_A_2025.zip');
    publish({ 'sobre_el_sii/nominapersonasjuridicas.html': 'nothing', 'nominas/PUB_EMPRESAS_PJ_2020_A_2024.zip': nominaOf(3) });
    expect(await copy.sync()).toMatchObject({ outcome: 'refused', reason: 'too_small' });
    expect(asked.at(-1)).toBe('/nominas/PUB_EMPRESAS_PJ_2020_A_2024.zip');
    expect(await sii({ urls: { EMPRESAS: at('none.zip') }, origin: 'live' }).sync()).toMatchObject({ reason: 'download_failed' });
    expect(await copy.sync({ force: true })).toMatchObject({ outcome: 'loaded' });
  });

  it('set by the operator are used unchanged', async () => {
    const { at, asked } = await publisher(tables);
    await sii({ urls: { EMPRESAS: at('e.txt'), NOMBRES: at('n.txt') } }).sync();
    expect(asked).toEqual(['/e.txt', '/n.txt']);
  });

  it('of the other tables are not used when the operator sets only the nómina’s', async () => {
    const { at, asked } = await publisher(tables);
    const copy = sii({ urls: { EMPRESAS: at('e.txt'), NOMBRES: at('n.txt') }, origins: { NOMBRES: 'live' } });
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
    expect(asked).toEqual(['/e.txt']);
  });
});

describe('the copy', () => {
  it('answers for many companies in one statement, and has no one else', async () => {
    const copy = sii();
    await copy.sync({ files: await onDisk({ 'e.txt': nominaOf(600) }) });
    const statements: string[] = [];
    const listen = ({ sql }: { sql: string }) => void statements.push(sql);
    db().knex.on('query', listen);
    const { companies, version } = await copy.companies([...numbers(500), 77_000_000, 5_000_000].map(rutOf));
    db().knex.off('query', listen);
    expect(statements).toHaveLength(1);
    expect([companies.size, companies.has(rutOf(77_000_000)), version.entries]).toEqual([500, false, 600]);
    expect(companies.get(rutOf(NUMBER + 7))?.name).toBe(`EMPRESA ${NUMBER + 7} SPA`);
  });

  it('fails before the first load, and when the database does', async () => {
    const copy = sii();
    await expect(ask(copy, NUMBER)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'sii' } });
    expect(await copy.status()).toMatchObject({ usable: false, list: null, kind: 'list' });
    await copy.refresh();
    expect(copy.version()).toBeNull();
    await expect(copy.companies(['7600000000000000K'])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('fails from 45 days after the last sync on', async () => {
    const clock = { now: Date.parse('2026-11-21') };
    const copy = sii({ now: () => clock.now });
    await copy.sync({ files: await onDisk({ 'e.txt': nominaOf(1) }) });
    clock.now += 45 * DAY_MS - 1;
    const hits = await copy.companies([]);
    expect(hits.goodUntil).toBe(clock.now + 1);
    clock.now += 1;
    await expect(ask(copy, NUMBER)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await copy.status()).toMatchObject({ usable: false });
  });

  it('is read again, from the database, by another process’s copy', async () => {
    const [one, other] = [sii(), sii()];
    await one.sync({ files: await onDisk({ 'e.txt': nominaOf(1) }) });
    await other.refresh();
    expect(other.version()).toBe(one.version());
    await db().knex.raw('UPDATE registry_versions SET shape = 0');
    await other.refresh();
    expect(other.version()).toBeNull();
    await expect(ask(other, NUMBER)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await one.sync({ files: await onDisk({ 'e.txt': nominaOf(1) }) })).toMatchObject({ outcome: 'loaded' });
  });
});

describe('an operator’s files in the sandbox', () => {
  it('are compared with the operator’s earlier files, not with the sandbox’s, and are kept', async () => {
    const { at } = await publisher({ 'e.txt': nominaOf(100, { mark: 'FICTICIA' }) });
    const copy = sii({ urls: { EMPRESAS: at('e.txt') }, origin: 'sandbox' });
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await copy.sync({ files: await onDisk({ 'e.txt': nominaOf(10) }) })).toMatchObject({ outcome: 'loaded' });
    expect(await copy.sync()).toMatchObject({ outcome: 'unchanged' });
    expect((await ask(copy, NUMBER))?.name).toBe(`EMPRESA ${NUMBER} SPA`);
    expect(await copy.sync({ files: await onDisk({ 'e.txt': nominaOf(5) }) })).toMatchObject({ outcome: 'refused', reason: 'shrunk' });
  });
});

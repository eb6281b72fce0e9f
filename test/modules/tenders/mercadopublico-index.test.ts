import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { filesIn, tempFolder } from '../../support/files.ts';
import { sampleBytes } from '../../support/samples.ts';
import { upstream } from '../../support/upstream.ts';
import { csvOf, offerRow, orderRow, without, zipOfRows } from './mercadopublico-csv.ts';
import { ask, listing, orderJson, source, stub, tenderJson, unavailable } from './mercadopublico-support.ts';

const NOON = Date.parse('2026-11-21T15:00:00Z');
const OURS = '76.242.192-5';
const WINNER = '76.012.551-2';
const MONTHS = { QUIPU_TENDERS_MONTHS: '3' };
const older = orderRow({ Codigo: '2097-1-SE26', FechaEnvio: '2026-10-05' });

/** Starts a publisher of files by path, which the test may change. Files have an ETag unless `etags` is false. */
async function publisher(files: Record<string, Buffer | undefined>, { etags = true } = {}) {
  const seen: string[] = [];
  const server = await upstream((url) => (request: IncomingMessage, response) => {
    const file = files[url];
    const etag = file && `"${createHash('sha256').update(file).digest('hex')}"`;
    const unless = request.headers['if-none-match'];
    seen.push(unless ? `${url} ${unless === etag ? 'same' : 'other'}` : url);
    if (!file) return void response.writeHead(404).end('<Error>');
    const headers = etags ? { etag, 'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT' } : {};
    if (etags && unless === etag) return void response.writeHead(304, headers).end();
    response.writeHead(200, headers).end(file);
  });
  return { url: server.url, seen, files };
}

async function setup(files?: Record<string, Buffer | undefined>, options?: { etags: boolean }) {
  const clock = { now: NOON };
  const {
    url,
    seen,
    files: published,
  } = await publisher(
    files ?? {
      '/oc-da/2026-11.zip': await zipOfRows(orderRow(), orderRow()),
      '/oc-da/2026-10.zip': await zipOfRows(older),
      '/oc-da/2026-9.zip': await zipOfRows(orderRow({ Codigo: '2097-0-SE26', FechaEnvio: '2026-09-05' })),
      '/lic-da/2026-11.zip': await zipOfRows(offerRow()),
      '/lic-da/2026-10.zip': await zipOfRows(offerRow({ CodigoExterno: '1-1-LE26', FechaAdjudicacion: '2026-10-30' })),
      '/lic-da/2026-9.zip': await zipOfRows(offerRow({ CodigoExterno: '1-0-LE26', FechaAdjudicacion: '2026-09-30' })),
    },
    options,
  );
  const { mp, log, tempDir } = await source({ files: url, settings: MONTHS, now: () => clock.now });
  const orders = async () => (await mp.orders([ask(OURS)])).pages[0]?.items.map(({ code }) => code);
  return { mp, log, tempDir, clock, seen, published, orders };
}

const oneMonth = async () => ({ '/oc-da/2026-11.zip': await zipOfRows(orderRow()), '/lic-da/2026-11.zip': await zipOfRows(offerRow()) });

describe('the index of Chilean orders and awards', { timeout: 60_000 }, () => {
  it('is loaded from the monthly files, and answers with its coverage', async () => {
    const { mp, orders, tempDir } = await setup();
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
    expect(await mp.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 6, publishedOn: '2026-11-20' } });
    expect(await orders()).toEqual(['2097-241-SE26', '2097-1-SE26', '2097-0-SE26']);
    const { pages, coverage, publishedOn } = await mp.awards([ask(WINNER), ask(OURS)]);
    expect(pages[0]?.items.map(({ code, total }) => [code, total.amount])).toEqual([
      ['1509-5-LE26', 279.8],
      ['1-1-LE26', 279.8],
      ['1-0-LE26', 279.8],
    ]);
    expect(pages[1]).toEqual({ items: [], total: 0, hasMore: false });
    expect(coverage).toMatch(/^Awards of 2026-09 to 2026-11 are indexed\. .*a day behind/);
    expect(publishedOn).toBe('2026-11-20');
    expect(await filesIn(tempDir)).toEqual([]);
    expect(await mp.status()).toMatchObject({ kind: 'list', usable: true, lastError: null, circuit: 'closed' });
  });

  it('requests recent months at every sync and an older one once a week, and loads only changed files', async () => {
    const { mp, seen, published, clock, orders } = await setup();
    await mp.sync();
    seen.length = 0;
    published['/oc-da/2026-11.zip'] = await zipOfRows(orderRow(), orderRow({ Codigo: '2097-242-SE26', FechaEnvio: '2026-11-21' }));
    expect(await mp.sync()).toMatchObject({ outcome: 'loaded' });
    expect(seen).toEqual(['/oc-da/2026-11.zip other', '/lic-da/2026-11.zip same', '/oc-da/2026-10.zip same', '/lic-da/2026-10.zip same']);
    expect(await orders()).toContain('2097-242-SE26');
    seen.length = 0;
    for (let day = 0; day < 7; day += 1) {
      clock.now += DAY_MS;
      expect(await mp.sync()).toMatchObject({ outcome: 'unchanged' });
    }
    expect(seen.filter((url) => url.includes('2026-9'))).toEqual(['/oc-da/2026-9.zip same', '/lic-da/2026-9.zip same']);
  });

  it('recognizes an unchanged file by its checksum when the publisher sends no ETag', async () => {
    const { mp, seen } = await setup(await oneMonth(), { etags: false });
    expect(await mp.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: null } });
    expect(await mp.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(seen.every((url) => !url.includes(' '))).toBe(true);
  });

  it('accepts a month that is not published yet, and fails for a month that was removed', async () => {
    const { mp, published, orders } = await setup({
      '/oc-da/2026-10.zip': await zipOfRows(older),
      '/lic-da/2026-10.zip': await zipOfRows(offerRow()),
    });
    expect(await mp.sync()).toMatchObject({ outcome: 'loaded' });
    expect((await mp.orders([ask(OURS)])).coverage).toContain('Not indexed yet: 2026-09, 2026-11.');
    published['/oc-da/2026-10.zip'] = undefined;
    expect(await mp.sync()).toMatchObject({ outcome: 'refused', reason: 'download_failed' });
    expect(await orders()).toEqual(['2097-1-SE26']);
  });

  it.each<[string, () => Promise<Buffer>, string]>([
    ['a zip that is cut', async () => (await zipOfRows(orderRow())).subarray(0, 200), 'not_a_list'],
    ['another table', () => zipOfRows({ id: '1', nombre: 'otra' }), 'not_a_list'],
    ['a needed column less', () => zipOfRows(without(orderRow(), 'MontoTotalOC')), 'not_a_list'],
    ['a page', async () => Buffer.from('<html><body>Error</body></html>'), 'not_a_list'],
    ['no order of a company', () => zipOfRows(orderRow({ RutSucursal: '12.345.678-5' })), 'empty'],
  ])('UP-03 rejects %s and keeps the previous data', async (_, file, reason) => {
    const { mp, published, orders, tempDir } = await setup(await oneMonth());
    await mp.sync();
    const before = await orders();
    published['/oc-da/2026-11.zip'] = await file();
    expect(await mp.sync()).toMatchObject({ outcome: 'refused', reason });
    expect(await orders()).toEqual(before);
    expect(await mp.status()).toMatchObject({ lastError: reason });
    expect(await filesIn(tempDir)).toEqual([]);
  });

  it('UP-10 is a failed source four days after the last sync', async () => {
    const { mp, clock } = await setup(await oneMonth());
    await mp.sync();
    clock.now += 4 * DAY_MS - 1;
    await mp.orders([ask(OURS)]);
    clock.now += 1;
    await expect(mp.orders([ask(OURS)])).rejects.toMatchObject(unavailable);
    expect(await mp.status()).toMatchObject({ usable: false });
  });

  it('loads local files by their content, and rejects a file without a month', async () => {
    const folder = await tempFolder();
    const write = async (name: string, content: Buffer) => {
      await writeFile(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const files = [await write('2026-11.zip', await zipOfRows(orderRow())), await write('licitaciones.csv', csvOf(offerRow()))];
    const { mp } = await source({ api: 'http://127.0.0.1:1', settings: MONTHS, now: () => NOON });
    expect(await mp.sync({ files })).toMatchObject({ outcome: 'loaded', version: { entries: 2 } });
    expect((await mp.orders([ask(OURS)])).coverage).toContain('Orders of 2026-11 are indexed.');
    expect((await mp.awards([ask(WINNER)])).pages[0]?.total).toBe(1);
    const nameless = await write('x.csv', csvOf(orderRow({ FechaEnvio: 'NA' })));
    expect(await mp.sync({ files: [nameless] })).toEqual(expect.objectContaining({ outcome: 'refused', reason: 'not_a_list' }));
    const other = await write('2026-11.csv', csvOf({ a: 'b' }));
    expect(await mp.sync({ files: [other] })).toEqual(expect.objectContaining({ outcome: 'refused', reason: 'not_a_list' }));
  });

  it('loads the sample with real columns as one month', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'mp_bulk.csv');
    await writeFile(file, sampleBytes('chile-colombia/mp_bulk_oc-da_columns_subset.sample.csv'));
    const { mp } = await source({ settings: MONTHS, now: () => Date.parse('2024-02-10T12:00:00Z') });
    expect(await mp.sync({ files: [file] })).toMatchObject({ outcome: 'loaded', version: { entries: 3 } });
    expect((await mp.orders([ask(OURS)])).pages[0]?.items).toMatchObject([{ code: '2097-241-SE24', total: { amount: 41650 } }]);
  });
});

describe('the data newer than the monthly files', { timeout: 60_000 }, () => {
  async function withApi(script: (query: Readonly<Record<string, string | undefined>>, resource: string) => object) {
    const api = await upstream((url) => {
      const { pathname, searchParams } = new URL(url, 'http://x');
      return { body: script(Object.fromEntries(searchParams), pathname.slice(1)) };
    });
    const { url } = await publisher({
      '/oc-da/2026-11.zip': await zipOfRows(orderRow()),
      '/lic-da/2026-11.zip': await zipOfRows(offerRow({ CodigoExterno: '1-0-LE26' })),
    });
    const where = { api: api.url, files: url, settings: MONTHS, now: () => NOON };
    const { mp, log, db } = await source(where);
    return { mp, log, api, again: () => source({ ...where, db }) };
  }

  it('is added by document, with one request for each', async () => {
    const { mp, api } = await withApi(({ codigo, fecha }, resource) => {
      if (codigo) return listing(resource === 'licitaciones.json' ? tenderJson(codigo) : orderJson(codigo));
      if (fecha !== '21112026') return listing();
      return resource === 'licitaciones.json'
        ? listing(stub('1509-5-LE26', { CodigoEstado: 8 }), stub('1-9-LE26'))
        : listing({ Codigo: '9-9-SE26' });
    });
    await mp.sync();
    expect((await mp.orders([ask(OURS)])).pages[0]?.items.map(({ code }) => code).sort()).toEqual(['2097-241-SE26', '9-9-SE26']);
    expect((await mp.awards([ask(WINNER)])).pages[0]?.items.map(({ code }) => code).sort()).toEqual(['1-0-LE26', '1509-5-LE26']);
    const details = () => api.asked.filter((url) => url.includes('codigo='));
    expect(details()).toHaveLength(2);
    await mp.sync();
    expect(details()).toHaveLength(2);
  });

  it('does not fail the sync when one document or one list of the API is invalid', async () => {
    const { mp, log } = await withApi(({ codigo, fecha }, resource) => {
      if (resource === 'licitaciones.json') return {};
      if (codigo) return codigo === '9-1-SE26' ? {} : listing(orderJson(codigo));
      return fecha === '21112026' ? listing({ Codigo: '9-1-SE26' }, { Codigo: '9-2-SE26' }) : listing();
    });
    expect(await mp.sync()).toMatchObject({ outcome: 'loaded' });
    expect((await mp.orders([ask(OURS)])).pages[0]?.items.map(({ code }) => code).sort()).toEqual(['2097-241-SE26', '9-2-SE26']);
    expect(log.filter(({ msg }) => String(msg).startsWith('what is newer'))).toHaveLength(2);
  });

  it('does not make a load of the files unreported when the process stops while it is read', async () => {
    const stop = new AbortController();
    const { mp } = await withApi(() => {
      stop.abort();
      return listing(stub('1509-5-LE26', { CodigoEstado: 8 }));
    });
    expect(await mp.sync({ signal: stop.signal })).toMatchObject({ outcome: 'loaded' });
  });

  it('stops after three failed requests, and continues at the next sync', async () => {
    let down = true;
    const { mp, api } = await withApi(({ codigo, fecha }, resource) => {
      if (resource === 'licitaciones.json') return listing();
      if (codigo) return down ? {} : listing(orderJson(codigo));
      return fecha === '21112026' ? listing(...CODES.map((Codigo) => ({ Codigo }))) : listing();
    });
    await mp.sync();
    expect(api.asked.filter((url) => url.includes('codigo='))).toHaveLength(3);
    down = false;
    await mp.sync();
    expect((await mp.orders([ask(OURS)])).pages[0]?.total).toBe(5);
  });

  it('is kept when another process reads less of it', async () => {
    let broken = '';
    const { mp, again } = await withApi(({ codigo, fecha }, resource) => {
      if (resource === 'licitaciones.json') return listing();
      if (codigo) return broken === codigo ? {} : listing(orderJson(codigo));
      return fecha === '21112026' ? listing(...CODES.map((Codigo) => ({ Codigo }))) : listing();
    });
    await mp.sync();
    broken = '9-2-SE26';
    const { mp: other, log } = await again();
    await other.sync();
    expect((await other.orders([ask(OURS)])).pages[0]?.total).toBe(5);
    expect(log.some(({ why }) => String(why).includes('less was read than before'))).toBe(true);
  });
});

const CODES = ['9-1-SE26', '9-2-SE26', '9-3-SE26', '9-4-SE26'];

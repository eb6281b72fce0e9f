import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { zipOf } from '../../support/files.ts';
import { upstream } from '../../support/upstream.ts';
import { edge, fileOf, ownershipDb, people } from './support.ts';

const { copy } = ownershipDb();
const [A, B, C] = [76_900_001, 76_900_014, 76_900_028];
const file = (share: number): string => fileOf([edge(B, A, `${share}`), people(B, `${100 - share}`), edge(C, A, '50'), people(C, '50')]);

describe('the download of the owners of Chile', () => {
  it('is not repeated for a file with the same ETag, whose check counts as a sync', async () => {
    const state = { share: 60, now: Date.parse('2026-11-01T00:00:00Z') };
    const conditions: (string | undefined)[] = [];
    const { url } = await upstream(() => (request, response) => {
      const etag = `"${state.share}"`;
      const condition = request.headers['if-none-match'];
      conditions.push(condition);
      if (condition === etag) response.writeHead(304, { etag }).end();
      else response.writeHead(200, { etag }).end(file(state.share));
    });
    const source = copy({ url, now: () => state.now });
    expect(await source.sync()).toMatchObject({ outcome: 'loaded' });
    state.now += 1_000;
    expect(await source.sync()).toMatchObject({ outcome: 'unchanged', version: { checkedAt: state.now } });
    state.share = 70;
    expect(await source.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await source.of(B)).toMatchObject({ companies: [{ share: '70' }] });
    expect(await source.sync({ force: true })).toMatchObject({ outcome: 'unchanged' });
    expect(conditions).toEqual([undefined, '"60"', '"60"', undefined]);
  });

  it('is repeated after a refused file', async () => {
    const state = { body: file(60), etag: '"1"' };
    const conditions: (string | undefined)[] = [];
    const { url } = await upstream(() => (request, response) => {
      conditions.push(request.headers['if-none-match']);
      response.writeHead(200, { etag: state.etag }).end(state.body);
    });
    const source = copy({ url });
    await source.sync();
    Object.assign(state, { body: '<html></html>', etag: '"2"' });
    expect(await source.sync()).toMatchObject({ outcome: 'refused' });
    expect(await source.sync()).toMatchObject({ outcome: 'refused' });
    expect(conditions).toEqual([undefined, '"1"', '"1"']);
  });

  it('is refused if the zip declares more than 500 MB, or has another size than it declares', async () => {
    const zip = await zipOf({ 'composicion_sociedades.csv': randomBytes(3_500_000) });
    for (const bytes of [600 * 1024 ** 2, 1_000]) {
      const declared = Buffer.from(zip);
      // the size of the file in the directory of the zip
      declared.writeUInt32LE(bytes, declared.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 24);
      const { url } = await upstream(() => ({ body: declared }));
      expect([bytes, await copy({ url }).sync()]).toMatchObject([bytes, { outcome: 'refused', reason: 'not_a_list' }]);
    }
  });

  it('does not keep a file of the publisher in use that is older than 400 days', async () => {
    let now = Date.parse('2026-12-29');
    const headers = { 'last-modified': 'Tue, 25 Nov 2025 16:11:42 GMT' };
    const { url } = await upstream(() => ({ headers, body: file(60) }));
    for (const origin of ['live', 'given'] as const) {
      now = Date.parse('2026-12-29');
      const source = copy({ url, origin, now: () => now });
      expect(await source.sync({ force: true })).toMatchObject({ outcome: expect.stringMatching(/^(loaded|unchanged)$/) });
      expect(await source.of(B)).toMatchObject({ status: 'published' });
      now += 2 * DAY_MS;
      expect(await source.sync()).toMatchObject({ outcome: 'unchanged' });
      expect(await source.status()).toMatchObject({ usable: origin === 'given' });
      if (origin === 'given') expect(await source.of(B)).toMatchObject({ status: 'published' });
      else await expect(source.of(B)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    }
  });
});

import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Bytes, filesIn, tempFolder, zipOf } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { type Reply, upstream } from '../support/upstream.ts';
import { namesOf, toyDb } from './toy-db.ts';
import { personOf, type ToyRow, toyCsv, toyRows, toyXml } from './toy-list.ts';

const toys = toyDb();

describe('a damaged list', () => {
  const rows = toyRows(200);
  const next = toyRows(201, 'Nova');
  const bytes = (text: string): Buffer => Buffer.from(text);
  const without = (all: readonly ToyRow[], share: number) => all.slice(0, Math.floor(all.length * (1 - share)));
  const flipped = (content: Buffer): Buffer => {
    const at = Math.floor(content.length / 2);
    content.writeUInt8(content.readUInt8(at) ^ 0x55, at);
    return content;
  };
  const plain = (content: Bytes): Reply => ({ headers: { 'content-type': 'application/octet-stream' }, body: content });
  const cutOff =
    (content: Buffer): Reply =>
    (_, response) => {
      response
        .writeHead(200, { 'content-length': String(content.length), connection: 'close' })
        .write(content.subarray(0, content.length - 200));
      setTimeout(() => response.destroy(), 20);
    };

  /** What may happen to a good file, in whichever form it is written. */
  const common = (form: (rows: readonly ToyRow[]) => string, extension: string): [string, () => Promise<Reply> | Reply][] => [
    ['nothing', () => plain('')],
    ['only a byte order mark', () => plain('\uFEFF')],
    ['only blanks', () => plain(' \r\n'.repeat(99))],
    ['no rows', () => plain(form([]))],
    ['6 % fewer rows', () => plain(form(without(next, 0.06)))],
    ['half the rows', () => plain(form(without(next, 0.5)))],
    ['half the bytes', () => plain(form(next).slice(0, form(next).length / 2))],
    ['a connection that ends before the file does', () => cutOff(bytes(form(next)))],
    ['a page of maintenance with status 200', () => plain('<!doctype html>\n<html><body>Em manutenção</body></html>')],
    ['an error as JSON with status 200', () => plain('{"erro":"tente mais tarde"}')],
    ['status 500', () => ({ status: 500, body: 'x' })],
    ['status 404', () => ({ status: 404, body: form(next) })],
    ['NULs in the middle', () => plain(form(next).replace('000191', '\0\0\0\0\0\0'))],
    ['UTF-16 without its mark', () => plain(Buffer.from(form(next), 'utf16le'))],
    ['a PDF', () => plain('%PDF-1.7\n%âãÏÓ\n1 0 obj')],
    ['a gzip in place of a zip', () => plain(gzipSync(form(next)))],
    ['a zip that is cut', async () => plain((await zipOf({ [`a.${extension}`]: form(next) })).subarray(0, -30))],
    ['a zip with a wrong checksum', async () => plain(flipped(await zipOf({ [`a.${extension}`]: form(next) })))],
    ['a zip without a list', async () => plain(await zipOf({ 'LEIAME.md': 'oi' }))],
    ['a cell of another kind', () => plain(form(next).replaceAll('000191', '-ABC'))],
  ];
  const csvOnly: typeof csv = [
    ['other columns', () => plain(toyCsv(next).replace('ID;TAX;NAME', 'ID;CPF;NAME'))],
    ['a column less', () => plain(toyCsv(next).replace(/;"[^"]*"/g, ''))],
    ['another delimiter', () => plain(toyCsv(next).replaceAll(';', ','))],
    ['an open quote', () => plain(toyCsv(next).replace('"Nova 9"', '"Nova 9'))],
    ['a row cut short', () => plain(toyCsv(next).slice(0, -14))],
    ['the xml of something else', () => plain('<?xml version="1.0"?><other/>')],
  ];
  const xmlOnly: typeof csv = [
    ['no end tag', () => plain(toyXml(next).replace('</list>', ''))],
    ['two roots', () => plain(toyXml(next) + toyXml(next))],
    ['another root', () => plain(toyXml(next).replaceAll('list>', 'other>'))],
    ['a bare ampersand', () => plain(toyXml(next).replace('Nova 9', 'A & B'))],
    ['bytes that its charset does not have', () => plain(Buffer.from(toyXml(toyRows(201)), 'latin1'))],
  ];
  const csv = common(toyCsv, 'csv');

  async function served(form: Bytes) {
    const state: { reply: Reply } = { reply: plain(form) };
    const { url } = await upstream(() => state.reply);
    const { log, lines } = memoryLog();
    const list = toys.registry({ url, log });
    expect(await list.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 200 } });
    return { list, lines, serve: (reply: Reply) => Object.assign(state, { reply }) };
  }

  const refuses = async (form: Bytes, make: () => Promise<Reply> | Reply) => {
    const { list, lines, serve } = await served(form);
    const before = { hits: await list.lookup([personOf(1), personOf(200)]), version: list.version() };
    serve(await make());
    const result = await list.sync();
    expect(result.outcome).toBe('refused');
    expect({ hits: await list.lookup([personOf(1), personOf(200)]), version: list.version() }).toEqual(before);
    const reason = 'reason' in result ? result.reason : '';
    expect(await list.status()).toMatchObject({ usable: true, lastError: reason, lastErrorAt: expect.any(Number) });
    expect(lines.filter(({ level }) => Number(level) >= 40)).toMatchObject([{ list: 'CEIS', reason }]);
    expect(JSON.stringify(lines)).not.toMatch(/Nova|000191/);
    expect(await toys.partitions()).toHaveLength(1);
    expect(await filesIn(toys.tempDir())).toEqual([]);
  };

  it.each([...csv, ...csvOnly])('DB-06 a csv with %s is refused; the old version answers', (_name, make) => refuses(toyCsv(rows), make));
  it.each([...common(toyXml, 'xml'), ...xmlOnly])('DB-06 an xml with %s is refused; the old version answers', (_name, make) =>
    refuses(toyXml(rows), make),
  );

  it('DB-06 a missing file on disk is refused; the old version answers', async () => {
    const file = path.join(await tempFolder(), 'toy.csv');
    await writeFile(file, toyCsv(rows));
    const list = toys.registry({ url: pathToFileURL(file).href });
    await list.sync();
    await rename(file, `${file}.gone`);
    expect(await list.sync()).toMatchObject({ outcome: 'refused', reason: 'download_failed' });
    expect(await namesOf(list, 1)).toEqual([['São “Norte” \\ & Cia 1']]);
  });

  it('does not affect the next good load', async () => {
    const { list, serve } = await served(toyCsv(rows));
    serve(plain(toyCsv(next).slice(0, 900)));
    await list.sync();
    serve(plain(toyCsv(next)));
    expect(await list.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 201 } });
    expect(await namesOf(list, 201)).toEqual([['Nova 201']]);
  });

  it('reports the wait that a publisher requested', async () => {
    const { url } = await upstream(() => ({ status: 429, headers: { 'retry-after': '600' }, body: '' }));
    expect(await toys.registry({ url }).sync()).toEqual({ outcome: 'refused', reason: 'download_failed', retryAfterMs: 600_000 });
  });
});

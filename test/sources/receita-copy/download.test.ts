import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { downloadMonth, type MonthDownload } from '../../../src/sources/receita-federal/copy/download.ts';
import { refuse, shareOf } from './share.ts';
import { folderOf, monthOf } from './support.ts';

/** A share with one month, and downloads from it. */
async function setup() {
  const source = await folderOf(monthOf(20));
  const share = await shareOf({ '2026-11': source });
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-download-'));
  onTestFinished(() => rm(tempDir, { recursive: true }));
  const given = { sharePath: '', month: null, tempDir, signal: new AbortController().signal, onProgress: () => undefined, pauseMs: 1 };
  const download = (change: Partial<MonthDownload> = {}) => downloadMonth({ address: share.address, ...given, ...change });
  return { share, source, tempDir, download };
}

const contents = async (folder: string) =>
  Promise.all((await readdir(folder)).toSorted().map(async (name) => [name, (await readFile(path.join(folder, name))).toString('hex')]));

const ADVICE = /QUIPU_RECEITA_SHARE_URL, QUIPU_RECEITA_SHARE_PATH/;

describe('a download of a month', () => {
  it('sends at most three requests at once', async () => {
    const { share, source, download } = await setup();
    expect(await contents(await download())).toEqual(await contents(source));
    expect(share.mostAtOnce()).toBeLessThanOrEqual(3);
  });

  it.each([429, 503])('waits as long as an answer %s asks for, and sends fewer requests at once from then on', async (status) => {
    const { share, source, download } = await setup();
    const refusedAt: number[] = [];
    const allowedAt: number[] = [];
    share.faults.file = (response, _, nth) => {
      if (nth > 1 || refusedAt.length >= 2) {
        if (nth > 1) allowedAt.push(Date.now());
        return false;
      }
      refusedAt.push(Date.now());
      return refuse(response, status, { 'retry-after': '1' });
    };
    expect(await contents(await download())).toEqual(await contents(source));
    expect(refusedAt).toHaveLength(2);
    expect((allowedAt[0] ?? 0) - (refusedAt[0] ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it('sends one request at a time to a share that goes on refusing', async () => {
    const { share, download } = await setup();
    let refusals = 0;
    let mostAfterwards = 0;
    let running = 0;
    share.faults.file = (response) => {
      if (refusals < 2) {
        refusals += 1;
        return refuse(response, 429);
      }
      running += 1;
      mostAfterwards = Math.max(mostAfterwards, running);
      response.on('close', () => {
        running -= 1;
      });
      return false;
    };
    await download();
    // A request that was sent before the second refusal may still be running.
    expect(mostAfterwards).toBeLessThanOrEqual(2);
  });

  it('fails at once if the share asks for a wait of hours, and passes the time on', async () => {
    const { share, download } = await setup();
    share.faults.file = (response) => refuse(response, 503, { 'retry-after': '7200' });
    await expect(download()).rejects.toMatchObject({
      reason: 'share',
      message: 'The share answered 503 to a download and asked for 7200 s without requests.',
      retryAfterMs: 7_200_000,
    });
    expect(share.downloads()).toBeLessThanOrEqual(3);
  });

  it('counts attempts only while no byte arrives', async () => {
    const { share, source, download } = await setup();
    share.faults.file = (response, request, nth) => {
      if (nth > 12 || !request.url?.includes('Empresas0')) return false;
      void sendOneByte(response, request.headers.range, path.join(source, 'Empresas0.zip'));
      return true;
    };
    expect(await contents(await download())).toEqual(await contents(source));
  });

  it('fails after five attempts without a byte', async () => {
    const { share, download } = await setup();
    share.faults.file = (response) => {
      response.destroy();
      return true;
    };
    await expect(download()).rejects.toMatchObject({ reason: 'share', message: 'A file of the share cannot be downloaded.' });
    expect(share.downloads()).toBeLessThanOrEqual(15);
  });

  it.each([401, 403, 404])('fails at once when a listing answers %s, and says which settings to check', async (status) => {
    const { share, download } = await setup();
    share.faults.listing = (response) => refuse(response, status);
    await expect(download()).rejects.toMatchObject({ reason: 'share', message: expect.stringMatching(ADVICE) });
    await expect(download()).rejects.toThrow(`The share answered ${status} to the listing of a folder.`);
    expect(share.listings()).toBe(2);
  });

  it('fails at once when a file is not given', async () => {
    const { share, download } = await setup();
    share.faults.file = (response) => refuse(response, 404);
    await expect(download()).rejects.toMatchObject({ reason: 'share', message: expect.stringMatching(/404 to a download\..*SHARE_URL/) });
    expect(share.downloads()).toBeLessThanOrEqual(3);
  });

  it('says that the share cannot be reached, without its address', async () => {
    const { download } = await setup();
    await expect(download({ address: 'http://127.0.0.1:1/index.php/s/secret' })).rejects.toMatchObject({
      reason: 'share',
      message: 'The share cannot be reached.',
    });
  });

  it('stops when it is aborted, and keeps the parts', async () => {
    const { share, tempDir, source, download } = await setup();
    const abort = new AbortController();
    share.faults.file = (response, request) => {
      if (!request.url?.includes('Estabelecimentos0')) return false;
      response.writeHead(200, { 'content-type': 'application/zip' }).write(Buffer.alloc(10));
      setTimeout(() => abort.abort(), 100);
      return true;
    };
    await expect(download({ signal: abort.signal })).rejects.toThrow(/abort/);
    const [folder = ''] = await readdir(tempDir);
    expect(await readdir(path.join(tempDir, folder))).toContain('Estabelecimentos0.zip.part');
    share.faults.file = undefined;
    await rm(path.join(tempDir, folder, 'Estabelecimentos0.zip.part')); // its bytes were not those of the file
    expect(await contents(await download())).toEqual(await contents(source));
  });
});

/** Sends the next byte of a file, and breaks the connection. */
async function sendOneByte(response: import('node:http').ServerResponse, range: string | undefined, file: string): Promise<void> {
  const bytes = await readFile(file);
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const headers = from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': String(bytes.length - from), ...headers });
  response.write(bytes.subarray(from, from + 1), () => setTimeout(() => response.destroy(), 20));
}

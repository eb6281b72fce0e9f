import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountPages } from '../../src/server/pages.ts';

const SCRIPT = 'console.log("dashboard");';

let folder: string;
let server: FastifyInstance;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-pages-'));
  await mkdir(path.join(folder, 'assets'));
  await writeFile(path.join(folder, 'index.html'), 'landing');
  await writeFile(path.join(folder, 'dashboard.html'), 'dashboard');
  await writeFile(path.join(folder, 'explorer.html'), 'explorer');
  await writeFile(path.join(folder, 'favicon.svg'), '<svg/>');
  await writeFile(path.join(folder, 'assets/main-abc.js'), SCRIPT);
  await writeFile(path.join(folder, 'openapi.json'), '{}');
  await writeFile(path.join(folder, 'schema.graphql'), 'type Query');
  await mkdir(path.join(folder, 'docs/api'), { recursive: true });
  await writeFile(path.join(folder, 'docs/index.html'), 'docs');
  await writeFile(path.join(folder, 'docs/api/index.html'), 'reference');
  await writeFile(path.join(folder, 'docs/search.json'), '[]');
  await writeFile(path.join(folder, 'docs/glossary.md'), '# Glossary');
  server = fastify();
  const { serveExplorer } = mountPages(server, folder);
  if (serveExplorer) server.get('/graphql', serveExplorer);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (url: string, headers = {}) => server.inject({ url, headers });

describe('the pages for browsers', () => {
  it.each([
    ['/', 'landing'],
    ['/graphql', 'explorer'],
    ['/docs', 'docs'],
    ['/docs/api', 'reference'],
    ['/dashboard', 'dashboard'],
    ['/dashboard/company/BR/99030001000146', 'dashboard'],
  ])('serve %s as the page "%s", which is asked for each time and runs its own scripts only', async (url, body) => {
    const answer = await get(url);
    expect([answer.statusCode, answer.body]).toEqual([200, body]);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:/);
  });

  it('serve assets, whose names change with their content, to be kept for a year', async () => {
    const { statusCode, body, headers } = await get('/dashboard/assets/main-abc.js');
    expect([statusCode, body]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('compress for clients that take gzip', async () => {
    const { headers, rawPayload } = await get('/dashboard/assets/main-abc.js', { 'accept-encoding': 'gzip, br' });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(String(gunzipSync(rawPayload))).toBe(SCRIPT);
  });

  it('serve the icon where browsers look for it', async () => {
    for (const url of ['/favicon.ico', '/dashboard/favicon.svg'])
      expect(await get(url)).toMatchObject({ statusCode: 200, body: '<svg/>', headers: { 'content-type': 'image/svg+xml' } });
  });

  it.each([
    ['/openapi.json', 'application/json; charset=utf-8', '{}'],
    ['/docs/search.json', 'application/json; charset=utf-8', '[]'],
    ['/schema.graphql', 'text/plain; charset=utf-8', 'type Query'],
    ['/docs/glossary.md', 'text/markdown; charset=utf-8', '# Glossary'],
  ])('serve the document %s as %s', async (url, type, body) => {
    expect(await get(url)).toMatchObject({ statusCode: 200, body, headers: { 'content-type': type } });
  });

  it.each(['/dashboard/assets/other.js', '/dashboard/assets/..%2findex.html', '/dashboardx'])('answer %s with 404', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });

  it('are not mounted where they are not built', async () => {
    const empty = fastify();
    expect(mountPages(empty, path.join(folder, 'missing')).serveExplorer).toBeNull();
    expect((await empty.inject('/dashboard')).statusCode).toBe(404);
    await empty.close();
  });
});

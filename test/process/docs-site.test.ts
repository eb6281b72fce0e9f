import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSchema } from 'graphql';
import { describe, expect, inject, it } from 'vitest';
import { slugOf } from '../../dashboard/docs-site/markdown.ts';
import { MAX_SCRIPT_BYTES, needsBrowser, SCREENS, seriousFindings, useDashboard } from '../support/dashboard.ts';

/** Addresses that are no pages of the documentation. */
const OTHERS = ['/', '/dashboard', '/graphql', '/status', '/dashboard/favicon.svg', '/openapi.json', '/asyncapi.json', '/schema.graphql'];

const pagesFolder = () => path.join(inject('build'), 'pages');
const read = (file: string) => readFileSync(path.join(pagesFolder(), file), 'utf8');
/** Address → HTML of every page of the documentation. */
const pages = () =>
  new Map(
    readdirSync(path.join(pagesFolder(), 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('index.html'))
      .map((name) => [path.posix.join('/docs', path.dirname(name)), read(path.join('docs', name))]),
  );
const hrefs = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

it.each([
  ['What counts', 'what-counts'],
  ['One `GET` request, and its reply', 'one-get-request-and-its-reply'],
  ['GET /v1/screenings/{id}/results.csv', 'get-v1screeningsidresultscsv'],
])('the id of a heading %s is that of GitHub', (heading, id) => {
  expect(slugOf(heading)).toBe(id);
});

describe('the built documentation', () => {
  it('has a page for each file, and only links that lead somewhere', () => {
    const all = pages();
    expect(all.size).toBeGreaterThan(40);
    const isAsset = (at: string) => at.startsWith('/dashboard/assets/') || at.startsWith('/docs/images/');
    const dead = [...all].flatMap(([url, html]) =>
      hrefs(html)
        .filter((href) => !/^(https?|mailto):/.test(href))
        .filter((href) => {
          const [at = '', id] = href.split('#');
          if (OTHERS.includes(at) || isAsset(at)) return false;
          const target = all.get(at === '' ? url : at);
          return target === undefined || (id !== undefined && !target.includes(`id="${decodeURIComponent(id)}"`));
        })
        .map((href) => `${url} → ${href}`),
    );
    expect(dead).toEqual([]);
  });

  it('draws the diagrams of its pages, with their size and nothing from elsewhere', () => {
    const drawn = [...pages().values()].flatMap((html) => [
      ...html.matchAll(/<img class="diagram" src="\/(docs\/images\/[\w-]+\.svg)" width="\d+" height="\d+" alt="Diagram: [^"]+">/g),
    ]);
    expect(drawn.length).toBeGreaterThan(4);
    for (const [, file = ''] of drawn) {
      expect(read(file)).toMatch(/^<svg /);
      expect(read(file)).not.toMatch(/@import|url\(['"]?http/);
    }
  });

  it('describes every endpoint of /v1 on /docs/api, with its errors', () => {
    const html = read('docs/api/index.html');
    const { paths } = JSON.parse(read('openapi.json'));
    for (const [at, methods] of Object.entries<object>(paths))
      for (const method of Object.keys(methods)) expect(html).toContain(`<code>${method.toUpperCase()} ${at}</code></h3>`);
    expect(html).toContain('<code>rate_limited</code>');
  });

  it('describes every operation and type of the schema on /docs/schema', () => {
    const html = read('docs/schema/index.html');
    const schema = buildSchema(read('schema.graphql'));
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const operations = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
    const types = Object.keys(schema.getTypeMap()).filter(
      (name) => !/^__|^(Query|Mutation|Subscription|String|Int|Float|Boolean|ID)$/.test(name),
    );
    expect(operations.length).toBeGreaterThan(30);
    expect(operations.filter((name) => !html.includes(`<td><code>${name}</code></td>`))).toEqual([]);
    expect(types.filter((name) => !html.includes(`<code>${name}</code></h3>`))).toEqual([]);
  });

  it('loads little script, and nothing from elsewhere', () => {
    for (const [, html] of pages()) {
      expect(html.match(/<script(?![^>]*src=)|<style|<[^>]*\s(on\w+|style)=/g)).toBeNull();
      const scripts = hrefs(html).filter((href) => href.endsWith('.js'));
      const bytes = scripts.reduce((sum, href) => sum + gzipSync(read(href.replace('/dashboard/', ''))).length, 0);
      expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES / 5);
    }
  });
});

describe('the documentation in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const run = useDashboard();
  const paths = ['/docs', '/docs/monitoring', '/docs/api', '/docs/schema', '/docs/decisions'];

  it('finds a section by the search, and opens it', async () => {
    const page = await run.openPage();
    await page.goto(`${run.url}/docs`);
    await page.getByLabel('Search the documentation').fill('idempotent requests');
    await page.locator('#found a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/usage-and-limits#idempotent-requests/);
    await page.getByLabel('Search the documentation').fill('xyzzy');
    await page.getByText('Nothing found for').waitFor();
  });

  it('shows its pages on 390 px without scrolling sideways', async () => {
    const page = await run.openPage({ viewport: SCREENS.phone });
    for (const url of paths) {
      await page.goto(run.url + url);
      expect([url, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([url, SCREENS.phone.width]);
    }
  });

  it('has no serious finding of axe, in light and in dark colours', async () => {
    const page = await run.openPage();
    for (const url of paths) {
      await page.goto(run.url + url);
      expect([url, await seriousFindings(page)]).toEqual([url, []]);
    }
  });
});

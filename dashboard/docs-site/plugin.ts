import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { graphqlReference } from './graphql-reference.ts';
import { type DocsPage, renderPage, urlOf } from './markdown.ts';
import { escapeHtml, restReference } from './rest-reference.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Descriptions of the APIs, which the service serves at `/`. */
const DESCRIPTIONS = ['openapi.json', 'asyncapi.json', 'schema.graphql'];
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'clients/typescript/README.md'];
const REST_REFERENCE = 'docs/api/index.html';
const GRAPHQL_REFERENCE = 'docs/schema/index.html';

/**
 * Adds to the built pages the descriptions of the APIs and the documentation: each Markdown file as a page `docs/….html` in the layout of
 * `docs.html`, the references of REST and GraphQL, and the search index. The pages of `docs` are added as Markdown, too.
 */
export const docsSite = (): Plugin => ({
  name: 'docs-site',
  enforce: 'post',
  generateBundle(_, bundle) {
    const emit = (fileName: string, source: string) => this.emitFile({ type: 'asset', fileName, source });
    for (const name of DESCRIPTIONS) emit(name, read(`schema/${name}`));
    for (const page of globSync('docs/*.md', { cwd: root })) emit(page.replaceAll('\\', '/'), read(page)); // pages for agents
    for (const image of globSync('docs/images/*', { cwd: root }))
      this.emitFile({ type: 'asset', fileName: image.replaceAll('\\', '/'), source: readFileSync(path.join(root, image)) });
    const form = bundle['docs.html'];
    if (form?.type !== 'asset') throw new Error('docs.html was not built');
    delete bundle['docs.html'];
    const files = new Set(PAGES.flatMap((pattern) => globSync(pattern, { cwd: root })).map((file) => file.replaceAll('\\', '/')));
    const pages = [...files].sort().map((file) => renderPage(file, read(file), files));
    const navigation = navigationOf(pages);
    const fill = (title: string, html: string, language = 'en') =>
      String(form.source)
        .replace('<article>', `<article lang="${language}">`)
        .replace('<!--title-->', escapeHtml(title))
        .replace('<!--navigation-->', () => navigation)
        .replace('<!--content-->', () => html);
    for (const { file, title, html, diagrams } of pages) {
      emit(`${urlOf(file).slice(1)}/index.html`, fill(title, html, languageOf(file)));
      for (const { name, svg } of diagrams) emit(`docs/images/${name}`, svg);
    }
    emit(REST_REFERENCE, fill('REST reference', restReference(JSON.parse(read('schema/openapi.json')))));
    emit(GRAPHQL_REFERENCE, fill('GraphQL reference', graphqlReference(read('schema/schema.graphql'))));
    emit('docs/search.json', JSON.stringify(pages.flatMap(({ sections }) => sections).map((section, id) => ({ id, ...section }))));
  },
});

/** Returns the language of a page, which is the name of its folder: `docs/es/concepts.md`. */
const languageOf = (file: string): string => /^docs\/(es|pt)\//.exec(file)?.[1] ?? 'en';

/** Returns the tables of the README that list the documentation, as lists of links. */
function navigationOf(pages: readonly DocsPage[]): string {
  const titles = new Map(pages.map(({ file, title }) => [urlOf(file), title]));
  const documentation =
    read('README.md')
      .split(/^## /m)
      .find((section) => section.startsWith('Documentation\n')) ?? '';
  const tables = documentation.split(/^\| (?=To )/m).slice(1);
  const groups = tables.map((text) => {
    const [heading = ''] = text.split(' |');
    const links = [...text.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/\]\(([^)#]+)\)/g)]);
    const items = links.map(([, file = '']) => {
      const url = urlOf(file);
      return `<li><a href="${url}">${escapeHtml(titles.get(url) ?? file)}</a></li>`;
    });
    return `<h2>${escapeHtml(heading)}</h2><ul>${items.join('')}</ul>`;
  });
  return `<ul><li><a href="/docs">Start</a></li><li><a href="/docs/api">REST reference</a></li><li><a href="/docs/schema">GraphQL reference</a></li></ul>${groups.join('')}`;
}

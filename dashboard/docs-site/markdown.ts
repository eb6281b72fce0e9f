import path from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { type Diagram, drawDiagram } from './diagram.ts';

/** A page of the documentation. */
export interface DocsPage {
  /** Path in the repository. */
  readonly file: string;
  readonly title: string;
  readonly html: string;
  /** Entries of the search index, one for each heading. */
  readonly sections: readonly DocsSection[];
  /** Diagrams of the page, in addition to those of `docs/images`. */
  readonly diagrams: readonly Diagram[];
}

export interface DocsSection {
  readonly url: string;
  readonly title: string;
  /** Heading; empty for the text above the first one. */
  readonly heading: string;
  readonly text: string;
}

/** Files that the service serves outside `/docs`. */
const SERVED: Readonly<Record<string, string>> = {
  'schema/openapi.json': '/openapi.json',
  'schema/asyncapi.json': '/asyncapi.json',
  'schema/schema.graphql': '/schema.graphql',
};

/** Returns the address of a Markdown file in the repository. */
export const urlOf = (file: string): string => {
  const name = file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase();
  return `/docs/${name.replace(/(^|\/)readme$/, '')}`.replace(/\/$/, '');
};

/** Returns the id of a heading in GitHub's format, which links in the files use. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/**
 * Renders a page. Links to pages of `files` and to served files stay links; links to other files of the repository, which the service does
 * not have, become text.
 */
export function renderPage(file: string, source: string, files: ReadonlySet<string>): DocsPage {
  const markdown = new MarkdownIt({ html: true }); // the files are our own and contain anchors and line breaks in tables
  const sections: DocsSection[] = [];
  const diagrams: Diagram[] = [];
  const url = urlOf(file);
  const used = new Map<string, number>();
  const tokens = markdown.parse(source.replaceAll(/^<!--.*-->\n/gm, ''), {});
  labelCells(tokens);
  let title = path.basename(file);
  let [at, heading, text] = [url, '', ''];
  const endSection = () => text.trim() !== '' && sections.push({ url: at, title, heading, text: text.trim() });
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      endSection();
      const inline = tokens[i + 1];
      heading = plain(inline?.content ?? '');
      const base = slugOf(heading);
      const count = used.get(base) ?? 0;
      used.set(base, count + 1);
      const id = count === 0 ? base : `${base}-${count}`;
      token.attrSet('id', id);
      if (token.tag === 'h1') title = heading;
      [at, text] = [token.tag === 'h1' ? url : `${url}#${id}`, ''];
      continue;
    }
    const style = token.attrIndex('style');
    if (style >= 0) token.attrs?.splice(style, 1, ['class', 'number']); // the policy of the pages allows no inline style
    if (token.type === 'fence' && token.info === 'mermaid') {
      const diagram = drawDiagram(`${path.basename(file, '.md')}-${diagrams.length + 1}.svg`, token.content);
      diagrams.push(diagram);
      token.type = 'html_block';
      token.content = imageOf(diagram, `Diagram: ${heading}`);
      continue;
    }
    if (token.type === 'fence') text += ` ${token.content}`;
    if (token.type !== 'inline') continue;
    if (tokens[i - 1]?.type !== 'heading_open') text += ` ${plain(token.content)}`;
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', linkOf(file, child.attrGet('href') ?? '', files) ?? '');
      if (child.type === 'image')
        child.attrSet('src', `/docs/${path.posix.join(path.posix.dirname(file), child.attrGet('src') ?? '').replace(/^docs\//, '')}`);
    }
  }
  endSection();
  markdown.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table class="as-cards">';
  markdown.renderer.rules.table_close = () => '</table></div>';
  markdown.renderer.rules.fence = (all, i) => `<pre tabindex="0"><code>${markdown.utils.escapeHtml(all[i]?.content ?? '')}</code></pre>\n`;
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { file, title, html: html.replaceAll(/<a href="">([\s\S]*?)<\/a>/g, '$1'), sections, diagrams };
}

/** Adds to each cell after the first one of its row the title of its column, which a narrow page shows beside it. */
function labelCells(tokens: readonly Token[]): void {
  let titles: string[] = [];
  let column = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'thead_open') titles = [];
    if (token.type === 'th_open') titles.push(plain(tokens[i + 1]?.content ?? ''));
    if (token.type === 'tr_open') column = 0;
    if (token.type !== 'td_open') continue;
    if (column > 0) token.attrSet('data-label', titles[column] ?? '');
    column += 1;
  }
}

const imageOf = ({ name, width, height }: Diagram, text: string): string =>
  `<p class="scroll" tabindex="0"><img class="diagram" src="/docs/images/${name}" width="${width}" height="${height}" alt="${text.replaceAll('"', '&quot;')}"></p>\n`;

/** Returns the text of inline Markdown without its marks. */
const plain = (text: string): string => text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');

/** Returns the target of a link; null for a file that is not served. */
function linkOf(file: string, href: string, files: ReadonlySet<string>): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [target = '', fragment] = href.split('#');
  const wanted = path.posix.join(path.posix.dirname(file), decodeURI(target)).replace(/\/$/, '');
  const page = [wanted, `${wanted}/README.md`].find((one) => files.has(one));
  if (page) return urlOf(page) + (fragment ? `#${fragment}` : '');
  return SERVED[wanted] ?? null;
}

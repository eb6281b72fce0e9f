import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { slugOf } from '../dashboard/docs-site/markdown.ts';
import { englishIn } from './support/english.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const LANGUAGES = ['es', 'pt'];
/** Names of the pages of a folder, without `.md`. */
const pagesIn = (folder: string): readonly string[] =>
  globSync(`${folder}/*.md`, { cwd: root })
    .map((file) => path.basename(file, '.md'))
    .sort();
/** Pages that are read in Spanish and Portuguese, too. */
const TRANSLATED = LANGUAGES.flatMap((language) => pagesIn(`docs/${language}`).map((page) => ({ page, language })));
const READMES = ['README.es.md', 'README.pt.md'];

/** Text without blocks of code. */
const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');
const code = (text: string) => text.match(/^```[\s\S]*?^```$/gm) ?? [];
const headings = (text: string) => [...prose(text).matchAll(/^(#+) /gm)].map(([, level]) => level);
/** Targets of links and images: the path in the repository, and the part of the page, if one is named. */
const targets = (text: string, file: string) =>
  [...prose(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => {
    const [at = '', part] = target.split('#');
    return { target, file: at === '' ? file : path.join(path.dirname(file), at), part };
  });

/** Ids of the headings and of the anchors of a page. A repeated heading has a number behind its id. */
function partsOf(text: string): ReadonlySet<string> {
  const used = new Map<string, number>();
  const anchors = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id);
  return new Set([
    ...anchors,
    ...[...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
      const id = slugOf(heading.replaceAll(/[`*]/g, ''));
      const count = used.get(id) ?? 0;
      used.set(id, count + 1);
      return count === 0 ? id : `${id}-${count}`;
    }),
  ]);
}

/** Links and images of a page whose file, or whose part of a page, does not exist. */
const deadLinksOf = (page: string): readonly string[] =>
  targets(read(page), page)
    .filter(({ file, part }) => !existsSync(path.join(root, file)) || (part !== undefined && !partsOf(read(file)).has(part)))
    .map(({ target }) => `${page} → ${target}`);

/** Files that each section of a page links to, without their languages, in any order. The text before the first heading is the first section. */
const linksOfSections = (page: string) =>
  prose(read(page))
    .split(/^#+ .*$/m)
    .map((section) =>
      targets(section, page)
        .map(({ file }) => file.replace(/^docs\/(?:es|pt)\//, 'docs/').replace(/^README\.(?:es|pt)\.md$/, 'README.md'))
        .sort(),
    );

it('the translated pages are the same in each language, and there are some', () => {
  const [spanish, ...others] = LANGUAGES.map((language) => pagesIn(`docs/${language}`));
  expect(spanish?.length).toBeGreaterThan(3);
  for (const pages of others) expect(pages).toEqual(spanish);
});

it.each([...globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort()])('%s links to files, and to parts of pages, that exist', (page) => {
  expect(deadLinksOf(page)).toEqual([]);
});

describe.each(TRANSLATED)('docs/$language/$page.md', ({ page, language }) => {
  const [englishFile, file] = [`docs/${page}.md`, `docs/${language}/${page}.md`];
  const [english, translated] = [read(englishFile), read(file)];

  it('has the headings and the code of the English page', () => {
    expect(headings(translated)).toEqual(headings(english));
    expect(code(translated)).toEqual(code(english));
  });

  it('links to the same pages as the English page in each section, so that they have the same order', () => {
    expect(linksOfSections(file)).toEqual(linksOfSections(englishFile));
  });

  it('has no English sentence, and a link to the page in each other language', () => {
    const words = prose(translated).replaceAll(/`[^`]*`|\]\([^)]*\)|\*[^*]+\*/g, ' ');
    expect(englishIn(words)).toEqual([]);
    for (const other of LANGUAGES.filter((one) => one !== language)) expect(translated).toContain(`](../${other}/${page}.md)`);
    expect(translated).toContain(`](../${page}.md)`);
    expect(english).toContain(`](${language}/${page}.md)`);
  });
});

describe.each(READMES)('%s', (file) => {
  it('has the sections of the other one, links to it and to the English one, and names each translated page', () => {
    const text = read(file);
    for (const other of ['README.md', ...READMES].filter((one) => one !== file)) {
      expect(text).toContain(`](${other})`);
      if (other === 'README.md') continue;
      expect(headings(text)).toEqual(headings(read(other)));
      expect(linksOfSections(file)).toEqual(linksOfSections(other));
    }
    for (const page of pagesIn(`docs/${file.slice(7, 9)}`)) expect(text).toContain(`](docs/${file.slice(7, 9)}/${page}.md)`);
  });
});

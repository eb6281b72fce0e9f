import MiniSearch from 'minisearch';
import { restoreTheme } from '../ui/theme.ts';
import '../ui/tokens.css';
import '../ui/page.css';
import '../ui/layout.css';
import '../ui/phone.css';
import './docs.css';
import type { DocsSection } from './markdown.ts';

const MAX_FOUND = 12;
/** Number of characters of a section that are shown. */
const EXCERPT = 160;

restoreTheme();

const input = document.querySelector<HTMLInputElement>('#search');
const results = document.querySelector<HTMLElement>('#found');
let index: Promise<MiniSearch<DocsSection>> | undefined;

async function load(): Promise<MiniSearch<DocsSection>> {
  const answer = await fetch('/docs/search.json');
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
  const search = new MiniSearch<DocsSection>({
    fields: ['title', 'heading', 'text'],
    storeFields: ['url', 'title', 'heading', 'text'],
    searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { heading: 3, title: 2 } },
  });
  search.addAll(await answer.json());
  return search;
}

/** Shows the sections that contain the text of the box. The index is loaded when the box is first used. */
async function show(): Promise<void> {
  if (!input || !results) return;
  const query = input.value.trim();
  if (query === '') return results.replaceChildren();
  index ??= load();
  try {
    const search = await index;
    if (input.value.trim() !== query) return;
    const found = search.search(query).slice(0, MAX_FOUND);
    const list = document.createElement('ul');
    list.append(...found.map((one) => itemOf(one as unknown as DocsSection, query)));
    results.replaceChildren(found.length > 0 ? list : `Nothing found for “${query}”.`);
  } catch {
    index = undefined;
    results.replaceChildren('The search could not be loaded. Try again.');
  }
}

function itemOf({ url, title, heading, text }: DocsSection, query: string): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = url;
  link.textContent = heading && heading !== title ? `${title}: ${heading}` : title;
  const at = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()) - EXCERPT / 4);
  item.append(link, document.createElement('br'), text.slice(at, at + EXCERPT));
  return item;
}

input?.addEventListener('input', () => void show());
input?.form?.addEventListener('submit', (event) => {
  event.preventDefault();
  results?.querySelector('a')?.click();
});

const contents = document.querySelector<HTMLDetailsElement>('.contents');
if (contents && matchMedia('(max-width: 900px)').matches) contents.open = false;
for (const link of document.querySelectorAll('.contents a'))
  if (link.getAttribute('href') === location.pathname.replace(/\/$/, '')) link.setAttribute('aria-current', 'page');

import type { Page } from 'playwright-core';

/** The layout of a page as a phone shows it. Each list names the elements that break a rule. */
export interface Layout {
  /** Width of the content of the window, in pixels. */
  readonly width: number;
  /** Elements that end to the right of the window, or of their panel, outside of parts that scroll. */
  readonly outside: readonly string[];
  /** Height of the header in pixels; null for a page without one. */
  readonly header: number | null;
  /** Pills with a text of more than one line. */
  readonly wrapped: readonly string[];
  /** Tables that are wider than their place, break words, or are cards with a value without label, or a label without value. */
  readonly tables: readonly string[];
  /** Controls that are lower or narrower than 24 pixels: WCAG 2.2, 2.5.8. A link within a sentence is none of them. */
  readonly small: readonly string[];
}

const MEASURE = `(() => {
  const textOf = (one) => (one.getAttribute('aria-label') ?? one.textContent).trim().replace(/\\s+/g, ' ').slice(0, 70);
  const nameOf = (one) => one.localName + (one.className ? '.' + String(one.className.baseVal ?? one.className).replaceAll(' ', '.') : '') + ': ' + textOf(one);
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1 && one.getBoundingClientRect().right > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);

  /** Number of lines of the text of an element: parts of one line have nearly the same middle. */
  const linesOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const middles = [];
    for (const { top, height, width } of range.getClientRects())
      if (width > 0 && !middles.some((one) => Math.abs(one - (top + height / 2)) < 6)) middles.push(top + height / 2);
    return middles.length;
  };

  const breaksWord = (cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('code')) continue; // a path of fields may break
      for (const { 0: word, index } of node.textContent.matchAll(/[\\p{L}\\d]{2,16}/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
        if (new Set(tops).size > 1) return word;
      }
    }
    return null;
  };

  const problemsOf = (table) => {
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
    const cells = rows.flatMap((row) => [...row.cells]).filter(isShown);
    const areCards = cells.length > 0 && cells.every((cell) => getComputedStyle(cell).display !== 'table-cell');
    const found = [];
    if (areCards) {
      const unlabelled = cells.filter((cell) => cell.localName === 'td' && cell.cellIndex > 0 && cell.colSpan === 1 && cell.dataset.label === undefined && cell.textContent.trim() !== '');
      const labelOnly = cells.filter((cell) => cell.localName === 'td' && cell.dataset.label && cell.childNodes.length === 0);
      if (labelOnly.length > 0) found.push('no value: ' + labelOnly[0].dataset.label);
      if (unlabelled.length > 0) found.push('no label: ' + textOf(unlabelled[0]));
    } else {
      for (let place = table.parentElement; place && place !== document.body; place = place.parentElement)
        if (place.scrollWidth > place.clientWidth + 1 && getComputedStyle(place).overflowX !== 'visible') found.push('scrolls sideways');
    }
    if (table.getBoundingClientRect().right > innerWidth + 1) found.push('too wide');
    const narrow = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
    if (narrow.length > 0) found.push('cut off: ' + textOf(narrow[0]));
    const isReadOut = (cell) => cell.closest('thead')?.getBoundingClientRect().width <= 1;
    const words = [...table.rows].flatMap((row) => [...row.cells]).filter((cell) => isShown(cell) && !isReadOut(cell)).map(breaksWord).filter(Boolean);
    if (words.length > 0) found.push('breaks: ' + words.slice(0, 3).join(', '));
    return found.map((problem) => nameOf(table) + ' → ' + problem);
  };

  const isInSentence = (one) =>
    getComputedStyle(one).display === 'inline' &&
    [...one.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /[\\p{L}\\d]/u.test(node.textContent));
  const isSmall = (one) => {
    const place = one.matches('[type=checkbox], [type=radio]') ? (one.closest('label') ?? one) : one;
    const { width, height } = place.getBoundingClientRect();
    return (width < 24 || height < 24) && !isInSentence(one);
  };

  /** True for a part whose content is cut off or scrolls, or a part within one. */
  const isCut = (one) => one !== null && one !== document.body && (getComputedStyle(one).overflowX !== 'visible' || isCut(one.parentElement));
  const rightOf = (place) => Math.min(innerWidth, place?.getBoundingClientRect().right ?? innerWidth);
  const isOutside = (one) => one.getBoundingClientRect().right > rightOf(one.parentElement.closest('.panel')) + 1 && !isCut(one.parentElement);

  const header = document.querySelector('.top, .docs > header, main > .row:first-child');
  return {
    width: document.scrollingElement.scrollWidth,
    outside: all('body *').filter(isOutside).map(nameOf),
    header: header && header.getBoundingClientRect().height,
    wrapped: all('.badge, .tag, .count').filter((one) => linesOf(one) > 1).map(nameOf),
    tables: all('table').flatMap(problemsOf),
    small: all('a[href], button, input, select, textarea, summary').filter(isSmall).map(nameOf),
  };
})()`;

/** Measures the layout of a page. Parts that the browser skips because they are outside of the window are measured, too. */
export const layoutOf = (page: Page): Promise<Layout> => page.evaluate<Layout>(MEASURE);

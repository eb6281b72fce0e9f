import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { SHOWN } from '../../support/dashboard.ts';

/** Number of presses of Tab beyond the known number of stops before an element counts as one that Tab does not lead to. */
const SPARE = 20;

const isFocused = (element: Element): boolean => element === element.ownerDocument.activeElement;

/** Returns the number of stops of Tab from the focus to an element, negative if the element is before it, and the number of all stops. */
function stopsTo(target: Element): { readonly away: number; readonly all: number } {
  const { activeElement, body } = target.ownerDocument;
  const kinds = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';
  const stops = [...target.ownerDocument.querySelectorAll(kinds)].filter((stop) => stop.checkVisibility());
  const before = (place: Element): number => stops.filter((stop) => (place.compareDocumentPosition(stop) & 2) > 0).length;
  const from = activeElement === null || activeElement === body ? 0 : before(activeElement);
  return { away: before(target) - from, all: stops.length };
}

/** Returns true if the focused element is shown to the person: inside the window, below no other element, with a mark of the focus. */
function isSeen(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const above = element.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element.matches(':focus-visible') && above !== null && (element.contains(above) || above.contains(element));
}

/** Describes the element that has the focus, for the message of a failure. */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement?.outerHTML.slice(0, 200) ?? "nothing"');

/** A person who uses a page by its keys alone. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Moves the focus to an element by Tab or Shift-Tab. Fails if Tab does not lead there, or if the focus cannot be seen there. */
  async focus(target: Locator): Promise<void> {
    await target.waitFor(SHOWN);
    const { away, all } = await target.evaluate(stopsTo);
    for (let presses = 0; !(await target.evaluate(isFocused)); presses += 1) {
      if (presses > all + SPARE)
        throw new Error(`Tab does not lead to ${target}: after ${presses} presses it is on ${await focusOf(this.#page)}`);
      await this.#page.keyboard.press(away < 0 ? 'Shift+Tab' : 'Tab');
    }
    await expect.poll(() => target.evaluate(isSeen), { ...SHOWN, message: `the focus can be seen on ${target}` }).toBe(true);
  }

  /** Moves the focus to an element and presses a key there. */
  async press(target: Locator, key = 'Enter'): Promise<void> {
    await this.focus(target);
    await this.#page.keyboard.press(key);
  }

  /** Moves the focus to a field and types into it. */
  async type(field: Locator, text: string): Promise<void> {
    await this.focus(field);
    await this.#page.keyboard.type(text);
  }

  /** Opens the chooser of a file field by a key, and chooses a file. */
  async chooseFile(field: Locator, name: string, content: string): Promise<void> {
    const opened = this.#page.waitForEvent('filechooser', SHOWN);
    await this.press(field);
    await (await opened).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
  }

  /** Presses a key until an element is selected, such as an option of a list. */
  async pressUntilSelected(option: Locator, key: string): Promise<void> {
    await option.waitFor(SHOWN);
    for (let presses = 0; (await option.getAttribute('aria-selected')) !== 'true'; presses += 1) {
      expect(presses, `presses of ${key}`).toBeLessThan(SPARE);
      await this.#page.keyboard.press(key);
    }
  }
}

import { expect } from 'vitest';
import { presentFindings, SHOWN } from '../../support/dashboard.ts';
import { settled } from '../../support/settled.ts';
import type { Journey } from './journey.ts';
import { focusOf } from './keyboard.ts';
import { foreignTexts } from './page-language.ts';

const LOST = 'the focus was lost';

/** Badges of a low level in green. */
const GREEN = `[...document.querySelectorAll('.badge.low')].map((badge) => badge.textContent)`;

/** What holds after each step. */
export async function expectGoodPage(journey: Journey): Promise<void> {
  await expectReadable(journey);
  // A button that is disabled during its work gets the focus back after it.
  await expect.poll(() => journey.page.evaluate('document.activeElement === document.body'), { ...SHOWN, message: LOST }).toBe(false);
}

/** What holds on each page, also on one that was only just loaded. */
export async function expectReadable({ page, variant, text }: Journey): Promise<void> {
  await settled(page);
  expect(await page.evaluate('document.documentElement.scrollWidth'), 'width of the page').toBeLessThanOrEqual(variant.width);
  const incomplete = [text('completeness.PARTIAL'), text('completeness.INSUFFICIENT')];
  const green = await page.evaluate<readonly string[]>(GREEN);
  expect(green.filter((badge) => incomplete.some((word) => badge.includes(word)))).toEqual([]);
  const { language } = variant;
  if (language !== 'en') expect(await foreignTexts(page, language), `texts that are not in ${language}`).toEqual([]);
  expect(await presentFindings(page), `findings of axe; the focus is on ${await focusOf(page)}`).toEqual([]);
}

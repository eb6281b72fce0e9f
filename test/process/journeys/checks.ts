import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import { settled } from '../../support/settled.ts';
import { wrongTexts } from '../../support/shown-texts.ts';
import type { Journey } from './journey.ts';
import { focusOf, SHOWN } from './keyboard.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings of axe in the present colours: rule and elements. The page loads axe once. */
const FINDINGS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html.slice(0, 200))]))`;

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
  if (variant.language !== 'en') expect(await wrongTexts(page), `texts that are not in ${variant.language}`).toEqual([]);
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  expect(await page.evaluate(FINDINGS), `findings of axe; the focus is on ${await focusOf(page)}`).toEqual([]);
}

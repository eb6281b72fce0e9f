import type { Page } from 'playwright-core';
import type { DashboardRun } from '../../support/dashboard.ts';
import { SHOWN } from '../../support/dashboard.ts';
import type { PageLanguage, TextOf } from '../../support/dashboard-texts.ts';
import type { Keyboard } from './keyboard.ts';

/** How a person sees the pages. */
export interface Variant {
  readonly language: PageLanguage;
  readonly colorScheme: 'light' | 'dark';
  /** Width of the window, in pixels. */
  readonly width: 1280 | 390;
}

/** What the steps of one person share. The account of the key has no other keys, and nothing at the beginning. */
export interface Journey {
  readonly run: DashboardRun;
  readonly page: Page;
  readonly keyboard: Keyboard;
  readonly variant: Variant;
  /** A text of the pages in the language of the person. */
  readonly text: TextOf;
  readonly key: string;
}

/** A step: its title, and what the person does and sees. */
export type Step = readonly [title: string, walk: (journey: Journey) => Promise<void>];

/** Opens a page by the menu. @param name key of the text of the link, such as `nav.portfolio` */
export async function openPage({ page, keyboard, text }: Journey, name: string): Promise<void> {
  await keyboard.press(page.getByRole('navigation', { name: text('nav.label') }).getByRole('link', { name: text(name) }));
  await page.getByRole('heading', { level: 1, name: text(name) }).waitFor(SHOWN);
}

/** Returns the pattern of a whole text with a number in it, which the person does not know before. */
export const withNumber = (text: TextOf, key: string): RegExp =>
  new RegExp(
    `^${text(key, { n: '#' })
      .replaceAll(/[.?()|]/g, '\\$&')
      .replace('#', '\\d+')}$`,
  );

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MODULES } from '../../src/domain/catalogue.ts';
import { type DashboardRun, needsBrowser, SHOWN, useDashboard } from '../support/dashboard.ts';
import { textsIn } from '../support/dashboard-texts.ts';
import { run as runProgram } from '../support/process.ts';
import { inFullRun } from '../support/rounds.ts';
import { countRequests } from '../support/settled.ts';
import { expectGoodPage } from './journeys/checks.ts';
import { companySteps } from './journeys/company.ts';
import { failureSteps } from './journeys/failures.ts';
import type { Journey, Step, Variant } from './journeys/journey.ts';
import { Keyboard } from './journeys/keyboard.ts';
import { notificationSteps } from './journeys/notifications.ts';
import { portfolioSteps } from './journeys/portfolio.ts';

const HEIGHT = 844;

/** Every language in every colours and on every width, and every colours on every width. The first two are walked in each run. */
const VARIANTS: readonly Variant[] = [
  { language: 'es', colorScheme: 'dark', width: 390 },
  { language: 'pt', colorScheme: 'light', width: 1280 },
  { language: 'en', colorScheme: 'light', width: 1280 },
  { language: 'en', colorScheme: 'dark', width: 390 },
  { language: 'es', colorScheme: 'light', width: 1280 },
  { language: 'pt', colorScheme: 'dark', width: 390 },
];

async function signIn({ run, page, keyboard, text, key }: Journey): Promise<void> {
  await page.goto(`${run.url}/dashboard`);
  await keyboard.type(page.getByLabel(text('signIn.label')), key);
  await page.keyboard.press('Enter');
  await page.locator('[data-connection=live]').waitFor(SHOWN);
}

const SIGN_IN: Step = ['signs in with a key', signIn];

/** Creates a key with an account of its own, which has its name. */
async function createKey(run: DashboardRun): Promise<string> {
  const args = ['keys', 'create', '--name', `Ana ${randomUUID().slice(0, 8)}`, '--modules', MODULES.join(), '--json'];
  const created = runProgram('src/cli.ts', args, run.env);
  expect(await created.ended, created.err()).toBe(0);
  return JSON.parse(created.out()).key;
}

/** Runs a step and what holds on each page after it. @throws Error that names the step */
async function walk(journey: Journey, [title, step]: Step): Promise<void> {
  try {
    await step(journey);
    await expectGoodPage(journey);
  } catch (error) {
    throw new Error(`${title}: ${(error as Error).message}`, { cause: error });
  }
}

describe('a person with a keyboard, in Chromium', { timeout: 1_200_000, ...needsBrowser }, () => {
  const run = useDashboard({ QUIPU_MONITOR_INTERVAL: '10s' });

  /** Walks the steps of one person. @param key the person's; undefined for one of an account that has nothing yet */
  async function walkAll(steps: readonly Step[], variant: Variant, key?: string): Promise<void> {
    const { language, colorScheme, width } = variant;
    const page = await run.openPage({ viewport: { width, height: HEIGHT }, locale: language, colorScheme });
    countRequests(page);
    const given = key ?? (await createKey(run));
    const journey = { run, page, keyboard: new Keyboard(page), variant, text: textsIn(language), key: given };
    for (const step of [SIGN_IN, ...steps]) await walk(journey, step);
  }

  it.each(VARIANTS.slice(0, inFullRun(VARIANTS.length, 2)))(
    'looks up, watches, screens, decides and is notified: in $language, $colorScheme colours, on $width pixels',
    (variant) => walkAll([...companySteps, ...portfolioSteps, ...notificationSteps], variant),
  );

  // The last tests: the registry counts as unavailable for a while after its fault.
  it.each(VARIANTS.slice(0, inFullRun(3, 1)))(
    'sees what is not known and what could not be read: in $language, $colorScheme colours, on $width pixels',
    (variant) => walkAll(failureSteps, variant, run.key),
  );
});

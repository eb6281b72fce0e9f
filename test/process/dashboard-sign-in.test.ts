import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { needsBrowser, SCREENS, SOON, seriousFindings, useDashboard } from '../support/dashboard.ts';
import { TestIssuer } from '../support/issuer.ts';
import { issuerEnv } from '../support/sign-in.ts';

describe('people in the dashboard in Chromium', { timeout: 120_000, ...needsBrowser }, () => {
  const settings: Record<string, string> = {};
  const run = useDashboard(settings);
  let issuer: TestIssuer;

  beforeAll(async () => {
    issuer = await new TestIssuer().start();
    issuer.sessionsEndAt = `${issuer.url}/logout`;
    const { apiKey } = await run.query<{ readonly apiKey: { readonly id: string } }>('{ apiKey { id } }');
    Object.assign(settings, issuerEnv(issuer, apiKey.id), { QUIPU_PUBLIC_URL: run.url });
    run.service.child.kill('SIGKILL');
    await run.service.ended;
    await run.start(new URL(run.url).port);
    return () => issuer.close();
  }, 120_000);

  it('sign in with their account, follow changes, decide under their name, and sign out here and at the issuer, without a key in the browser', async () => {
    const page = await run.openPage();
    await page.goto(`${run.url}/dashboard/candidates?country=BR`);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.locator('[data-connection=live]').waitFor();
    expect(page.url()).toBe(`${run.url}/dashboard/candidates?country=BR`);
    expect(await page.locator('header').first().innerText()).toContain('Signed in: Ana Pérez');
    const kept = await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])');
    expect(kept).not.toMatch(/sk_|quipu\.key|quipu-session/);

    const open = page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]');
    const dismissed = page.getByRole('region', { name: 'Dismissed' }).locator('[data-candidate]', { hasText: 'Decided by a person.' });
    await open.first().focus();
    await page.keyboard.press('d');
    await page.keyboard.type('Decided by a person.');
    await page.keyboard.press('Enter');
    await dismissed.waitFor();
    expect(await dismissed.innerText()).toContain('by Ana Pérez');

    await page.reload();
    await page.locator('[data-connection=live]').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    expect(issuer.ended).toHaveLength(1);
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
  });

  it('who only read are offered no decisions', async () => {
    issuer.faults = { claims: { roles: ['staff'] } };
    onTestFinished(() => {
      issuer.faults = {};
    });
    const page = await run.openPage();
    await page.goto(`${run.url}/dashboard/candidates`);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.getByRole('region', { name: 'To be reviewed' }).locator('[data-candidate]').first().waitFor();
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
  });

  it('are asked to sign in again when their session ends while the page is open', async () => {
    const page = await run.openPage();
    await page.goto(`${run.url}/dashboard`);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.locator('[data-connection=live]').waitFor();
    await run.db.knex('person_sessions').delete();
    await expect.poll(() => page.locator('main').innerText(), SOON).toContain('Your session has ended. Sign in again.');
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.locator('[data-connection=live]').waitFor();
  });

  it.each(['en', 'es', 'pt'])('have an accessible page to sign in that fits a phone, in %s', async (language) => {
    const page = await run.openPage({ viewport: SCREENS.phone });
    await page.addInitScript(`localStorage.setItem('quipu.language', '${language}')`);
    await page.goto(`${run.url}/dashboard`);
    await page.locator('a[href^="/auth/sign-in"]').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { browserFile, useDashboard } from '../support/dashboard.ts';

/** How long a page takes to show something on a busy machine. */
const SHOWN = { timeout: 60_000 };

describe.skipIf(!browserFile)('the rules of every widget of the dashboard, in Chromium', { timeout: 180_000 }, () => {
  const run = useDashboard();

  it('says of a list whether it is read in time, late or overdue', async () => {
    const page = await run.signedIn();
    await page.goto(`${run.url}/dashboard/sources`);
    const tile = page.locator('[data-source=CEIS]');
    await tile.getByText(/next reading in \d+h/).waitFor(SHOWN);
    const readBefore = (hours: number) =>
      run.db
        .knex('registries')
        .where({ name: 'CEIS' })
        .update({ checked_at: new Date(Date.now() - hours * 3_600_000) });
    await readBefore(10);
    await tile.getByText(/Late[\s\S]*still used for 2d/).waitFor(SHOWN);
    await readBefore(73);
    await tile.getByText('Overdue, no longer used').waitFor(SHOWN);
    expect(await tile.getAttribute('data-usable')).toBe('false');
    await page.goto(`${run.url}/status`);
    await page.locator('[data-source=CEIS]').getByText('Overdue, no longer used').waitFor(SHOWN);
  });
});

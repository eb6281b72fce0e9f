import { createRequire } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../support/app.ts';

it('a server has loaded the package that writes PDFs before it takes requests, because that blocks the event loop', async () => {
  const app = await testApp();
  onTestFinished(() => app.close());
  const { cache } = createRequire(import.meta.url);
  expect(Object.keys(cache).filter((file) => file.includes('/pdfkit/js/standard-fonts/'))).not.toEqual([]);
});

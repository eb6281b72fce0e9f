import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../support/app.ts';

it('a server has loaded the package and the fonts that PDFs need before it takes requests, because that blocks the event loop', async () => {
  const app = await testApp();
  onTestFinished(() => app.close());
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('/pdfkit/js/standard-fonts/'));
  const code = globSync('src/evidence/*.ts').map((file) => readFileSync(file, 'utf8'));
  const used = new Set(code.flatMap((text) => [...text.matchAll(/\.font\('([A-Za-z-]+)'\)/g)].map(([, font = '']) => font)));
  expect(used.size).toBeGreaterThan(2);
  // The package has each font in a file with its name: `Helvetica-Bold` in `HelveticaBold.cjs`.
  const isLoaded = (font: string): boolean => loaded.some((file) => file.includes(`/${font.replace('-', '')}.`));
  expect([...used].filter((font) => !isLoaded(font))).toEqual([]);
});

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BenchFailure, type Finished } from './bench.ts';

const PAGE = 'docs/benchmarks.md';
const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, PAGE);

/**
 * Replaces the figures of a benchmark between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. @throws BenchFailure for a page without
 * these comments
 */
export function withResults(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start) throw new BenchFailure(`${PAGE} has no lines "${open}" and "${close}" for the figures.`);
  return `${page.slice(0, start + open.length)}\n${text.trim()}\n${page.slice(end)}`;
}

/** Checks the page before a long run whose figures could not be written. @throws BenchFailure */
export function requirePlace(name: string): void {
  withResults(readFileSync(file, 'utf8'), name, '');
}

/**
 * Writes the figures into docs/benchmarks.md, which is read after the run, because another benchmark may have written to it meanwhile.
 * Images go to docs/images.
 * @throws BenchFailure
 */
export function writeResults(name: string, { text, images = {} }: Pick<Finished, 'text' | 'images'>): void {
  writeFileSync(file, withResults(readFileSync(file, 'utf8'), name, text));
  for (const [image, svg] of Object.entries(images)) writeFileSync(path.join(root, 'docs/images', image), svg);
}

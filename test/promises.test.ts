import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN } from './support/own-numbers.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The id of a promise, for example `WH-06`. */
const ID = /\b(?:WH|SS|UP|MO|DB|GQ|SB|AK|MT|LD|SC|PR|CG)-\d{2}\b/g;
const page = read('docs/promises.md');
const rows = [...page.matchAll(/^\| ([A-Z]{2}-\d{2}) \| (.*) \| .* \| .* \|$/gm)].map(([, id = '', text = '']) => ({ id, text }));
const testFiles = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).sort();

/** The tests, and what they import from their folders. */
const sources = globSync('test/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] }).map(read);

describe('docs/promises.md', () => {
  it('has one row for each promise, with a text', () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.filter(({ text }) => !text)).toEqual([]);
  });

  it('has every id that a test carries', () => {
    const known = new Set(rows.map(({ id }) => id));
    const unknown = testFiles.flatMap((file) =>
      [...read(file).matchAll(ID)].filter(([id]) => !known.has(id)).map(([id]) => `${file} ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it.each(Object.entries(OWN))('states the own numbers of %s, which its tests use', (id, numbers) => {
    const text = rows.find((row) => row.id === id)?.text ?? '';
    const stated = [...text.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(',', '')));
    expect(stated).toEqual(expect.arrayContaining(Object.values(numbers)));
    const unused = Object.keys(numbers).filter((name) => !sources.some((source) => source.includes(`OWN['${id}'].${name}`)));
    expect(unused).toEqual([]);
  });
});

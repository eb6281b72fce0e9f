import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

it('docs/data-model.md describes every table of the migrations', () => {
  const tables = globSync('migrations/*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/CREATE TABLE (\w+)/g)].map(([, table = '']) => table),
  );
  const page = read('docs/data-model.md');
  expect(tables.length).toBeGreaterThan(0);
  expect(tables.filter((table) => !page.includes(`\n| \`${table}\` |`))).toEqual([]);
});

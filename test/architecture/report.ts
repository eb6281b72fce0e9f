import path from 'node:path';
import { fileGraph, readProject } from './project.ts';
import { filesFormNoCycle, foldersFormNoCycle, linesOf } from './rules.ts';
import { takeWalks } from './walks.ts';

/**
 * `npm run structure`: the size and shape of `src`, and how many files the service runs through for three things that it does.
 * With `--files` it names the files of each walk.
 */

const SMALL_LINES = 60;

const root = path.resolve(import.meta.dirname, '../..');
const src = readProject(root, 'src');
const files = [...src.values()];
const lines = files.map(linesOf).sort((a, b) => a - b);
const total = lines.reduce((sum, count) => sum + count, 0);
const sandbox = [...readProject(root, 'sandbox').values()];

const importers = new Map<string, number>();
for (const targets of fileGraph(src).values()) for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1);
const once = files.filter((file) => importers.get(file.path) === 1);

const cycles = (project: typeof src) => filesFormNoCycle(project).length + foldersFormNoCycle(project).length;

const facts: [string, number | string][] = [
  ['files of src', files.length],
  ['folders of src', new Set(files.map((file) => path.dirname(file.path))).size],
  ['lines of src', total],
  ['lines of the median file', lines[lines.length >> 1] ?? 0],
  ['files of the sandbox', `${sandbox.length} (${sandbox.reduce((sum, file) => sum + linesOf(file), 0)} lines)`],
  ['files with one importer', once.length],
  [`files with one importer and under ${SMALL_LINES} lines`, once.filter((file) => linesOf(file) < SMALL_LINES).length],
  ['cycles of files and folders, src, sandbox and bench', cycles(readProject(root, 'src', 'sandbox', 'bench'))],
];

const walks = await takeWalks();
const rows = [...facts, ...walks.map(({ name, files }): [string, number] => [`files that ${name} runs`, files.length])];
process.stdout.write(rows.map(([name, value]) => `${name}: ${value}\n`).join(''));
if (process.argv.includes('--files')) {
  for (const { name, files } of walks) process.stdout.write(`\n${name}\n${files.map((file) => `  ${file}\n`).join('')}`);
}

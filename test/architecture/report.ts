import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withMarkedParts } from '../../tools/marked-parts.ts';
import { takeWalks } from './walks.ts';

const HELP = `npm run structure [-- OPTION]

Starts the service with an embedded Postgres and the sandbox, does four things with it, and prints the files of src that
run for each: unchanged ones, new ones (+) and those that no longer run (-), compared with docs/walks.md. Takes about a minute.
Exits with 1 if the files differ from the page.

  --write  write the files to docs/walks.md
  --help   print this text
`;

const PAGE = 'docs/walks.md';
const pagePath = path.resolve(import.meta.dirname, '../..', PAGE);

async function report(isWritten: boolean): Promise<void> {
  const page = readFileSync(pagePath, 'utf8');
  const walks = await takeWalks();
  const written = withMarkedParts(PAGE, page, Object.fromEntries(walks.map(({ name, files }) => [name, files.map(itemOf).join('')])));
  for (const { name, files } of walks) process.stdout.write(`${name}\n${compared(filesOf(page, name), files).join('')}\n`);
  if (isWritten) writeFileSync(pagePath, written);
  else if (written !== page) {
    process.stderr.write(`${PAGE} is stale: npm run structure -- --write\n`);
    process.exitCode = 1;
  }
}

/** Formats a file as an item of a list with a link. */
const itemOf = (file: string): string => `- [${file}](../${file})\n`;

/** Reads the files of a walk from the page. */
function filesOf(page: string, name: string): readonly string[] {
  const [, part = ''] = page.split(new RegExp(`<!-- /?${name} -->`));
  return [...part.matchAll(/^- \[(.+)\]/gm)].map(([, file = '']) => file);
}

/** Returns one line for each file of both lists, in the order of the paths. */
const compared = (before: readonly string[], after: readonly string[]): readonly string[] =>
  [...new Set([...before, ...after])]
    .toSorted()
    .map((file) => `${!before.includes(file) ? '+' : after.includes(file) ? ' ' : '-'} ${file}\n`);

const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, help: { type: 'boolean' } } });
if (options.help) process.stdout.write(HELP);
else await report(options.write ?? false);

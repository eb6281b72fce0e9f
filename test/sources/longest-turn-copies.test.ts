import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCompositions } from '../../src/sources/cl-ownership/read.ts';
import { openMonthFile } from '../../src/sources/receita-federal/copy/folder.ts';
import { contactHashes } from '../../src/sources/receita-federal/copy/links.ts';
import { type DataMonthFile, readDataFile, readLookups } from '../../src/sources/receita-federal/copy/read-file.ts';
import { createReadingThread } from '../../src/sources/receita-federal/copy/reading-thread.ts';
import { ImportRefusal } from '../../src/sources/receita-federal/copy/refusal.ts';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import { listFileOf } from '../support/files.ts';
import { expectShortTurns } from '../support/longest-turn.ts';
import { edge, HEADER } from './cl-ownership/support.ts';
import { company, establishment, folderOf, lineOf, partner, roots } from './receita-copy/support.ts';

const FIVE_MB = 5_000_000;
/** Bytes of the largest file of a month that no thread reads. */
const SMALL = 4_100_000;
const filled = (piece: string, beginning = '', bytes = FIVE_MB) => beginning + piece.repeat(Math.ceil(bytes / piece.length));

describe('a file of the owners of Chilean companies', () => {
  const header = `${HEADER}\n`;
  it.each([
    ['rows', filled(`${edge(76_000_000, 76_000_002, '33,3333333')}\n`, header)],
    [
      'rows of a company each',
      `${header}${Array.from({ length: 90_000 }, (_, i) => edge(76_000_000 + 2 * i, 76_000_002, '50')).join('\n')}\n`,
    ],
    ['rows in quotes', filled(`${edge(76_000_000, 76_000_002, '"33,3333333"').replaceAll(';', '";"').replace(/^|$/g, '"')}\n`, header)],
    ['rows of another width', filled(`${edge(76_000_000, 76_000_002, '1')};x\n`, header)],
    ['short rows', filled('1;2\n', header)],
    ['columns', filled(`${';'.repeat(60_000)}\n`, header)],
    ['columns of quotes that are not closed', filled(`${'";'.repeat(30_000)}\n`, header)],
    ['quotes', filled(`${'"'.repeat(60_000)}\n`, header)],
    ['shares of 60,000 digits', filled(`${edge(76_000_000, 76_000_002, '9'.repeat(60_000))}\n`, header)],
    ['shares of 60,000 blanks', filled(`${edge(76_000_000, 76_000_002, `1${' '.repeat(60_000)}1`)}\n`, header)],
    [
      'accents in the kind of the owner',
      filled(`76000000;${edge(76_000_000, 1, '1').split(';')[1]};;;;;${'Á'.repeat(60_000)};1\n`, header),
    ],
    ['empty rows', filled('\r\n', header)],
    ['blanks', filled(' ', header)],
    ['one cell', filled('a', header)],
  ])('of %s is read in short turns', async (what, text) => {
    const read = async () => {
      for await (const _ of readCompositions(await listFileOf({ 'composicion_sociedades.csv': text })));
    };
    await expectShortTurns(`owners, ${what}`, () => read().catch((error: unknown) => expect(error).toBeInstanceOf(ListFileError)), 50);
  });
});

describe('a file of the copy of the Brazilian registry', () => {
  const MANY = roots(99_000);
  it.each([
    [
      'establishments',
      'Estabelecimentos0',
      () =>
        MANY.slice(0, 30_000)
          .map((root) => lineOf(establishment(root)))
          .join(''),
    ],
    [
      'partners',
      'Socios0',
      () =>
        MANY.slice(0, 60_000)
          .map((root) => lineOf(partner(root)))
          .join(''),
    ],
    [
      'lines that cannot be read, of as many companies as are accepted',
      'Empresas0',
      () => `${MANY.map((root) => `"${root}";"x\n`).join('')}${lineOf(company('88000000'))}`,
    ],
    ['lines of too many fields', 'Empresas0', () => filled(`"99100000"${';"a"'.repeat(15_000)}\n`)],
    ['quotes', 'Empresas0', () => filled(`${'"'.repeat(60_000)}\n`)],
    ['keys of rows in one line', 'Empresas0', () => filled(`"x${'";"99100000";"'.repeat(4_000)}\n`)],
    ['lines without text', 'Socios0', () => filled('\n')],
    ['one line', 'Socios0', () => filled('"99100000";"')],
  ])('of %s is read by a thread, in short turns of that of the service', async (what, name, text) => {
    const folder = await folderOf({ [name]: text() } as never);
    const file = await openMonthFile(path.join(folder, `${name}.zip`), name);
    const thread = createReadingThread({ secret: 'of this test', suppressed: { companies: new Set(), people: new Set() } });
    onTestFinished(() => thread.close());
    const read = async () => {
      for await (const _ of thread.read(file, () => undefined));
    };
    await expectShortTurns(`copy, ${what}`, () => read().catch((error: unknown) => expect(error).toBeInstanceOf(ImportRefusal)), 50);
  });

  it.each([
    [
      'rows',
      'Empresas0',
      () =>
        MANY.slice(0, 40_000)
          .map((root) => lineOf(company(root)))
          .join(''),
    ],
    [
      'rows that continue one without a key',
      'Socios0',
      () =>
        MANY.slice(0, 60_000)
          .map((root) => `x;"${root}";"1";"ANA DE TAL"\n`)
          .join(''),
    ],
    ['short lines', 'Socios0', () => filled('x\n', '', SMALL)],
    ['keys in long lines', 'Socios0', () => filled(`"x${'";"99100000";"1'.repeat(4_000)}\n`, '', SMALL)],
    ['long words', 'Socios0', () => filled(`${'a'.repeat(65_000)}\n`, '', SMALL)],
    ['codes', 'Municipios', () => filled('"1";""\n', '', SMALL)],
  ])('that is too small for a thread and has %s is read in short turns', async (what, name, text) => {
    const folder = await folderOf({ [name]: text() } as never);
    const file = await openMonthFile(path.join(folder, `${name}.zip`), name);
    const read = async () => {
      if (name === 'Municipios') await readLookups(file as Parameters<typeof readLookups>[0]);
      else for await (const _ of readDataFile(file as DataMonthFile, contactHashes('of this test'), () => undefined));
    };
    await expectShortTurns(`copy, small, ${what}`, () => read().catch((error: unknown) => expect(error).toBeInstanceOf(ImportRefusal)), 50);
  });
});

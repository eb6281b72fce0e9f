import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { readBytes } from '../../support/read-list.ts';

const fixture = (name: string) => readFileSync(path.resolve(import.meta.dirname, 'fixtures', name), 'utf8');
const files: Readonly<Record<string, string>> = Object.fromEntries(
  ['sdn.csv', 'alt.csv', 'add.csv', 'sdn_comments.csv'].map((name) => [name, fixture(name)]),
);
const read = (changed: Readonly<Record<string, string>> = {}) => readBytes(ofacSdnSpec, { ...files, ...changed });

/** The file without the mark of its end, so that rows can be added. */
const ended = (name: string) => `${files[name]?.replaceAll('\x1A', '').trimEnd()}\n`;

/** A party whose remarks of 1,000 characters go on in the comments. */
const LONG = `90010,"EMPRESA INVENTADA LARGA LTDA","-0- ","SDNTK",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"${`Tax ID No. 12.345.678/0001-95 (Brazil); ${'Phone Number 5511000000000; '.repeat(40)}`.slice(0, 1000)}"\n`;
const withLong = (comments: string) => ({
  'sdn.csv': ended('sdn.csv') + LONG,
  'sdn_comments.csv': ended('sdn_comments.csv') + comments,
});
const keysOf = (list: Awaited<ReturnType<typeof read>>, uid: string) => list.entries.find(({ id }) => id === uid)?.keys;
const BOTH = ['BR:12345678', 'BR:11222333'];

// https://github.com/moov-io/watchman/issues/248
describe('quotes that OFAC has not doubled', () => {
  it.each([
    ['around aliases', '90010,"one Number 861; a.k.a. "jackfruit1987"; a.k.a. "dragonlady"; C.N.P.J. 11.222.333/0001-81 (Brazil)."\n'],
    ['around aliases, with Windows line ends', '90010,"one Number 861; a.k.a. "jackfruit1987"; C.N.P.J. 11.222.333/0001-81 (Brazil)."\r\n'],
    ['at the end of the cell', '90010,"one Number 861; C.N.P.J. 11.222.333/0001-81 (Brazil); a.k.a. "dragonlady""\n'],
    ['before a comma', '90010,"one; a.k.a. "jackfruit", "1987"; C.N.P.J. 11.222.333/0001-81 (Brazil)."\n'],
    ['beside doubled ones', '90010,"one; a.k.a. ""fruit"" "1987"; C.N.P.J. 11.222.333/0001-81 (Brazil)."\n'],
    ['and none at the end of the cell', '90010,"one; C.N.P.J. 11.222.333/0001-81 (Brazil).\n90011,"one; a.k.a. \'X\'."\n'],
    ['and a line break within the cell', '90010,"one; a.k.a. "fruit";\r\n remarks; C.N.P.J. 11.222.333/0001-81 (Brazil)."\r\n'],
    ['before the end of a DOS text', '90010,"one; a.k.a. "fruit"; C.N.P.J. 11.222.333/0001-81 (Brazil)."\r\n\x1a'],
  ])('%s in the comments do not refuse the list; the ids of both parts are read', async (_, comments) => {
    const list = await read(withLong(comments));
    expect(keysOf(list, '90010')).toEqual(BOTH);
    expect(list.entries.length).toBe((await read()).entries.length + 1);
    expect(list.version.rowsUnmatched).toBe(0);
  });

  it('read like doubled ones', async () => {
    const comments = (mark: string) => `90010,"one; a.k.a. ${mark}fruit${mark}; C.N.P.J. 11.222.333/0001-81 (Brazil)."\n`;
    expect(await read(withLong(comments('"')))).toEqual(await read(withLong(comments('""'))));
  });

  it('in a name, an alias or an address are text', async () => {
    const row = (name: string) =>
      `90020,"${name}",-0- ,"SDNTK",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"Tax ID No. 12.345.678/0001-95 (Brazil)."\n`;
    const list = await read({
      'sdn.csv': ended('sdn.csv') + row('GRUPO "O REI" LTDA'),
      'alt.csv': `${ended('alt.csv')}90020,1,"aka","CASA "DO REI"",-0- \n`,
      'add.csv': `${ended('add.csv')}90020,1,"Rua "A", 12","Sao Paulo","Brazil",-0- \n`,
    });
    expect(list.entries.find(({ id }) => id === '90020')?.record).toMatchObject({
      name: 'GRUPO "O REI" LTDA',
      aliases: [{ name: 'CASA "DO REI"' }],
      countries: ['Brazil'],
    });
  });

  it('leave out a record whose cells cannot be told apart, and count it, in at most one row of a hundred', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, i) => `${80_000 + i},${i},"aka","ALIAS ${i}",-0- \n`).join('');
    const bad = '90030,1,"aka","A", "B", "C" D",-0- \n';
    expect((await read({ 'alt.csv': rows(150) + bad })).version.rowsUnmatched).toBe(1);
    await expect(read({ 'alt.csv': rows(50) + bad })).rejects.toThrow(/1 of 51 rows of alt.csv are malformed/);
  });

  it('refuse the list where a party cannot be told apart', async () => {
    const bad = '90030,"A", "B", "C" D",-0- ,"SDNTK",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"x"\n';
    await expect(read({ 'sdn.csv': bad + files['sdn.csv'] })).rejects.toThrow(ListFileError);
  });

  it('leave out a record of a megabyte with a number after each comma, in a time that grows with its length', async () => {
    const rows = Array.from({ length: 150 }, (_, i) => `${80_000 + i},${i},"aka","ALIAS ${i}",-0- \n`).join('');
    const bad = `90030,1,"aka","A"B${',1'.repeat(500_000)}\n`; // minutes if each comma copies the cell so far
    expect((await read({ 'alt.csv': `${rows}${bad}90031,1,"aka","A",-0- \n` })).version.rowsUnmatched).toBe(1);
  });

  it('UP-03 do not hide that a file ends within its last row', async () => {
    const whole = withLong('90010,"one; a.k.a. "fruit"; C.N.P.J. 11.222.333/0001-81 (Brazil)');
    await expect(read(whole)).rejects.toThrow(/not closed/);
  });
});

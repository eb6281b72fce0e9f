import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unConsolidatedSpec } from '../../../src/modules/sanctions/sources/un-consolidated.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import type { Bytes } from '../../support/files.ts';
import { readBytes, readPath } from '../../support/read-list.ts';
import { needsPublished, publishedPath, sampleText } from '../../support/samples.ts';

const xml = readFileSync(path.resolve(import.meta.dirname, 'fixtures/consolidated.xml'), 'utf8');
const read = (content: Bytes) => readBytes(unConsolidatedSpec, { 'consolidated.xml': content });

/** A list of some people and companies, each with an alias. */
function listOf(people: number, companies: number, { name, alias } = { name: 'FICTION', alias: 'FICTION TWO' }): string {
  const party = (kind: string, id: number) =>
    `<${kind}><DATAID>${id}</DATAID><FIRST_NAME>${name}</FIRST_NAME><${kind}_ALIAS><QUALITY>a.k.a.</QUALITY><ALIAS_NAME>${alias}</ALIAS_NAME></${kind}_ALIAS></${kind}>`;
  const parties = (kind: string, count: number, from: number) => Array.from({ length: count }, (_, i) => party(kind, from + i)).join('');
  return `<CONSOLIDATED_LIST dateGenerated="2025-11-20T00:00:00Z"><INDIVIDUALS>${parties('INDIVIDUAL', people, 1)}</INDIVIDUALS><ENTITIES>${parties('ENTITY', companies, 10_000)}</ENTITIES></CONSOLIDATED_LIST>`;
}

describe('the reader of the UN consolidated list', () => {
  it('yields people and entities by DATAID, without keys: the list prints no company’s tax id', async () => {
    const { entries, version } = await read(xml);
    expect(version).toEqual({ publishedOn: '2026-09-20', rowsRead: 3, rowsSkipped: 0 });
    expect(entries.map(({ id, keys }) => [id, keys])).toEqual([
      ['6900001', []],
      ['110001', []],
      ['110002', []],
    ]);
    expect(entries[1]?.record).toEqual({
      uid: '110001',
      kind: 'entity',
      name: 'INVENTED TRADING CO ; INVENTED GENERAL',
      aliases: [{ name: '"INVCO"', type: 'f.k.a.', weak: false }],
      programs: ['DPRK'],
      countries: ["Democratic People's Republic of Korea"],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [],
      reference: 'KPe.901',
      details: expect.any(Object),
    });
  });

  it('refuses an element with more attributes than any list has', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `b${i}=""`).join(' ');
    await expect(read(xml.replace('<DATAID', `<DATAID ${many}`))).rejects.toThrow('more than 100 attributes');
    const few = many.replace('b100=""', '');
    expect((await read(xml.replace('<DATAID', `<DATAID ${few}`))).entries).toHaveLength(3);
  });

  it('refuses elements within one another that are deeper than in any list', async () => {
    const nested = (depth: number) => xml.replace('<DATAID', `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}<DATAID`);
    await expect(read(nested(100))).rejects.toThrow('more than 100 elements');
    expect((await read(nested(90))).entries).toHaveLength(3);
  });

  it('joins the names of a person and marks low-quality aliases as weak', async () => {
    const person = (await read(xml)).entries[0]?.record;
    expect(person).toMatchObject({ kind: 'individual', name: 'INVENTED NAMED', reference: 'CDi.901' });
    expect(person?.aliases).toEqual([
      { name: 'Inv', type: 'Low', weak: true },
      { name: 'Inventé', type: 'Good', weak: false },
    ]);
    expect(JSON.stringify(person)).not.toContain('AB1234567');
  });

  it('skips the empty placeholders of parties without an alias and keeps letters of any script', async () => {
    expect((await read(xml)).entries[2]?.record).toMatchObject({ name: 'شرکت INVENTED', aliases: [] });
  });

  it('DB-06 counts no rows in a list without parties', async () => {
    const { version } = await read('<CONSOLIDATED_LIST dateGenerated="nonsense"><INDIVIDUALS/><ENTITIES/></CONSOLIDATED_LIST>');
    expect(version).toEqual({ publishedOn: null, rowsRead: 0, rowsSkipped: 0 });
  });

  it.each([
    { name: 'an empty file', content: '' },
    { name: 'a maintenance page', content: '<!DOCTYPE html><html><body>Down</body></html>' },
    { name: 'another list', content: '<sdnList></sdnList>' },
    { name: 'a document cut before its last tag', content: xml.replace('</CONSOLIDATED_LIST>', '') },
    { name: 'a document cut in a party', content: xml.slice(0, xml.indexOf('Iran')) },
    { name: 'entities under another name', content: xml.replaceAll('ENTITIES>', 'COMPANIES>') },
    { name: 'an entity under another name', content: xml.replaceAll('ENTITY>', 'COMPANY>') },
    { name: 'a party without DATAID', content: xml.replace('<DATAID>110001</DATAID>', '') },
    { name: 'a repeated DATAID', content: xml.replace('110002', '110001') },
  ])('DB-06 refuses $name', async ({ content }) => {
    await expect(read(content)).rejects.toThrow(ListFileError);
  });

  it('repairs names whose UTF-8 was read as another charset, or that are escaped twice', async () => {
    const wrong = {
      name: Buffer.from('COMPAÑÍA NAVIERA MUÑOZ S.A.').toString('latin1'),
      alias: 'CONSTRU&amp;#199;&amp;#195;O &amp;amp; CIA',
    };
    const { entries } = await read(listOf(0, 1, wrong));
    expect(entries[0]?.record).toMatchObject({ name: 'COMPAÑÍA NAVIERA MUÑOZ S.A.', aliases: [{ name: 'CONSTRUÇÃO & CIA' }] });
  });

  it('DB-06 refuses a list that has lost its companies, or the aliases of companies', async () => {
    expect((await read(listOf(300, 60))).version).toMatchObject({ rowsRead: 360 });
    await expect(read(listOf(360, 0))).rejects.toThrow('0 of 360 parties are companies');
    await expect(read(listOf(300, 60).replaceAll('ENTITY_ALIAS', 'ENTITY_NAMES'))).rejects.toThrow('no company has an alias');
  });

  it('refuses a csv', async () => {
    await expect(read('a,b')).rejects.toThrow(ListFileError);
  });

  it('UP-03 a truncated document is refused wherever it ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: xml.trimEnd().length - 1 }), async (at) => {
        await expect(read(xml.slice(0, at))).rejects.toThrow(ListFileError);
      }),
      { numRuns: 300 },
    );
  });

  describe('as published', () => {
    it('holds 727 people and 273 entities', needsPublished('sanctions/un'), async () => {
      const { entries, version } = await readPath(unConsolidatedSpec, publishedPath('sanctions/un/consolidated-2025-11-20.xml'));
      expect(version).toEqual({ publishedOn: '2025-11-20', rowsRead: 1000, rowsSkipped: 0 });
      expect(entries.filter(({ record }) => record.kind === 'entity')).toHaveLength(273);
      const dated = entries.filter(({ record }) => record.datesOfBirth.length > 0);
      expect(dated.length).toBeGreaterThan(600);
      expect(dated.flatMap(({ record }) => record.datesOfBirth)).toEqual(expect.arrayContaining(['1971', '1978-04-28']));
      expect(entries.every(({ record }) => record.reference && record.programs.length === 1)).toBe(true);
    });

    it('DB-06 is refused as a whole when a script has damaged it', async () => {
      // The script kept one byte of each character: an apostrophe became a control character, an accented letter no UTF-8.
      const whole = sampleText('sanctions/un/consolidated-2025-11-20.xml');
      const damaged = Buffer.from(whole.replace('</NAME_ORIGINAL_SCRIPT>', '\u0019 \u00E9</NAME_ORIGINAL_SCRIPT>'), 'latin1');
      expect((await read(Buffer.from(whole))).version.rowsRead).toBe(6);
      await expect(read(damaged)).rejects.toThrow(ListFileError);
    });
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonItems, OBJECTS } from '../../src/sources/registry/json-items.ts';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import { collect, listFileOf } from '../support/files.ts';

const LIST = { depth: 0, item: z.strictObject({ a: z.string() }), limit: 5_000, frame: OBJECTS };
const read = async (text: string, form: Parameters<typeof jsonItems>[1] = LIST) =>
  collect(jsonItems(await listFileOf({ 'list.json': text }), form));

describe('the objects of a JSON list', () => {
  it('are those that JSON.parse returns, whatever brackets and quotes their texts have', async () => {
    const items = ['}', ']', '{"', '\\', '\\"', '[{', 'ñ\u2028', ''].map((a) => ({ a }));
    for (const text of [JSON.stringify(items), JSON.stringify(items, null, 2), `\uFEFF ${JSON.stringify(items)}\n`])
      expect(await read(text)).toEqual(items);
  });

  it('are read when a long file is divided within them', async () => {
    const items = Array.from({ length: 3_000 }, (_, i) => ({ a: 'x'.repeat(i % 97) }));
    expect(await read(JSON.stringify(items))).toEqual(items);
  });

  it('have objects and lists of their own', async () => {
    const items = [{ a: { b: [{ c: 1 }, []] } }, { a: [] }];
    expect(await read(JSON.stringify(items), { ...LIST, item: z.object({ a: z.unknown() }) })).toEqual(items);
  });

  it('may be in an object, with other members around them', async () => {
    const frame = z.object({ response: z.object({ rows: OBJECTS, count: z.number() }) }).transform(({ response }) => response.rows);
    const text = '{"more":{"x":1},"response":{"rows":[{"a":"1"},{"a":"2"}],"count":2}}';
    expect(await read(text, { ...LIST, depth: 2, frame })).toEqual([{ a: '1' }, { a: '2' }]);
  });

  it('are none in an empty list', async () => {
    expect(await read('[]')).toEqual([]);
  });

  it.each([
    ['an object in place of the list', '{"a":"1"}'],
    ['a list in the list', '[[{"a":"1"}]]'],
    ['another value in the list', '[{"a":"1"},1]'],
    ['the number 0 in the list', '[{"a":"1"},0]'],
    ['a cut object', '[{"a":"1"},{"a":"'],
    ['a list without its end', '[{"a":"1"}'],
    ['a missing comma', '[{"a":"1"}{"a":"2"}]'],
    ['a comma too many', '[{"a":"1"},]'],
    ['a bracket too many', '[{"a":"1"}]]'],
    ['brackets that do not match', '[{"a":"1"]}'],
    ['text after the list', '[{"a":"1"}] x'],
    ['an unknown member', '[{"a":"1","b":"2"}]'],
    ['a missing member', '[{}]'],
    ['an object that is too long', `[{"a":"${'x'.repeat(70_000)}"}]`],
    ['too much text around the objects', `[${' '.repeat(600_000)}{"a":"1"}]`],
    ['too many objects', JSON.stringify(Array(5_000).fill({ a: '1' }))],
    ['deep brackets', `${'['.repeat(100_000)}`],
    ['a page', '<!doctype html><html></html>'],
  ])('refuses %s', async (_, text) => {
    await expect(read(text)).rejects.toThrow(ListFileError);
  });
});

import { describe, expect, it } from 'vitest';
import { meantArguments } from '../../src/mcp/arguments.ts';
import { TOOLS } from '../../src/mcp/tools.ts';

/*
 * Agent programs convert what a model writes: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1626 and
 * https://github.com/VibiumDev/vibium/issues/85
 */

const ID = '31000001000160';

/** Reads the arguments of a call as the service does. Returns the input of the tool; undefined if it is refused. */
function read(name: string, given: unknown): unknown {
  const tool = TOOLS.find((one) => one.name === name);
  return tool?.input.safeParse(meantArguments(tool.input, given)).data;
}

describe('the arguments of a tool', () => {
  it.each([
    ['null for what is left out', 'check_company', { identifier: ID, country: null }, { identifier: ID }],
    ['an empty text for what is left out', 'check_company', { identifier: ID, country: '' }, { identifier: ID }],
    ['a word for what is left out', 'company_registration', { identifier: ID, country: 'None' }, { identifier: ID }],
    ['null for a number', 'list_monitors', { first: null, after: null }, { first: 20 }],
    [
      'null within an object',
      'search_companies',
      { name: 'A', filter: { state: null, status: 'active' } },
      { filter: { status: 'ACTIVE' } },
    ],
    ['an object as text', 'search_companies', { name: 'A', filter: '{"state":"SP"}' }, { filter: { state: 'SP' } }],
    ['all of them as text', 'check_company', `{"identifier":${ID}}`, { identifier: ID }],
    ['nothing', 'list_monitors', null, { first: 20 }],
    ['a list as text', 'watch_companies', { country: 'BR', identifiers: `["${ID}"]` }, { identifiers: [ID] }],
    ['a list of numbers as text', 'watch_companies', { country: 'BR', identifiers: `[${ID}]` }, { identifiers: [ID] }],
    ['one item in place of a list', 'watch_companies', { country: 'BR', identifiers: ID }, { identifiers: [ID] }],
    ['one number in place of a list', 'watch_companies', { country: 'BR', identifiers: Number(ID) }, { identifiers: [ID] }],
    ['one code in place of a list', 'check_debarment', { identifier: ID, include: 'CEPIM' }, { include: ['CEPIM'] }],
    ['a country in small letters', 'search_tenders', { country: 'br' }, { country: 'BR' }],
    ['a code in small letters', 'company_group', { identifier: ID, direction: 'up' }, { direction: 'UP' }],
    ['a boolean as Python writes it', 'company_connection', { from: ID, to: ID, people: 'False' }, { people: false }],
    ['a number of fourteen digits in scientific notation', 'check_company', { identifier: 3.100000100016e13 }, { identifier: ID }],
  ])('may have %s', (_, tool, given, expected) => {
    expect(read(tool, given)).toMatchObject(expected);
    expect(read(tool, given)).not.toHaveProperty('country', null);
  });

  it.each([
    ['null for what is needed', 'check_company', { identifier: null }],
    ['nothing for what is needed', 'check_company', null],
    ['an unknown name', 'check_company', { identifier: ID, taxpayer: null }],
    ['a list that is not JSON', 'list_changes', { identifiers: `[1${'0'.repeat(80)}` }],
    ['a list in place of an object', 'search_companies', { name: 'A', filter: '[]' }],
    ['a number that is not exact', 'check_company', { identifier: 31_000_001_000_160.5 }],
    ['a name of a prototype', 'check_company', JSON.parse('{"identifier":"1","__proto__":{}}')],
  ])('may not have %s', (_, tool, given) => {
    expect(read(tool, given)).toBeUndefined();
  });

  it('keep the words of a search, whatever they say', () => {
    expect(read('search_companies', { name: 'NULL' })).toMatchObject({ name: 'NULL' });
    expect(read('screen_names', { identifier: ID, name: 'None' })).toMatchObject({ name: 'None' });
  });
});

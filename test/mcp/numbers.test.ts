import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { meantArguments } from '../../src/mcp/arguments.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { companySearchRoute } from '../../src/modules/kyb/rest/company-search.ts';
import { searchRoute } from '../../src/modules/tenders/rest.ts';

/*
 * Agent programs convert a text of digits to a number: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1626 and
 * https://github.com/VibiumDev/vibium/issues/85
 */

function read(tool: string, given: object) {
  const input = TOOLS.find(({ name }) => name === tool)?.input;
  return input?.safeParse(meantArguments(input, given));
}

describe('a number in place of digits', () => {
  it('is accepted as a name, a keyword and a code', () => {
    const filter = { activity: 6201, legalNature: 2062 };
    const texts = { activity: '6201', legalNature: '2062' };
    expect(read('search_companies', { name: 1001, filter })?.data).toMatchObject({ name: '1001', filter: texts });
    expect(read('screen_names', { identifier: 31_000_001_000_160, name: 1001 })?.data).toMatchObject({ name: '1001' });
    expect(read('search_tenders', { country: 'BR', keyword: 2026 })?.data).toMatchObject({ keyword: '2026' });
  });

  it('is accepted by REST', () => {
    const sent = { name: 1001, country: 'BR', filter: { activity: 6_201_501, legal_nature: 2062 } };
    expect(companySearchRoute.body.parse(sent)).toMatchObject({ name: '1001', filter: { activity: '6201501', legal_nature: '2062' } });
    expect(companySearchRoute.body.parse({ name: 'a', country: 'BR', filter: { activity: null } })).toMatchObject({ name: 'a' });
    expect(searchRoute.body.parse({ country: 'BR', keyword: 2026 })).toMatchObject({ keyword: '2026' });
  });

  it.each([111, 111_301, 62.1, -201, 12_345])('is refused as a code of an activity where a left zero may be missing: %j', (activity) => {
    expect(read('search_companies', { name: 'a', filter: { activity } })?.success).toBe(false);
  });

  it.each([1.5, -1, 2 ** 60, true, null])('is refused as a name where it is not exact: %j', (name) => {
    expect(read('search_companies', { name })?.success).toBe(false);
  });
});

/* Agent programs also send a list as its JSON text: https://github.com/makeplane/plane-mcp-server/issues/130 */
describe('the JSON text in place of a list or an object', () => {
  it('is accepted by each tool that takes one', () => {
    const identifiers = ['99.010.001/0001-84', '31000001000160'];
    const sent = { country: 'BR', identifiers: ' ["99.010.001/0001-84", 31000001000160]\n' };
    expect(read('watch_companies', sent)?.data).toMatchObject({ identifiers });
    expect(read('list_changes', { identifiers: sent.identifiers, monitorIds: '["mon_1"]' })?.data).toMatchObject({
      identifiers,
      monitorIds: ['mon_1'],
    });
    expect(read('check_debarment', { identifier: 'x', include: '["CEPIM"]' })?.data).toMatchObject({ include: ['CEPIM'] });
    expect(read('screen_names', { identifier: 'x', lists: '["OFAC_SDN"]' })?.data).toMatchObject({ lists: ['OFAC_SDN'] });
    expect(read('search_companies', { name: 'a', filter: '{"status":"ACTIVE"}' })?.data).toMatchObject({ filter: { status: 'ACTIVE' } });
  });

  it.each([
    '',
    '"[]"',
    '[]',
    '[',
    '["99.010.001/0001-84"',
    '[031000001000160]',
    '[99999999999999999999]',
    '[["99.010.001/0001-84"]]',
    '{"0":"99.010.001/0001-84"}',
    `[${'"1",'.repeat(501).slice(0, -1)}]`,
    `["1"${' '.repeat(60_000)}]`,
    '['.repeat(50_000),
  ])('is refused where it is not exactly a list of tax ids: %#', (identifiers) => {
    expect(read('watch_companies', { country: 'BR', identifiers })?.success).toBe(false);
  });

  it('is refused with a field that the object does not have', () => {
    for (const filter of ['{"__proto__":{"status":"ACTIVE"}}', '{"a":1}', '[]'])
      expect(read('search_companies', { name: 'a', filter })?.success).toBe(false);
  });

  it('is not what a schema asks for', () => {
    const fields = TOOLS.flatMap(({ input }) => Object.entries(z.toJSONSchema(input, { io: 'input' }).properties ?? {}));
    const types = (name: string) => fields.filter(([key]) => key === name).map(([, field]) => typeof field === 'object' && field.type);
    expect([...types('identifiers'), ...types('monitorIds'), ...types('lists'), ...types('include')]).toEqual(Array(5).fill('array'));
    expect(types('filter')).toEqual(['object']);
  });
});

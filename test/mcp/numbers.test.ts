import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tools.ts';
import { companySearchRoute } from '../../src/modules/kyb/rest/company-search.ts';
import { searchRoute } from '../../src/modules/tenders/rest.ts';

/*
 * Agent programs convert a text of digits to a number: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1626 and
 * https://github.com/VibiumDev/vibium/issues/85
 */

const read = (tool: string, input: object) => TOOLS.find(({ name }) => name === tool)?.input.safeParse(input);

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

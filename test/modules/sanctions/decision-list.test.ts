import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const homonym = companyByScenario('homonym').cnpj;
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
}, 60_000);
afterAll(() => app.close());

/** Stores a dismissal of the account of the tests, and returns its list id. */
async function given(row: {
  list?: string;
  country?: string;
  tax_id?: string;
  entry_name?: string;
  reason?: string;
  key_name?: string | null;
}) {
  const { id: account_id } = await app.db('accounts').where({ name: 'test' }).first('id');
  const { id: key_id } = await app.db('api_keys').where({ account_id }).first('id');
  const entity_id = randomUUID();
  await app.db('match_dismissals').insert({
    ...{ id: randomUUID(), account_id, country: 'BR', tax_id: homonym, list: 'OFAC_SDN', entity_id, entry_name: 'ACME', owner_id: '' },
    ...{ record_digest: Buffer.from('x'), reason: 'Another city.', key_id, key_name: 'Ana Souza', dismissed_at: new Date(), ...row },
  });
  return entity_id;
}
const list = async (filter: object | null, more = 'nodes { entityId decidedBy { name } }') =>
  (await app.query(`query ($filter: DecisionFilter) { dismissedMatches(filter: $filter) { ${more} } }`, { filter })).body;
const found = async (filter: object | null): Promise<readonly string[]> =>
  (await list(filter)).data.dismissedMatches.nodes.map(({ entityId }: { entityId: string }) => entityId);

describe('the list of decisions', () => {
  it('has the decisions that a filter selects', async () => {
    const acme = await given({});
    const chilean = await given({
      country: 'CL',
      tax_id: '76123456-0',
      list: 'UN_CONSOLIDATED',
      entry_name: 'NORVAL Ñandú',
      key_name: 'João',
    });
    expect(await found(null)).toEqual([chilean, acme]);
    expect(await found({ lists: ['OFAC_SDN'] })).toEqual([acme]);
    expect(await found({ country: 'CL' })).toEqual([chilean]);
    expect(await found({ lists: [], country: null })).toEqual([]);
    expect(await found({ text: 'ñandú' })).toEqual([chilean]);
    expect(await found({ text: 'SOUZA' })).toEqual([acme]);
    expect(await found({ text: 'another CITY' })).toEqual([chilean, acme]);
    expect(await found({ text: '%' })).toEqual([]);
    expect(await found({ text: '.-/' })).toEqual([]);
    expect(await found({ text: `${homonym.slice(0, 2)}.${homonym.slice(2, 5)}.${homonym.slice(5, 8)}/` })).toEqual([acme]);
  });

  it('refuses a text of more than 100 characters', async () => {
    expect((await list({ text: 'x'.repeat(101) })).errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', field: 'text' } }]);
  });

  it('names the key as it was called when it decided, and as it is called now if no name was stored', async () => {
    await app.db('match_dismissals').delete();
    await given({});
    await given({ key_name: null });
    await app.db('api_keys').update({ name: 'Renamed' });
    const names = (await list(null)).data.dismissedMatches.nodes.map(({ decidedBy }: { decidedBy: { name: string } }) => decidedBy.name);
    expect(names).toEqual(['Renamed', 'Ana Souza']);
  });

  it.each([
    ['EN', 'Decision,Country,Tax id', 'Dismissed,BR', 'OFAC SDN list (US)'],
    ['ES', 'Decisión,País,Identificador', 'Descartado,BR', 'Lista SDN de la OFAC (EE. UU.)'],
    ['PT', 'Decisão,País,Identificador', 'Descartado,BR', 'Lista SDN da OFAC (EUA)'],
  ])('is a CSV with headers and the name of the list in %s, with the person and the time', async (language, header, row, listName) => {
    await app.db('match_dismissals').delete();
    await given({ reason: '=1+1' });
    const [head = '', line = ''] = (await list(null, `csv(language: ${language})`)).data.dismissedMatches.csv.split('\r\n');
    expect(head.startsWith(header)).toBe(true);
    expect(line.startsWith(row)).toBe(true);
    expect(line).toContain(`,${listName},`);
    expect(line).toContain("'=1+1,Ana Souza,");
    expect(line.split(',')).toHaveLength(head.split(',').length);
  });

  it('separates the columns by the semicolon that spreadsheets in Spanish and Portuguese expect, if it is asked for', async () => {
    await app.db('match_dismissals').delete();
    await given({ reason: 'Otra; persona, de Lima.' });
    const csv = (await list(null, 'csv(language: ES, delimiter: SEMICOLON)')).data.dismissedMatches.csv;
    expect(csv).toMatch(/^Decisión;País;Identificador;/);
    expect(csv).toContain(';"Otra; persona, de Lima.";Ana Souza;');
  });

  it('has the same columns for confirmations', async () => {
    const { data } = (await app.query('{ dismissedMatches { csv(language: ES) } confirmedMatches { csv(language: ES) } }')).body;
    expect(data.confirmedMatches.csv.split('\r\n')[0]).toBe(data.dismissedMatches.csv.split('\r\n')[0]);
  });
});

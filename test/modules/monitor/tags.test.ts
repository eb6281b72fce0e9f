import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { MODULES } from '../../../src/domain/catalogue.ts';
import { isoWithOffset } from '../../../src/domain/time.ts';
import { purgeTags } from '../../../src/modules/monitor/store/company-tags.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { cpfOf } from '../../support/cpf-spellings.ts';
import { call, data, PATH, publishChanges, subscribe } from './api-requests.ts';
import { cnpj, deleteMonitors } from './support.ts';

const FIELDS = 'identifier watchedSince lastChangeAt tags';
const READ = `query ($identifiers: [String!]!) { companies(identifiers: $identifiers, country: BR) { ${FIELDS} } }`;
const TAG = 'mutation ($input: TagCompaniesInput!) { tagCompanies(input: $input) { companies { identifier tags } } }';
const UPDATE = 'mutation ($input: UpdateMonitorInput!) { updateMonitor(input: $input) { monitor { id } } }';

let now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
let colleague: string;
let stranger: string;
beforeAll(async () => {
  app = await testApp({ now: () => now });
  colleague = await app.keyFor(...MODULES);
  await app.db('accounts').insert({ name: 'another account', created_at: new Date() });
  stranger = (await app.keys.create({ name: 'stranger', account: 'another account', modules: MODULES })).key;
});
afterAll(() => app.close());
beforeEach(async () => {
  await deleteMonitors(app.db);
  await app.db('company_tags').delete();
  now += 3_600_000; // refills the tokens of the rate limit
});

const [one, two, three] = [cnpj(1), cnpj(2), cnpj(3)];
const read = async (identifiers: readonly string[], key = app.key) => (await data(app, READ, { identifiers }, key)).companies;
const tag = (input: Record<string, unknown>, key = app.key) => app.query(TAG, { input: { country: 'BR', ...input } }, key);
const tagsOf = async (taxId: string, key = app.key): Promise<readonly string[]> => (await read([taxId], key))[0].tags;
const refusalOf = async (input: Record<string, unknown>) => {
  const { body } = await tag(input);
  return [body.data.tagCompanies, body.errors[0].extensions.code, body.errors[0].extensions.field];
};

describe('a watched company', () => {
  it('has the time since when the first of the key’s active monitors watches it', async () => {
    const start = now;
    const { subscription_id: first } = await subscribe(app, { identifiers: [one] });
    now += 60_000;
    const { subscription_id: second } = await subscribe(app, { identifiers: [one, two] });
    now += 60_000;
    await data(app, UPDATE, { input: { id: second, addIdentifiers: [three, two] } });
    const since = async () => (await read([one, two, three])).map(({ watchedSince }: { watchedSince: string }) => watchedSince);
    expect(await since()).toEqual([start, start + 60_000, start + 120_000].map(isoWithOffset));
    await call(app, 'DELETE', `${PATH}/${first}`);
    expect(await since()).toEqual([start + 60_000, start + 60_000, start + 120_000].map(isoWithOffset));
    await call(app, 'DELETE', `${PATH}/${second}`);
    expect(await since()).toEqual([null, null, null]);
  });

  it('has no such time if a monitor has watched it since before the time was stored', async () => {
    await subscribe(app, { identifiers: [one] });
    await app.db('monitor_companies').update({ added_at: null });
    await subscribe(app, { identifiers: [one] });
    expect(await read([one])).toMatchObject([{ watchedSince: null }]);
  });

  it('has the time of the newest change that the key received', async () => {
    await subscribe(app, { identifiers: [one, two] });
    await publishChanges(app, [one], { at: now + 1_000 });
    await publishChanges(app, [one], { at: now + 2_000, fields: [{ field: 'size', from: 'small', to: 'large' }] });
    expect(await read([one, two])).toMatchObject([{ lastChangeAt: isoWithOffset(now + 2_000) }, { lastChangeAt: null }]);
    expect(await read([one], stranger)).toMatchObject([{ lastChangeAt: null, watchedSince: null }]);
  });
});

describe('the tags of companies', () => {
  beforeEach(() => subscribe(app, { identifiers: [one, two] }));

  it('are added and removed for many companies at once, and sorted by name', async () => {
    const { body } = await tag({ identifiers: [two, one, two], add: ['  key   supplier ', 'bank', 'bank'] });
    expect(body.data.tagCompanies.companies).toEqual([two, one, two].map((identifier) => ({ identifier, tags: ['bank', 'key supplier'] })));
    await tag({ identifiers: [one], add: ['archive'], remove: ['key supplier', 'unknown'] });
    expect([await tagsOf(one), await tagsOf(two)]).toEqual([
      ['archive', 'bank'],
      ['bank', 'key supplier'],
    ]);
    await tag({ identifiers: [one, two], remove: ['archive', 'bank', 'key supplier'] });
    expect(await app.db('company_tags')).toEqual([]);
  });

  it('belong to the account: its other keys have them, other accounts do not', async () => {
    await tag({ identifiers: [one], add: ['bank'] }, colleague);
    await subscribe(app, { identifiers: [one] }, stranger);
    await tag({ identifiers: [one], add: ['theirs'] }, stranger);
    expect([await tagsOf(one), await tagsOf(one, stranger)]).toEqual([['bank'], ['theirs']]);
    await tag({ identifiers: [one], remove: ['bank'] }, stranger);
    expect(await tagsOf(one)).toEqual(['bank']);
  });

  it('are at most 20, and a change that leads beyond this changes nothing', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `tag ${n}`);
    await tag({ identifiers: [one], add: many });
    expect(await tagsOf(one)).toHaveLength(20);
    expect(await refusalOf({ identifiers: [two, one], add: ['further'] })).toEqual([null, 'INVALID_INPUT', 'add']);
    expect([await tagsOf(one), await tagsOf(two)]).toEqual([expect.not.arrayContaining(['further']), []]);
    await tag({ identifiers: [one], remove: ['tag 0'], add: ['further'] });
    expect(await tagsOf(one)).toEqual(expect.arrayContaining(['further']));
  });

  it.each([
    ['no company', { identifiers: [], add: ['a'] }, 'identifiers'],
    ['more than 500 companies', { identifiers: Array<string>(501).fill(one), add: ['a'] }, 'identifiers'],
    ['a wrong tax id', { identifiers: [one, '123'], add: ['a'] }, 'identifiers.1'],
    ['a company that is not watched', { identifiers: [one, three], add: ['a'] }, 'identifiers.1'],
    ['a blank tag', { identifiers: [one], add: ['a', ' \u0000 '] }, 'add.1'],
    ['a long tag', { identifiers: [one], remove: ['x'.repeat(41)] }, 'remove.0'],
    ['more than 20 tags', { identifiers: [one], add: Array.from({ length: 21 }, (_, n) => `tag ${n}`) }, 'add'],
    ['a tag that is added and removed', { identifiers: [one], add: ['a'], remove: ['a'] }, 'remove'],
  ])('are refused for %s', async (_, input, field) => {
    expect(await refusalOf(input)).toEqual([null, 'INVALID_INPUT', field]);
    expect(await app.db('company_tags')).toEqual([]);
  });

  it('are set on a NIT that begins with neither 8 nor 9 by its bare form, which answers print', async () => {
    const create = 'mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { monitor { id } } }';
    await data(app, create, { input: { identifiers: ['100.000.000-3'], country: 'CO' } });
    const { body } = await tag({ identifiers: ['1000000003'], country: 'CO', add: ['bank'] });
    expect(body.data.tagCompanies.companies).toEqual([{ identifier: '1000000003', tags: ['bank'] }]);
  });

  it('show and store no CPF', async () => {
    const cpf = cpfOf('529982247');
    await tag({ identifiers: [one], add: [`owner ${cpf}`] });
    expect(await tagsOf(one)).toEqual([expect.not.stringContaining(cpf)]);
    expect(JSON.stringify(await app.db('company_tags'))).not.toContain(cpf);
  });

  it('show and store no CPF whose groups are far apart, which single blanks would join', async () => {
    const cpf = cpfOf('529982247');
    const groups = [cpf.slice(0, 3), cpf.slice(3, 6), cpf.slice(6, 9), cpf.slice(9)];
    await tag({ identifiers: [one], add: [`owner ${groups.join('    ')}`] });
    const tags = [`owner ***${cpf.slice(3, 9)}**`];
    expect(await tagsOf(one)).toEqual(tags);
    expect(await app.db('company_tags')).toMatchObject([{ tags }]);
  });

  it('end with the last monitor of the account that watches the company', async () => {
    await tag({ identifiers: [one, two], add: ['bank'] });
    await purgeTags(app.db, { limit: 10 });
    expect(await tagsOf(one)).toEqual(['bank']);
    await deleteMonitors(app.db);
    await subscribe(app, { identifiers: [two] }, colleague);
    await subscribe(app, { identifiers: [one] }, stranger);
    expect(await purgeTags(app.db, { limit: 10 })).toBe(1);
    expect([await tagsOf(one), await tagsOf(two)]).toEqual([[], ['bank']]);
  });

  it('are in the audit log by their number', async () => {
    const before = (await auditLog(app.db, { since: 0 })).length;
    await tag({ identifiers: [one, two], add: ['bank'] });
    const [entry] = (await auditLog(app.db, { since: 0 })).slice(before);
    expect(entry).toMatchObject({ at: now, action: 'companies.tagged', facts: { companies: 2, added: 1, removed: 0 } });
    expect(JSON.stringify(entry)).not.toContain('bank');
  });

  it('need a key with module monitor', async () => {
    const { body } = await tag({ identifiers: [one], add: ['a'] }, await app.keyFor('kyb'));
    expect(body.errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED', module: 'MONITOR' } }]);
  });
});

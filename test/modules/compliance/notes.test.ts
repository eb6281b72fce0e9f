import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { MAX_NOTES } from '../../../src/modules/compliance/domain/note.ts';
import { noteAccountData } from '../../../src/modules/compliance/service/notes.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const { cnpj } = companyByScenario('clean');
const { rut } = chileanByScenario('cl-clean');
const ANOTHER_ACCOUNT = 'another account';
const ADD = `mutation ($input: AddCompanyNoteInput!) { addCompanyNote(input: $input) {
  note { id text writtenBy writtenByName writtenAt company { identifier } } } }`;
const READ = `query ($id: String!, $country: Country, $first: Int, $after: String) { company(identifier: $id, country: $country) {
  notes(first: $first, after: $after) { nodes { id text writtenByName } pageInfo { hasNextPage endCursor } } } }`;

describe('notes about a company', () => {
  let app: TestApp;
  let otherAccount: string;
  let chileOnly: string;

  beforeAll(async () => {
    app = await testApp();
    await app.db('accounts').insert({ name: ANOTHER_ACCOUNT, created_at: new Date() });
    otherAccount = (await app.keys.create({ name: 'other', account: ANOTHER_ACCOUNT, modules: ['compliance_br'] })).key;
    chileOnly = (await app.keys.create({ name: 'chile', account: ANOTHER_ACCOUNT, modules: ['compliance'] })).key;
  }, 120_000);
  afterAll(() => app.close());

  const add = (text: string, input: object = {}, key?: string) => app.query(ADD, { input: { identifier: cnpj, text, ...input } }, key);
  const read = async (variables: object = {}, key?: string) =>
    (await app.query(READ, { id: cnpj, ...variables }, key)).body.data.company.notes;
  const remove = (id: string, key?: string) =>
    app.query('mutation ($id: ID!) { deleteCompanyNote(input: { id: $id }) { note { id text } } }', { id }, key);
  const codes = ({ body }: { readonly body: { readonly errors?: readonly { readonly extensions: { readonly code: string } }[] } }) =>
    body.errors?.map(({ extensions }) => extensions.code);

  it('are read newest first, a page at a time, with who wrote them and when', async () => {
    const { note } = (await add('Approved by the committee.')).body.data.addCompanyNote;
    expect(note).toMatchObject({
      id: expect.stringMatching(/^nte_[0-9a-f]{32}$/),
      text: 'Approved by the committee.',
      writtenBy: expect.stringMatching(/^[0-9a-f-]{36}$/),
      writtenByName: expect.any(String),
      company: { identifier: cnpj },
    });
    await add('  The director answered.\n', { country: 'BR' });
    const first = await read({ first: 1 });
    expect(first).toMatchObject({ nodes: [{ text: 'The director answered.' }], pageInfo: { hasNextPage: true } });
    const second = await read({ first: 1, after: first.pageInfo.endCursor });
    expect(second).toMatchObject({ nodes: [{ id: note.id }], pageInfo: { hasNextPage: false } });
    const { body } = await app.query('query ($id: ID!) { node(id: $id) { ... on CompanyNote { text } } }', { id: note.id });
    expect(body.data.node).toEqual({ text: 'Approved by the committee.' });
  });

  it('are stored without the CPF of a person and without characters that a database refuses', async () => {
    const { body } = await add('Talked to 529.982.247-25 \u0000today');
    expect(body.data.addCompanyNote.note.text).toBe('Talked to ***982247** today');
    const { note } = await app.db('company_notes').orderBy('written_at', 'desc').first('note');
    expect(note).not.toContain('529.982');
  });

  it.each([
    ['without a text', ' \u0000\n', 'INVALID_INPUT'],
    ['longer than 2,000 characters', 'a'.repeat(2_001), 'INVALID_INPUT'],
  ])('are refused %s', async (_, text, code) => {
    expect(codes(await add(text))).toEqual([code]);
  });

  it('have the 2,000 characters that are allowed', async () => {
    const { body } = await add('ñ'.repeat(2_000));
    expect(body.data.addCompanyNote.note.text).toHaveLength(2_000);
  });

  it('belong to the account: another one neither reads nor deletes them', async () => {
    const { id } = (await add('Ours.')).body.data.addCompanyNote.note;
    expect((await read({}, otherAccount)).nodes).toEqual([]);
    expect(codes(await remove(id, otherAccount))).toEqual(['NOTE_NOT_FOUND']);
    expect((await app.query('query ($id: ID!) { node(id: $id) { id } }', { id }, otherAccount)).body.data.node).toBeNull();
    expect((await remove(id)).body.data.deleteCompanyNote.note).toEqual({ id, text: 'Ours.' });
    expect(codes(await remove(id))).toEqual(['NOTE_NOT_FOUND']);
  });

  it('need the module of the country of the company, for reading and for writing', async () => {
    expect(codes(await add('x', {}, chileOnly))).toEqual(['MODULE_NOT_ENABLED']);
    expect((await app.query(READ, { id: cnpj }, chileOnly)).body.errors).toMatchObject([
      { extensions: { code: 'MODULE_NOT_ENABLED', module: 'COMPLIANCE_BR' } },
    ]);
    expect(codes(await add('x', { identifier: rut, country: 'CL' }, otherAccount))).toEqual(['MODULE_NOT_ENABLED']);
    expect(codes(await add('Of Chile.', { identifier: rut, country: 'CL' }, chileOnly))).toBeUndefined();
    expect(await read({ id: rut, country: 'CL' }, chileOnly)).toMatchObject({ nodes: [{ text: 'Of Chile.', writtenByName: 'chile' }] });
  });

  it('are logged without their text', async () => {
    const { id } = (await add('Secret reason.')).body.data.addCompanyNote.note;
    await remove(id);
    const entries = await auditLog(app.db, { since: 0, subject: id });
    expect(entries.map(({ action }) => action)).toEqual(['note.added', 'note.deleted']);
    expect(JSON.stringify(entries)).not.toContain('Secret');
  });

  it('are limited in number per account', async () => {
    const { account_id: accountId, key_id: keyId } = await app.db('company_notes').where({ country: 'BR' }).first();
    await app.db.raw(
      `INSERT INTO company_notes SELECT gen_random_uuid(), ?, 'BR', 'filler', 'x', ?, 'key', now() FROM generate_series(1, ?)`,
      [accountId, keyId, MAX_NOTES],
    );
    expect(codes(await add('One more.'))).toEqual(['PLAN_LIMIT_REACHED']);
    await app.db('company_notes').where({ tax_id: 'filler' }).delete();
    expect(codes(await add('One more.'))).toBeUndefined();
  });

  it('are deleted with the account, and named for its entries of the audit log', async () => {
    const { id } = (await add('Of Chile.', { identifier: rut, country: 'CL' }, chileOnly)).body.data.addCompanyNote.note;
    const { id: accountId } = await app.db('accounts').where({ name: ANOTHER_ACCOUNT }).first('id');
    const erased = await app.db.transaction((trx) => noteAccountData.erase(trx, { accountId, keyIds: [] }));
    expect(erased).toContain(id);
    expect(await app.db('company_notes').where({ account_id: accountId })).toEqual([]);
    expect(await app.db('company_notes').count()).not.toEqual([{ count: '0' }]);
  });
});

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocuments, documentHash } from '../../../src/auth/trusted-documents.ts';
import { documentsCommand } from '../../../src/cli/documents.ts';
import { keysCommand } from '../../../src/cli/keys.ts';
import { directUrlOf } from '../../../src/db/knex.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import type { TestDb } from '../../support/db.ts';
import { dataFolder } from '../../support/process.ts';
import { overHttp, overSocket } from './support.ts';

let app: TestApp;
let bound = '';
const registered = Array.from({ length: 10 }, (_, i) => `query Trusted${i} { company(identifier: "00000000000191") { identifier } }`);
const others = Array.from({ length: 1_000 }, (_, i) => (i % 2 ? `query Other${i} { __typename }` : `{ nothing${i} ${'{'.repeat(i)}`));
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  const documents = createDocuments({ db: app.db, now: Date.now });
  for (const [i, text] of registered.entries()) await documents.register(`trusted-${i}.graphql`, text);
  bound = (await app.keys.create({ name: 'bound', modules: ['kyb'], trustedOnly: true })).key;
});
afterAll(() => app.close());

const command = (...args: readonly string[]) =>
  runCommand({ url: directUrlOf(app.db) } as TestDb, documentsCommand, ['documents', ...args], {});
/** As the tools wrote them: client preset 6 of graphql-codegen, generate-persisted-query-manifest 1 of Apollo, relay-compiler 21. */
const MANIFESTS = path.join(import.meta.dirname, 'manifests');
const byHash = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });

describe('GQ-13 a key that is bound to trusted documents', () => {
  it('runs the 10 that are registered, by their hash, by their text and by both', async () => {
    for (const query of registered) {
      const hash = documentHash(query);
      for (const body of [{ documentId: hash }, { documentId: `sha256:${hash}` }, byHash(hash), { query }, { query, ...byHash(hash) }]) {
        const { status, body: answer } = await app.post('/graphql', body, bound);
        expect([status, answer.data]).toEqual([200, { company: { identifier: '00000000000191' } }]);
      }
    }
  });

  it('runs none of 1,000 others, and looks at none of them', async () => {
    for (const query of others) expect(await overHttp(app, bound)(query)).toMatchObject({ status: 400, codes: ['DOCUMENT_NOT_TRUSTED'] });
  }, 60_000);

  it('is bound on sockets too', async () => {
    expect((await overSocket(app, bound)(registered[0] ?? '')).status).toBe(200);
    expect(await overSocket(app, bound)('{ __typename }')).toMatchObject({ status: 400, codes: ['DOCUMENT_NOT_TRUSTED'] });
  });

  it.each(['', 'x', '00', documentHash('nobody registered this'), `${documentHash(registered[0] ?? '')}00`])(
    'knows no document by %o',
    async (documentId) => {
      const { status, body } = await app.post('/graphql', { documentId }, bound);
      expect([status, body.errors[0].extensions.code]).toEqual([400, 'DOCUMENT_NOT_TRUSTED']);
    },
  );
});

describe('GQ-13 a setting', () => {
  it('binds every key', async () => {
    const strict = await testApp({ listsTried: false, env: { QUIPU_TRUSTED_DOCUMENTS_ONLY: 'true' } });
    expect(await overHttp(strict)('{ __typename }')).toMatchObject({ status: 400, codes: ['DOCUMENT_NOT_TRUSTED'] });
    await createDocuments({ db: strict.db, now: Date.now }).register('own.graphql', '{ __typename  }');
    expect((await overHttp(strict)('{ __typename  }')).status).toBe(200);
    await strict.close();
  });
});

describe('a key that is not bound', () => {
  it('runs trusted documents by their hash, and others by their text', async () => {
    const { body } = await app.post('/graphql', { documentId: documentHash(registered[3] ?? '') });
    expect(body.data.company.identifier).toBe('00000000000191');
    expect((await overHttp(app)('{ __typename }')).status).toBe(200);
  });

  it('gets an error for an unknown hash, and for a hash of another text', async () => {
    const unknown = await app.post('/graphql', { documentId: documentHash('?') });
    expect([unknown.status, unknown.body.errors[0].extensions.code]).toEqual([400, 'PERSISTED_QUERY_NOT_FOUND']);
    const other = await app.post('/graphql', { query: '{ __typename }', ...byHash(documentHash('?')) });
    expect([other.status, other.body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('learns that automatic persisted queries are not kept, in the words that clients compare', async () => {
    const { status, body } = await app.post('/graphql', byHash(documentHash('?')));
    expect([status, body.errors[0]]).toMatchObject([
      400,
      { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
    ]);
    const text = '{ __typename }';
    expect((await app.post('/graphql', { query: text, ...byHash(documentHash(text)) })).body.data).toEqual({ __typename: 'Query' });
  });

  it('can be bound, and freed', async () => {
    const { id, key } = await app.keys.create({ name: 'free', modules: ['kyb'] });
    const status = async () => (await overHttp(app, key)('{ __typename }')).status;
    expect(await status()).toBe(200);
    await app.keys.update(id, { trustedOnly: true });
    expect(await status()).toBe(400);
    await app.keys.update(id, { trustedOnly: false });
    expect(await status()).toBe(200);
  });
});

describe('quipu keys', () => {
  const keys = (...args: readonly string[]) => runCommand({ url: directUrlOf(app.db) } as TestDb, keysCommand, ['keys', ...args], {});

  it('binds a key to trusted documents and frees it', async () => {
    const { id } = JSON.parse((await keys('create', '--name', 'cli', '--modules', 'kyb', '--documents', 'trusted', '--json')).out);
    const documents = async () => JSON.parse((await keys('show', id, '--json')).out).documents;
    expect(await documents()).toBe('trusted');
    await keys('update', id, '--documents', 'any');
    expect(await documents()).toBe('any');
    expect(await keys('update', id, '--documents', 'some')).toMatchObject({
      code: 1,
      err: expect.stringContaining('write trusted or any'),
    });
  });
});

describe('quipu documents', () => {
  it('registers files unchanged, lists them and removes them', async () => {
    const folder = await dataFolder();
    const file = path.join(folder, 'mine.graphql');
    const text = '# as it stands\n{ __typename }\n';
    await writeFile(file, text);
    const hash = documentHash(text);
    expect(await command('register', file, '--json')).toMatchObject({ code: 0, open: 0 });
    expect(await command('register', file)).toMatchObject({ code: 0, out: `HASH${' '.repeat(62)}NAME\n${hash}  mine.graphql\n` });
    expect((await command('list')).out).toContain(`${hash}  mine.graphql\n`);
    expect(JSON.parse((await command('list', '--json')).out)).toContainEqual({
      hash,
      name: 'mine.graphql',
      created_at: expect.any(String),
    });
    expect((await command('remove', hash.slice(0, 8))).out).toContain(`Removed mine.graphql (${hash}).`);
    expect((await command('list')).out).not.toContain(hash);
    expect((await command('remove', hash)).err).toBe('There is no such document.\n');
  });

  it.each([
    ['graphql-codegen', 'OneCompany', 'b18a52913b31859fea00827338a5e9dd3974cd250d296543dfe5e0e857e7ecd2'],
    ['apollo', 'OneCompany', 'c5a179c6762bf01fecde2c6d6275c8a837d36ff0e44b23fc61bcca3b69b6579a'],
    ['relay', 'CompanyQuery', '8bdba18d0041c068ed188e0e68468bc4725ce29aaab25e87e1914ffb469af922'],
  ])('registers the manifest that %s wrote, and runs each document by its id', async (tool, name, hash) => {
    const manifest = path.join(MANIFESTS, `${tool}.json`);
    const { code, out } = await command('register', manifest);
    const [, ...documents] = out.trim().split('\n');
    expect([code, documents.length]).toEqual([0, 2]);
    expect(out).toContain(`${hash}  ${name}\n`);
    for (const body of [{ documentId: `sha256:${hash}` }, byHash(hash)]) {
      const answer = await app.post('/graphql', { ...body, variables: { identifier: '00000000000191' } }, bound);
      expect([answer.status, answer.body.data.company.formattedIdentifier]).toEqual([200, '00.000.000/0001-91']);
    }
  });

  it.each([
    ['{"0cc175b9c0f1b6a831c399e269772661": "{ __typename } # md5"}', /not the SHA-256 of its text; set .* to SHA-256/],
    ['{"operations": []}', /no manifest of documents/],
    ['{"format": "apollo-persisted-query-manifest", "version": 2, "operations": []}', /no manifest of documents/],
    ['[1]', /no manifest of documents/],
    ['{', /JSON/],
    [`{"${documentHash('{ company(')}": "{ company("}`, /Syntax Error/],
  ])('refuses the manifest %s', async (text, why) => {
    const file = path.join(await dataFolder(), 'manifest.json');
    await writeFile(file, text);
    expect(await command('register', file)).toMatchObject({ code: 1, err: expect.stringMatching(why) });
  });

  it('refuses unreadable and invalid documents, and then registers none', async () => {
    const folder = await dataFolder();
    await writeFile(path.join(folder, 'good.graphql'), '{ __typename } # good');
    await writeFile(path.join(folder, 'bad.graphql'), '{ company(');
    await writeFile(path.join(folder, 'long.graphql'), `{ ${'id '.repeat(6_000)} }`);
    for (const [file, why] of [
      ['bad.graphql', /bad.graphql: Syntax Error/],
      ['long.graphql', /long.graphql: .*16,000/],
      ['missing.graphql', /missing.graphql: ENOENT/],
    ] as const) {
      const { code, err } = await command('register', path.join(folder, 'good.graphql'), path.join(folder, file));
      expect([code, err]).toEqual([1, expect.stringMatching(why)]);
    }
    expect((await command('list')).out).not.toContain('good.graphql');
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { createLoaders } from '../../src/loaders/loader.ts';
import { taxpayerLoader } from '../../src/loaders/taxpayer.ts';
import { buildSources } from '../../src/sources/build.ts';
import { createHttpClient } from '../../src/sources/http/client.ts';
import { eraseFromCopy } from '../../src/sources/receita-federal/copy/erase.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { insertSuppression } from '../../src/sources/receita-federal/copy/store/suppressions.ts';
import { suppressionHash } from '../../src/sources/receita-federal/copy/suppression.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import type { SourceDeps } from '../../src/sources/source.ts';
import { cnpjOf, folderOf, monthOf, NOW, roots } from '../sources/receita-copy/support.ts';
import { testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { importParts } from '../support/registry-copy.ts';
import { upstream } from '../support/upstream.ts';

const ABSENT = cnpjOf('99999999');
const SECRET = 'a secret of this test';
/** Time after which the process reads the version that answers again. */
const POINTER_MS = 6_000;

/** Loaders over a copy of 499 companies, and a mirror that has none. */
async function setup(mode: string, { isLoaded = true } = {}) {
  const mirror = await upstream((path) => ({ status: 404, body: { message: `CNPJ ${masked(path.slice(1))} não encontrado.` } }));
  const db = await testDb();
  const { log } = memoryLog();
  const clock = { now: NOW };
  const now = () => clock.now;
  const deps: Partial<SourceDeps> = {
    address: (setting) => ({ url: setting === 'QUIPU_RECEITA_URL' ? mirror.url : '', origin: 'given' }),
    setting: () => mode,
    http: () => createHttpClient({ source: 'receita_federal', concurrency: 16, now, random: () => 0, log }),
    db: db.knex,
    keySecret: SECRET,
    now,
    random: () => 0,
    log,
  };
  const sources = buildSources([receitaFederal], () => deps as SourceDeps);
  onTestFinished(async () => {
    await sources.close();
    await db.close();
  });
  const parts = importParts({ db: db.knex, origin: 'publisher', secret: SECRET, now });
  const load = async (date: string) => {
    await importFolder(await folderOf(monthOf(499), date), parts);
    clock.now += POINTER_MS;
  };
  const erase = async (root: string) => {
    const one = { kind: 'company', root } as const;
    const entry = { hash: suppressionHash(SECRET)(one), kind: one.kind, note: null, createdAt: NOW };
    await eraseFromCopy(parts, one, () => insertSuppression(db.knex, entry).then(() => undefined));
    clock.now += POINTER_MS;
  };
  if (isLoaded) await load('D61014');
  const statements: string[] = [];
  db.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  const loaders = createLoaders(sources.use, now);
  const ask = (cnpj: string) => loaders.scope()(taxpayerLoader, { country: 'BR', taxId: cnpj });
  return { mirror, statements, ask, load, erase, loaders };
}

const masked = (cnpj: string): string => cnpj.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5');

describe('the taxpayers of Brazil in the mode copy', () => {
  it('cost one SQL statement for 500 companies beside those that select the version and read its names of codes, and no call of a mirror', async () => {
    const { mirror, statements, loaders } = await setup('copy');
    const load = loaders.scope();
    const cnpjs = [...roots(499).map((root) => cnpjOf(root)), ABSENT];
    const answers = await Promise.all(cnpjs.map((taxId) => load(taxpayerLoader, { country: 'BR', taxId })));
    expect(statements.filter((sql) => sql.includes('receita_companies_v'))).toHaveLength(1);
    expect(statements.length).toBe(3);
    expect(mirror.asked).toEqual([]);
    expect(answers.map(({ value }) => value.record !== null)).toEqual(cnpjs.map((cnpj) => cnpj !== ABSENT));
    expect(answers[0]).toMatchObject({ value: { mirror: 'registry_copy' }, freshness: { dataAsOf: '2026-10-14' } });
    expect(answers[499]).toMatchObject({ value: { record: null, mirror: null }, freshness: { dataAsOf: '2026-10-14' } });
  });

  it('are a failed source while no version is loaded', async () => {
    const { ask, mirror } = await setup('copy', { isLoaded: false });
    await expect(ask(ABSENT)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(mirror.asked).toEqual([]);
  });
});

describe('the taxpayers of Brazil in the mode copy-then-live', () => {
  it('are looked up at the mirrors only if the copy lacks them', async () => {
    const { ask, mirror } = await setup('copy-then-live');
    expect((await ask(cnpjOf('99100000'))).value).toMatchObject({ mirror: 'registry_copy' });
    expect(mirror.asked).toEqual([]);
    expect((await ask(ABSENT)).value.record).toBeNull();
    expect(mirror.asked).toContain(`/${ABSENT}`);
  });

  it('are never looked up at the mirrors for a company that the operator has erased, also after the next import', async () => {
    const { ask, erase, load, mirror } = await setup('copy-then-live');
    await erase('99100000');
    await expect(ask(cnpjOf('99100000'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await load('D61114');
    await expect(ask(cnpjOf('99100000'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect((await ask(cnpjOf('99100001'))).freshness.dataAsOf).toBe('2026-11-14');
    expect(mirror.asked).toEqual([]);
  });

  it('are not answered from the cache after an erasure', async () => {
    const { ask, erase } = await setup('copy-then-live');
    await ask(ABSENT); // the process reads the version that answers
    expect((await ask(cnpjOf('99100000'))).value.record).not.toBeNull();
    await erase('99100000');
    await ask(cnpjOf('99100001')); // and reads it again
    await expect(ask(cnpjOf('99100000'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('are looked up at the mirrors while no version is loaded', async () => {
    const { ask, mirror } = await setup('copy-then-live', { isLoaded: false });
    expect((await ask(ABSENT)).value.record).toBeNull();
    expect(mirror.asked).toContain(`/${ABSENT}`);
  });
});

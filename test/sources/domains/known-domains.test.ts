import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDb } from '../../../src/db/knex.ts';
import { knownDomains } from '../../../src/sources/domains/known-domains.ts';
import type { DomainOwner } from '../../../src/sources/domains/owner.ts';
import { createDomainStore } from '../../../src/sources/domains/store.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { tempFolder } from '../../support/files.ts';
import { memoryLog } from '../../support/log.ts';

let database: TestDb;
let now = 0;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());
beforeEach(async () => {
  now = Date.parse('2026-11-21T12:00:00Z');
  await database.knex('domain_owners').delete();
});

const HOUR = 3_600_000;
const ACME = { country: 'CL', taxId: '763609030' } as const;
const OTHER = { country: 'CL', taxId: '763718646' } as const;
const key = (domain: string, start: string | null = null) => ({ domain, start });

const found = (domain: string, more: Partial<DomainOwner> = {}): DomainOwner => ({
  domain,
  company: ACME,
  confidence: 0.95,
  method: 'site',
  evidence: { url: `https://${domain}/`, snippet: 'RUT 76.360.903-0', kind: 'footer' },
  candidates: [{ company: ACME, confidence: 0.95, evidence: { url: `https://${domain}/`, snippet: 'RUT', kind: 'footer' } }],
  reason: null,
  ...more,
});
const nobody = (domain: string) => found(domain, { company: null, confidence: 0, evidence: null, candidates: [], reason: 'not_named' });

/** Creates the source with a log in memory and the given file setting. */
function source({ file = '', origin = 'live', db = database.knex }: { file?: string; origin?: 'live' | 'sandbox'; db?: Knex } = {}) {
  const { log, lines } = memoryLog();
  const never = (): never => {
    throw new Error('known domains ask nobody');
  };
  const known = knownDomains.create({
    address: never,
    setting: () => file,
    http: never,
    get outbound(): never {
      return never();
    },
    dns: {
      mx: never,
      txt: never,
      ns: never,
      addresses: never,
      health: () => ({ origin, circuit: 'closed', lastSuccessAt: null, lastErrorAt: null, lastError: null, recentCalls: null }),
    },
    db,
    now: () => now,
    random: never,
    log,
    tempDir: '',
  });
  onTestFinished(() => known.close?.());
  return { known, lines };
}

const store = () => createDomainStore(database.knex, () => now);
const companyOf = async (known: ReturnType<typeof source>['known'], domain: string, start: string | null = null) =>
  (await known.find([key(domain, start)]))[0]?.company?.taxId ?? null;

async function csv(text: string): Promise<string> {
  const file = path.join(await tempFolder(), 'domains.csv');
  await writeFile(file, text);
  return file;
}

describe('a known domain', () => {
  it('is returned as stored until it expires', async () => {
    const { known } = source();
    await known.keep(key('a.cl'), found('a.cl'), HOUR);
    now += HOUR - 1;
    expect(await known.find([key('b.cl'), key('a.cl')])).toEqual([
      null,
      { ...found('a.cl'), start: '', setBy: null, foundAt: now - HOUR + 1, expiresAt: now + 1 },
    ]);
    now += 1;
    expect(await known.find([key('a.cl')])).toEqual([null]);
  });

  it('costs one statement for many keys', async () => {
    const { known } = source();
    const statements: string[] = [];
    const listen = ({ sql }: { sql: string }) => statements.push(sql);
    database.knex.on('query', listen);
    await known.find(Array.from({ length: 100 }, (_, i) => key(`d${i}.cl`)));
    database.knex.off('query', listen);
    expect(statements).toHaveLength(1);
  });

  it('is overwritten when it is determined again', async () => {
    const { known } = source();
    await known.keep(key('a.cl'), nobody('a.cl'), HOUR);
    expect((await known.find([key('a.cl')]))[0]).toMatchObject({ company: null, reason: 'not_named' });
    await known.keep(key('a.cl'), found('a.cl'), HOUR);
    expect(await companyOf(known, 'a.cl')).toBe(ACME.taxId);
  });

  it('holds for every page of its site, while a result for a page holds for that page only', async () => {
    const { known } = source();
    await known.keep(key('a.cl', 'https://a.cl/users/x'), found('a.cl', { company: OTHER }), HOUR);
    expect([await companyOf(known, 'a.cl'), await companyOf(known, 'a.cl', 'https://a.cl/users/x')]).toEqual([null, OTHER.taxId]);
    await known.keep(key('a.cl'), found('a.cl'), HOUR);
    expect(await companyOf(known, 'a.cl', 'https://a.cl/other')).toBe(ACME.taxId);
    expect(await companyOf(known, 'a.cl', 'https://a.cl/users/x')).toBe(OTHER.taxId);
  });

  it('without a company does not hold for a page of its site', async () => {
    const { known } = source();
    await known.keep(key('a.cl'), nobody('a.cl'), HOUR);
    expect(await known.find([key('a.cl', 'https://a.cl/legal')])).toEqual([null]);
  });

  it('found in the domain registry holds for every page', async () => {
    const { known } = source();
    await known.keep(key('a.com.br', 'https://a.com.br/x'), found('a.com.br', { method: 'rdap' }), HOUR);
    expect(await companyOf(known, 'a.com.br')).toBe(ACME.taxId);
  });

  it('determined in the sandbox is not returned in live mode', async () => {
    await source({ origin: 'sandbox' }).known.keep(key('a.cl'), found('a.cl'), HOUR);
    expect(await companyOf(source({ origin: 'live' }).known, 'a.cl')).toBeNull();
    expect(await companyOf(source({ origin: 'sandbox' }).known, 'a.cl')).toBe(ACME.taxId);
  });

  it('set by an operator replaces determined owners and never expires', async () => {
    const { known } = source();
    await known.keep(key('a.cl'), found('a.cl'), HOUR);
    await known.keep(key('a.cl', 'https://a.cl/x'), found('a.cl'), HOUR);
    await store().set([{ domain: 'a.cl', company: OTHER }], 'command');
    now += 10_000 * HOUR;
    await known.keep(key('a.cl'), found('a.cl'), HOUR);
    expect(await known.find([key('a.cl'), key('a.cl', 'https://a.cl/x')])).toMatchObject([
      { company: OTHER, method: 'known', confidence: 1, evidence: null, candidates: [], setBy: 'command', expiresAt: null },
      { company: OTHER, method: 'known' },
    ]);
  });

  it('can be listed and deleted', async () => {
    const { known } = source();
    await known.keep(key('b.cl'), found('b.cl'), HOUR);
    await known.keep(key('b.cl', 'https://b.cl/x'), found('b.cl'), HOUR);
    await store().set([{ domain: 'a.cl', company: OTHER }], 'command');
    expect((await store().list()).map(({ domain }) => domain)).toEqual(['a.cl', 'b.cl', 'b.cl']);
    expect(await store().get('b.cl')).toHaveLength(2);
    expect([await store().forget('b.cl'), await store().forget('b.cl')]).toEqual([2, 0]);
    expect(await companyOf(known, 'b.cl')).toBeNull();
  });

  it('UP-11 is deleted from the table after it expires', async () => {
    const { known } = source();
    for (let i = 0; i < 30; i += 1) await known.keep(key(`d${i}.cl`), nobody(`d${i}.cl`), HOUR);
    now += HOUR;
    for (let i = 0; i < 3; i += 1) await known.keep(key(`e${i}.cl`), nobody(`e${i}.cl`), HOUR);
    expect(await database.knex('domain_owners').count()).toEqual([{ count: '3' }]);
  });

  it('is refused while the database is away, and a failed write is only logged', async () => {
    const db = createDb('postgres://nobody@127.0.0.1:1/none');
    onTestFinished(() => db.destroy());
    const { known, lines } = source({ db });
    await expect(known.find([key('a.cl')])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await known.status()).toMatchObject({ name: 'known_domains', lastError: 'unreadable' });
    await known.keep(key('a.cl'), found('a.cl'), HOUR);
    expect(await known.status()).toMatchObject({ lastError: 'unwritable' });
    expect(lines.map(({ msg }) => msg)).toEqual(['what was found of a domain could not be kept']);
  });
});

describe('the file of known domains', () => {
  it('is imported at start, before the first lookup is answered', async () => {
    const { known, lines } = source({ file: await csv('domain,identifier\nwww.A.cl,76.360.903-0\nb.com.br,11.222.333/0001-81\n') });
    expect(await known.find([key('a.cl'), key('b.com.br')])).toMatchObject([
      { company: ACME, setBy: 'file', confidence: 1 },
      { company: { country: 'BR', taxId: '11222333000181' } },
    ]);
    expect(lines.at(-1)).toMatchObject({ msg: 'QUIPU_DOMAINS_FILE was taken over', domains: 2 });
    expect(await known.status()).toMatchObject({ lastError: null, lastSuccessAt: now });
  });

  it('does not overwrite what the command set, while the command overwrites the file', async () => {
    await store().set([{ domain: 'a.cl', company: OTHER }], 'command');
    const { known } = source({ file: await csv('domain,identifier\na.cl,76.360.903-0\nb.cl,76.360.903-0\nb.cl,76.333.980-7\n') });
    expect([await companyOf(known, 'a.cl'), await companyOf(known, 'b.cl')]).toEqual([OTHER.taxId, '763339807']);
    await store().set([{ domain: 'b.cl', company: OTHER }], 'command');
    expect(await companyOf(known, 'b.cl')).toBe(OTHER.taxId);
  });

  it('may have semicolons, a byte order mark, quotes and blank lines; invalid lines are logged by number and left out', async () => {
    const text = '\ufeffDomain;Identifier\n"a.cl"; 76.360.903-0\n\nempresa.com;76.360.903-0\nb.cl;76.360.903-1\nc.cl\n';
    const { known, lines } = source({ file: await csv(text) });
    expect(await companyOf(known, 'a.cl')).toBe(ACME.taxId);
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([
      { line: 4, problem: expect.stringContaining('.cl and .br') },
      { line: 5, problem: expect.stringContaining('should be 0') },
      { line: 6, problem: expect.stringContaining('A RUT has') },
    ]);
    expect(await known.status()).toMatchObject({ lastError: 'wrong_lines', usable: true });
  });

  it.each([
    ['another header', 'dominio,rut\na.cl,76.360.903-0\n', /to read domain,identifier/],
    ['no header', '', /to read domain,identifier/],
    ['an open quote', 'domain,identifier\n"a.cl,76.360.903-0\n', /quote/],
  ])('with %s is logged and sets nothing', async (_, text, problem) => {
    const { known, lines } = source({ file: await csv(text) });
    expect(await companyOf(known, 'a.cl')).toBeNull();
    expect(lines).toContainEqual(expect.objectContaining({ line: 1, problem: expect.stringMatching(problem) }));
  });

  it('that is missing is logged, and the table still answers', async () => {
    await store().set([{ domain: 'a.cl', company: OTHER }], 'command');
    const { known, lines } = source({ file: path.join(await tempFolder(), 'none.csv') });
    expect(await companyOf(known, 'a.cl')).toBe(OTHER.taxId);
    expect(lines).toMatchObject([{ level: 50, msg: expect.stringMatching(/^QUIPU_DOMAINS_FILE: this file cannot be used/) }]);
    expect(await known.status()).toMatchObject({ lastError: 'file_unusable' });
  });
});

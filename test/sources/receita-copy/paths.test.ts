import { describe, expect, it } from 'vitest';
import { type ProbableIdentity, readIdentities } from '../../../src/sources/receita-federal/copy/identity.ts';
import { type PathQuery, type RegistryPath, readPaths } from '../../../src/sources/receita-federal/copy/paths.ts';
import type { ReceitaCopy } from '../../../src/sources/receita-federal/copy/reader.ts';
import { OWN } from '../../support/own-numbers.ts';
import { randomOf } from '../../support/random.ts';
import { type Cells, cnpjOf, copyDb, type Files, folderOf, monthOf, partner, roots } from './support.ts';

const { copy } = copyDb();
const [A = '', B = '', C = '', D = ''] = roots(4);

const loaded = async (files: Files) => {
  const own = copy();
  await own.load(await folderOf(files));
  return own.reader();
};

const owner = (owned: string, document: string): Cells => partner(owned, 'NOME DO ARQUIVO', { 1: '1', 3: document, 4: '22' });
const person = (owned: string, name: string, digits: number): Cells =>
  partner(owned, name, { 3: `***${String(digits).padStart(6, '0')}**` });

async function path(reader: ReceitaCopy, query: Partial<PathQuery>, limits?: Parameters<typeof readPaths>[2]): Promise<RegistryPath> {
  const { value } = await readPaths(reader, [{ from: A, to: B, maxDepth: 4, people: true, ...query }], limits);
  const [found] = value;
  if (!found) throw new Error('every query has a result');
  return found;
}

/** The owner of each edge, a CNPJ or a masked CPF, and its company. */
const edgesOf = ({ edges }: RegistryPath) =>
  edges.map(({ owner, owned }) => ['company' in owner ? owner.company.cnpj : owner.identity.identifier, owned.cnpj]);

describe('a path between two companies', () => {
  it('follows edges in both directions, through a common owner and a common company', async () => {
    const reader = await loaded({ ...monthOf(4), Socios0: [owner(A, C), owner(B, cnpjOf(C)), owner(D, A), owner(D, cnpjOf(B, '0002'))] });
    const up = await path(reader, {});
    expect(up).toMatchObject({ status: 'found', stoppedBy: null, isFromKnown: true, isToKnown: true, unreadPartners: 0 });
    expect(edgesOf(up)).toEqual([
      [cnpjOf(C), cnpjOf(A)],
      [cnpjOf(C), cnpjOf(B)],
    ]);
    expect(edgesOf(await path(reader, { from: C, to: D }))).toHaveLength(2);
  });

  it('does not go through companies whose document is the masked CPF of somebody', async () => {
    const reader = await loaded({ ...monthOf(2), Socios0: [owner(A, '***123456**'), owner(B, '***123457**')] });
    expect(await path(reader, {})).toMatchObject({ status: 'none_within_limits', visitedCompanies: 2 });
  });

  it('goes through a person with the same digits and name, whose name may be spelled differently, and states the identity', async () => {
    const reader = await loaded({
      ...monthOf(2),
      Socios0: [person(A, "JOSÉ  D'ÁVILA", 123_456), person(B, 'JOSE D AVILA', 123_456)],
    });
    const found = await path(reader, {});
    expect(found).toMatchObject({ status: 'found', visitedCompanies: 2, visitedPeople: 1 });
    expect(found.edges.map(({ owner }) => owner)).toMatchObject([
      {
        name: expect.stringMatching(/^JOS/),
        identity: { identifier: '***123456**', name: 'JOSE D AVILA', namesakes: 1, expectedOthers: 0 },
      },
      { identity: { identifier: '***123456**', name: 'JOSE D AVILA' } },
    ]);
    expect(await path(reader, { people: false })).toMatchObject({ status: 'none_within_limits', edges: [], visitedPeople: 0 });
  });

  it.each([
    ['with the same digits and another name', person(B, 'ANA DE FULANO', 101)],
    ['with the same name and other digits', person(B, 'ANA DE TAL', 102)],
    ['with the same name and no document', partner(B, 'ANA DE TAL', { 3: '***000000**' })],
  ])('does not go through two people %s', async (_, other) => {
    const reader = await loaded({ ...monthOf(2), Socios0: [person(A, 'ANA DE TAL', 101), other] });
    expect(await path(reader, {})).toMatchObject({ status: 'none_within_limits' });
  });

  it('does not go through people without a name', async () => {
    const reader = await loaded({
      ...monthOf(30),
      Socios0: [
        person(A, '', 101),
        person(B, '', 101),
        ...roots(30)
          .slice(2)
          .map((root) => partner(root)),
      ],
    });
    expect(await path(reader, {})).toMatchObject({ status: 'none_within_limits', visitedPeople: 0 });
  });

  it('is empty between branches of one company, and ends in cycles', async () => {
    const reader = await loaded({ ...monthOf(4), Socios0: [owner(A, A), owner(A, C), owner(C, A)] });
    expect(await path(reader, { to: A })).toMatchObject({ status: 'found', edges: [] });
    expect(await path(reader, { maxDepth: 6 })).toMatchObject({ status: 'none_within_limits', visitedCompanies: 3 });
  });

  it('is not longer than the depth, and may be as long', async () => {
    const reader = await loaded({ ...monthOf(4), Socios0: [owner(C, A), owner(D, C), owner(B, D)] });
    expect(await path(reader, { maxDepth: 2 })).toMatchObject({ status: 'none_within_limits' });
    expect(edgesOf(await path(reader, { maxDepth: 3 }))).toEqual([
      [cnpjOf(A), cnpjOf(C)],
      [cnpjOf(C), cnpjOf(D)],
      [cnpjOf(D), cnpjOf(B)],
    ]);
  });

  it('goes through a company without a record, and says which of its ends have none', async () => {
    const reader = await loaded({ ...monthOf(2), Socios0: [owner(A, '98000001'), owner(B, '98000001')] });
    expect((await path(reader, {})).edges[0]?.owner).toEqual({
      company: { cnpj: cnpjOf('98000001'), name: null, registration: null },
    });
    expect(await path(reader, { to: '98000009' })).toMatchObject({ status: 'none_within_limits', isFromKnown: true, isToKnown: false });
  });

  it('is stopped after the nodes, and after the time', async () => {
    const many = roots(3_000).slice(2);
    const reader = await loaded({ ...monthOf(3_000), Socios0: many.flatMap((root) => [owner(root, A), owner(root, B)]) });
    const few = { maxNodes: 1_000, maxMs: 60_000 };
    expect(await path(reader, { from: many[0] ?? '', to: many[1] ?? '' }, few)).toMatchObject({ status: 'found', visitedCompanies: 4 });
    const stopped = await path(reader, { from: A, to: '98000001' }, few);
    expect(stopped).toMatchObject({ status: 'stopped', stoppedBy: 'node_limit', edges: [] });
    expect(stopped.visitedCompanies).toBeLessThan(2_100); // the edges of one statement are twice the nodes
    expect(await path(reader, {}, { maxNodes: 20_000, maxMs: 0 })).toMatchObject({ status: 'stopped', stoppedBy: 'time', edges: [] });
  }, 60_000);

  it('CG-03 has the length that a plain search over the rows finds, for 500 pairs in a random graph of 1,500 companies', async () => {
    const random = randomOf(11);
    const some = roots(1_500);
    const pick = (): string => some[Math.floor(random() * random() * some.length)] ?? A;
    const companies = Array.from({ length: 1_200 }, () => ({ owned: pick(), by: pick(), isCompany: true }));
    const people = Array.from({ length: 1_200 }, () => ({ owned: pick(), by: String(Math.floor(random() * 450)), isCompany: false }));
    const rows = [...companies, ...people];
    const reader = await loaded({
      ...monthOf(some.length),
      Socios0: rows.map(({ owned, by, isCompany }) =>
        isCompany ? owner(owned, random() < 0.5 ? by : cnpjOf(by)) : person(owned, `PESSOA ${by}`, Number(by)),
      ),
    });
    const pairs = Array.from({ length: OWN['CG-03'].pairs }, () => ({ from: pick(), to: pick(), maxDepth: 6, people: true }));
    for (const withPeople of [true, false]) {
      const neighbours = new Map<string, string[]>();
      const join = (one: string, other: string) => neighbours.set(one, [...(neighbours.get(one) ?? []), other]);
      for (const { owned, by, isCompany } of rows.filter((row) => withPeople || row.isCompany)) {
        const node = isCompany ? by : `person ${by}`;
        join(owned, node);
        join(node, owned);
      }
      const { value } = await readPaths(
        reader,
        pairs.map((pair) => ({ ...pair, people: withPeople })),
        { maxNodes: 20_000, maxMs: 60_000 },
      );
      const expected = pairs.map(({ from, to }) => distance(neighbours, from, to, 6));
      expect(expected.filter((length) => length !== null).length).toBeGreaterThan(100);
      expect(value.map(({ status, edges }) => (status === 'found' ? edges.length : null))).toEqual(expected);
      for (const [i, found] of value.entries()) expectPath(found, pairs[i] ?? { from: '', to: '' });
    }
  }, 120_000);
});

/** Number of edges between two nodes by a search from one end; null if there are more than `max`. */
function distance(neighbours: ReadonlyMap<string, readonly string[]>, from: string, to: string, max: number): number | null {
  const seen = new Set([from]);
  let level = [from];
  for (let length = 0; length <= max; length += 1) {
    if (level.includes(to)) return length;
    level = [...new Set(level.flatMap((node) => neighbours.get(node) ?? []))].filter((node) => !seen.has(node));
    for (const node of level) seen.add(node);
  }
  return null;
}

/** Expects that each edge has a node in common with the one before, and that the ends are those of the query. */
function expectPath(found: RegistryPath, { from, to }: { readonly from: string; readonly to: string }): void {
  if (found.status !== 'found') return;
  let at = cnpjOf(from);
  for (const [owner = '', owned = ''] of edgesOf(found)) {
    expect([owner, owned]).toContain(at);
    at = at === owner ? owned : owner;
  }
  expect(at).toBe(cnpjOf(to));
}

describe('the identity of a person', () => {
  const identityOf = async (reader: ReceitaCopy, document: string, name: string): Promise<ProbableIdentity | null> =>
    (await readIdentities(reader, [{ document, name }])).value[0] ?? null;

  it('is null without a name', async () => {
    const reader = await loaded(monthOf(2));
    expect(await identityOf(reader, '***000101**', ' ')).toBeNull();
  });

  it('counts the different CPFs of the name in the region, and not the rows', async () => {
    const rows = [person(A, 'MARIA SILVA', 100_001), person(B, 'MARIA SILVA', 100_001), person(C, 'MARÍA  SILVA', 200_001)];
    const reader = await loaded({ ...monthOf(4), Socios0: [...rows, person(D, 'MARIA SILVA', 300_002)] });
    expect(await identityOf(reader, '***100001**', 'Maria Silva')).toEqual({
      identifier: '***100001**',
      name: 'MARIA SILVA',
      namesakes: 2,
      expectedOthers: expect.closeTo(1e-5, 8),
    });
    expect(await identityOf(reader, '***300002**', 'MARIA SILVA')).toMatchObject({ namesakes: 1, expectedOthers: 0 });
  });

  it('CG-05 expects as many other people as there are, within 20 %, for people whose identity is known', async () => {
    const random = randomOf(3);
    const buckets = [6_000, 20_000, 40_000];
    const people = buckets.flatMap((count, bucket) =>
      Array.from({ length: count }, () => ({ bucket, digits: Math.floor(random() * 100_000) * 10 + 7 })),
    );
    const reader = await loaded({ ...monthOf(4), Socios0: people.map(({ bucket, digits }) => person(A, `JOAO SANTOS ${bucket}`, digits)) });
    for (const [bucket] of buckets.entries()) {
      const own = people.filter((one) => one.bucket === bucket);
      const byDigits = Map.groupBy(own, ({ digits }) => digits);
      const others = own.reduce((sum, { digits }) => sum + (byDigits.get(digits)?.length ?? 1) - 1, 0) / own.length;
      const stated = (await identityOf(reader, '***000007**', `JOAO SANTOS ${bucket}`))?.expectedOthers ?? 0;
      expect(Math.abs(stated / others - 1), `bucket ${bucket}: ${stated} stated, ${others} counted`).toBeLessThan(0.2);
    }
  }, 60_000);
});

import { expect, it } from 'vitest';
import { below, pickOf, seeded } from '../../support/damage.ts';
import { madeUpRows, plainOwners } from './made-up.ts';
import { edge, fileOf, ownershipDb, rutOf } from './support.ts';

const { copy } = ownershipDb();

it('300 look-ups of owners and 300 of owned companies equal a plain computation over the rows', { timeout: 60_000 }, async () => {
  const random = seeded(300);
  const rows = madeUpRows(random, 4_000);
  const truth = plainOwners(rows);
  const source = copy();
  expect(await source.load(fileOf(rows))).toMatchObject({ outcome: 'loaded' });

  const ruts = Array.from({ length: 300 }, () => pickOf(random, [...truth.keys()]));
  const { of } = await source.compositions(ruts);
  for (const rut of ruts) {
    const { companies, people, isComplete } = of(rut);
    const owners = [...companies.map((one) => `${one.rut} ${one.share ?? '?'}`), ...(people ? [`people ${people.share ?? '?'}`] : [])];
    expect({ rut, owners: new Set(owners), isComplete }).toEqual({
      rut,
      owners: truth.get(rut)?.owners,
      isComplete: truth.get(rut)?.isWhole,
    });
  }

  const ownedBy = (owner: string) =>
    [...truth].flatMap(([rut, { owners }]) =>
      [...owners].flatMap((one) => (one.startsWith(`${owner} `) ? [`${rut} ${one.split(' ')[1]}`] : [])),
    );
  const first = 1 + below(random, 3);
  const { pages } = await source.owned(ruts.map((owner) => ({ owner, first, after: null })));
  for (const [i, owner] of ruts.entries()) {
    const all = ownedBy(owner).toSorted((one, other) => Number(one.slice(0, 8)) - Number(other.slice(0, 8)));
    const page = pages[i];
    expect({ owner, items: page?.items.map((one) => `${one.rut} ${one.share ?? '?'}`), hasMore: page?.hasMore }).toEqual({
      owner,
      items: all.slice(0, first),
      hasMore: all.length > first,
    });
  }
});

it('The share of an owner with several rows has one form as an owner and as an owned company.', async () => {
  const [A, B, C] = [76_900_001, 76_900_014, 76_900_028];
  const source = copy();
  await source.load(fileOf([edge(C, A, '66,7'), edge(C, A, '33,3'), edge(B, A, '33,25'), edge(B, A, '33,25')]));
  const [page] = (await source.owned([{ owner: rutOf(A), first: 5, after: null }])).pages;
  for (const [number, share] of [
    [B, '66.5'],
    [C, '100'],
  ] as const) {
    expect((await source.of(number)).companies).toEqual([{ rut: rutOf(A), share }]);
    expect(page?.items).toContainEqual({ rut: rutOf(number), share });
  }
});

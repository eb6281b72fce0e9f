import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { refuseDeletions } from '../../support/refuse-writes.ts';
import { A, asOf, B, C, changesOf, codeOf, countsIn, D, DAY, historyOf, UNCHANGED, YEAR_LATER } from './comparing.ts';
import { edge, fileOf, ownershipDb, people, rutOf } from './support.ts';

const { copy, db } = ownershipDb();
const { counted, compared } = countsIn(() => db().knex);

/** Loads two files of two years. A local file has no date, so its date is that of its load. */
async function loadTwo(before: readonly string[], after: readonly string[]) {
  const clock = { now: DAY };
  const source = copy({ now: () => clock.now });
  await source.load(fileOf([...UNCHANGED, ...before]));
  clock.now = YEAR_LATER;
  const result = await source.load(fileOf([...UNCHANGED, ...after]), true);
  return { source, result, clock };
}

describe('the differences between two files of owners', () => {
  it.each([
    ['an owner that joined', [people(B, '100')], [people(B, '60'), edge(B, C, '40')], ['partner_joined', { rut: rutOf(C) }, null, '40']],
    ['an owner that left', [people(B, '60'), edge(B, C, '40')], [people(B, '100')], ['partner_left', { rut: rutOf(C) }, '40', null]],
    ['a share that changed', [edge(B, C, '40')], [edge(B, C, '55,5')], ['partner_share', { rut: rutOf(C) }, '40', '55.5']],
    ['a share that became unknown', [edge(B, C, '40')], [edge(B, C, '')], ['partner_share', { rut: rutOf(C) }, '40', null]],
    ['natural persons that joined', [edge(B, C, '40')], [edge(B, C, '40'), people(B, '60')], ['partner_joined', 'people', null, '60']],
    ['natural persons that left', [edge(B, C, '40'), people(B, '')], [edge(B, C, '40')], ['partner_left', 'people', null, null]],
    ['the joint share of natural persons', [people(B, '60')], [people(B, '70')], ['partner_share', 'people', '60', '70']],
    ['a company with owners for the first time', [], [edge(B, C, '40'), people(B, '60')], ['registered', null, null, null]],
    ['a company without owners in the file', [edge(B, C, '40'), people(B, '60')], [], ['removed', null, null, null]],
  ] as const)('have %s', async (_, before, after, change) => {
    const { source } = await loadTwo(before, after);
    expect(await changesOf(source, B)).toContainEqual(change);
  });

  it('have the dates of both files, and are empty for a company that did not change', async () => {
    const { source } = await loadTwo([edge(B, C, '40')], [edge(B, C, '50')]);
    const dates = { extractFrom: '2025-11-25', extractTo: '2026-11-26' };
    expect(await historyOf(source, B)).toMatchObject({ changes: [dates], coveredFrom: '2025-11-25', coveredTo: '2026-11-26' });
    expect(await historyOf(source, D)).toEqual({
      changes: [],
      hasMore: false,
      coveredFrom: '2025-11-25',
      coveredTo: '2026-11-26',
      isListed: true,
    });
  });

  it('add up the rows of one owner, and do not depend on their order or on how a share is written', async () => {
    const { source } = await loadTwo([edge(B, C, '33.1'), edge(B, C, '33.2'), people(B, '33.7')], [people(B, '33,70'), edge(B, C, '66,3')]);
    expect(await changesOf(source, B)).toEqual([]);
  });

  it('are pages, newest first', async () => {
    const { source } = await loadTwo([edge(B, C, '40'), people(B, '60')], [edge(B, C, '50'), people(B, '50')]);
    const first = await historyOf(source, B, { first: 1 });
    expect(first).toMatchObject({ changes: [{}], hasMore: true });
    const { seq = 0 } = first && 'changes' in first ? (first.changes[0] ?? {}) : {};
    const second = await historyOf(source, B, { first: 1, after: seq });
    expect(second).toMatchObject({ changes: [{}], hasMore: false });
    expect(second).not.toMatchObject({ changes: [{ seq }] });
  });

  it('are none of the first file, whose owners are the baseline', async () => {
    const source = copy({ now: () => DAY });
    await source.load(fileOf([edge(B, C, '40'), people(B, '60')]));
    expect(codeOf(await historyOf(source, B))).toEqual([
      'NO_RECORD_THEN',
      'The Chilean tax registry publishes the owners of companies once a year. What the service knows of those of this company begins with the file of 2025-11-25.',
    ]);
    expect(await counted()).toBe(0);
  });

  it('are none of a file with the same rows, and of the same file', async () => {
    const { source, result } = await loadTwo([edge(B, C, '40')], [edge(B, C, '40'), '']);
    expect(result).toMatchObject({ outcome: 'loaded' });
    expect(await source.load(fileOf([...UNCHANGED, edge(B, C, '40'), '']))).toMatchObject({ outcome: 'unchanged' });
    expect(await counted()).toBe(0);
  });

  it('are none of a damaged file, which is refused', async () => {
    const clock = { now: DAY };
    const source = copy({ now: () => clock.now });
    await source.load(fileOf([...UNCHANGED, edge(B, C, '40')]));
    clock.now = DAY + DAY_MS;
    const cut = fileOf([...UNCHANGED, edge(B, C, '50'), edge(C, D, '70')]).slice(0, -30);
    expect(await source.load(cut)).toMatchObject({ outcome: 'refused' });
    expect(await counted()).toBe(0);
    expect(await source.of(B)).toMatchObject({ companies: [{ share: '40' }] });
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
  });

  it('are unknown for a company of which a row could not be read in one of the files', async () => {
    const unreadable = edge(B, A, '60').replace('76900001;1', '76900001;2');
    const { source } = await loadTwo([unreadable, people(B, '40'), edge(C, A, '1')], [edge(B, A, '60'), people(B, '40'), edge(C, A, '2')]);
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
    expect(await changesOf(source, C)).toEqual([['partner_share', { rut: rutOf(A) }, '1', '2']]);
  });

  it('do not conclude that an owner left from a file with a row that may be about any company', async () => {
    const lost = edge(C, A, '60').replace('76900028;', '7690002;');
    const { source } = await loadTwo([edge(B, A, '60'), people(B, '40')], [lost, people(B, '40')]);
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
  });

  const LOST = edge(C, A, '10').replace('76900028;', '7690002;');

  it.each([
    ['earlier', [LOST, edge(B, A, '60'), people(B, '30')], [edge(B, A, '70'), people(B, '30')]],
    ['later', [edge(B, A, '70'), people(B, '30')], [LOST, edge(B, A, '60'), people(B, '30')]],
  ] as const)('do not conclude that a share changed if the %s file has a row that may be about any company', async (_, before, after) => {
    const { source, result } = await loadTwo(before, after);
    expect(result).toMatchObject({ outcome: 'loaded' });
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
  });

  it('of a version that was rolled back are no history, and are deleted by the next load', async () => {
    const { source } = await loadTwo([edge(B, C, '40')], [edge(B, C, '50')]);
    await source.sync({ rollBack: true });
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
    await source.load(fileOf([...UNCHANGED, edge(B, C, '60')]), true);
    expect(await changesOf(source, B)).toEqual([['partner_share', { rut: rutOf(C) }, '40', '60']]);
    expect(await counted()).toBe(1);
  });
});

describe('comparisons that cannot be deleted after a load', () => {
  it('are logged with the code of the error and deleted by the next load, and the load counts as loaded', async () => {
    const { source, clock } = await loadTwo([edge(B, C, '40')], [edge(B, C, '50')]);
    await source.sync({ rollBack: true });
    const end = await refuseDeletions(db().knex, 'cl_ownership_comparisons');
    try {
      expect(await source.load(fileOf([...UNCHANGED, edge(B, C, '60')]), true)).toMatchObject({ outcome: 'loaded' });
    } finally {
      await end();
    }
    expect((await source.status()).lastError).toBeNull();
    expect(source.lines).toContainEqual(expect.objectContaining({ list: 'cl_ownership', code: '58030' }));
    expect(await compared()).toBe(2);
    clock.now += DAY_MS;
    await source.load(fileOf([...UNCHANGED, edge(B, C, '60')]));
    expect(await compared()).toBe(1);
  });
});

describe('the owners of a company at a date', () => {
  it.each([
    ['joined', [people(B, '100')], [people(B, '60'), edge(B, C, '40')]],
    ['left', [people(B, '60'), edge(B, C, '40')], [people(B, '100')]],
    ['changed', [people(B, '60'), edge(B, C, '40')], [people(B, ''), edge(B, C, '45.5')]],
    ['were published', [], [people(B, '60'), edge(B, C, '40')]],
    ['were withdrawn', [people(B, '60'), edge(B, C, '40')], []],
  ] as const)('are those of the last file up to it, if they %s since then', async (_, before, after) => {
    const first = copy({ now: () => DAY });
    await first.load(fileOf([...UNCHANGED, ...before]));
    const expected = await first.of(B);
    await db().knex.raw('TRUNCATE registries CASCADE');
    const { source } = await loadTwo(before, after);
    expect(await asOf(source, B, '2026-11-25')).toEqual({ composition: expected, filedOn: '2025-11-25' });
    expect(await asOf(source, B, DAY)).toEqual({ composition: expected, filedOn: '2025-11-25' });
    expect(await asOf(source, B, YEAR_LATER)).toEqual({ composition: await source.of(B), filedOn: '2026-11-26' });
  });

  it('are not known before the first file', async () => {
    const { source } = await loadTwo([people(B, '60')], [people(B, '100')]);
    expect(codeOf(await asOf(source, B, '2025-11-24'))).toEqual([
      'NO_RECORD_THEN',
      'The Chilean tax registry publishes the owners of companies once a year. What the service knows of those of this company begins with the file of 2025-11-25.',
    ]);
  });

  it('follow three files', async () => {
    const { source, clock } = await loadTwo([people(B, '60'), edge(B, C, '40')], []);
    clock.now = Date.UTC(2027, 10, 25);
    await source.load(fileOf([...UNCHANGED, people(B, '100')]), true);
    expect(await asOf(source, B, '2025-12-01')).toMatchObject({ composition: { companies: [{ rut: rutOf(C) }], people: { share: '60' } } });
    expect(await asOf(source, B, '2026-12-01')).toMatchObject({ composition: { status: 'not_published' } });
    expect(await asOf(source, B, '2027-12-01')).toMatchObject({ composition: { companies: [], people: { share: '100' } } });
    expect((await changesOf(source, B)).map(([field]) => field)).toEqual(['registered', 'removed']);
  });
});

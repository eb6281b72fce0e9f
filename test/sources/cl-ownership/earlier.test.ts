import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { upstream } from '../../support/upstream.ts';
import { A, asOf, B, C, changesOf, codeOf, countsIn, D, historyOf, UNCHANGED, YEAR_LATER } from './comparing.ts';
import { edge, fileOf, ownershipDb, people } from './support.ts';

const { copy, db, partitions } = ownershipDb();
const { counted } = countsIn(() => db().knex);

/** Starts a publisher of a file of a day. */
const published = (rows: readonly string[], day: string) =>
  upstream(() => ({ headers: { 'last-modified': new Date(`${day}T12:00:00Z`).toUTCString() }, body: fileOf([...UNCHANGED, ...rows]) }));

describe('the file of an earlier year', () => {
  it('is loaded once, before the first file, so that the history begins with it', async () => {
    const earlier = await published([edge(B, C, '40')], '2024-11-25');
    const newest = await published([edge(B, C, '50')], '2025-11-25');
    const source = copy({ url: newest.url, earlierUrl: earlier.url });
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2025-11-25' } });
    expect(await historyOf(source, B)).toMatchObject({ coveredFrom: '2024-11-25', changes: [{ before: '40', after: '50' }] });
    expect(await source.sync()).toMatchObject({ outcome: 'unchanged' });
    expect([earlier.asked.length, newest.asked.length]).toEqual([1, 2]);
  });

  it('is dated by its name, because its server may state the day of the upload', async () => {
    const newest = await published([edge(B, C, '50')], '2025-11-25');
    const uploaded = await published([edge(B, C, '40')], '2026-11-20');
    const source = copy({ url: newest.url, earlierUrl: `${uploaded.url}/composicion_sociedades_2024-11-25.csv` });
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2025-11-25' } });
    expect(await historyOf(source, B)).toMatchObject({ coveredFrom: '2024-11-25', changes: [{ before: '40', after: '50' }] });
  });

  it('is left out without a date', async () => {
    const newest = await published([edge(B, C, '50')], '2025-11-25');
    const undated = await upstream(() => ({ body: fileOf([...UNCHANGED, edge(B, C, '40')]) }));
    const source = copy({ url: newest.url, earlierUrl: undated.url });
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2025-11-25' } });
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
    expect(JSON.stringify(source.lines)).toContain('the name of the file has no date');
  });

  it('delays nothing while it cannot be read', async () => {
    const newest = await published([edge(B, C, '50')], '2025-11-25');
    const broken = await upstream(() => ({ body: '<html>404</html>' }));
    const source = copy({ url: newest.url, earlierUrl: broken.url });
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2025-11-25' } });
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', {}]);
  });
});

describe('the file of an earlier year that could not be loaded', () => {
  /** Companies that stay, so that two files differ by few rows. */
  const MANY = Array.from({ length: 60 }, (_, i) => edge(77_000_000 + i, A, '100'));
  const fileWith = (rows: readonly string[]) => fileOf([...UNCHANGED, ...MANY, ...rows]);
  const LATE = 'the file of an earlier year could not be loaded yet, and the service tries again';

  /** The publisher's file of 2025, which `publish` replaces, and one of 2024 that cannot be read until `heal`. */
  async function setup(before: readonly string[], after: readonly string[]) {
    const state = { body: '<html>404</html>' };
    const headersOf = (day: string) => ({ 'last-modified': new Date(`${day}T12:00:00Z`).toUTCString() });
    const earlier = await upstream(() => ({ headers: headersOf('2024-11-25'), body: state.body }));
    const next = { day: '2025-11-25', body: fileWith(after) };
    const newest = await upstream(() => ({ headers: headersOf(next.day), body: next.body }));
    const clock = { now: YEAR_LATER };
    const source = copy({ url: newest.url, earlierUrl: earlier.url, now: () => clock.now });
    const heal = (body = fileWith(before)) => Object.assign(state, { body });
    const publish = (day: string, rows: readonly string[]) => Object.assign(next, { day, body: fileWith(rows) });
    return { source, clock, heal, publish, asked: () => [earlier.asked.length, newest.asked.length] };
  }

  it('is said to be missing, and tried again by itself at the next sync; the publisher’s file is not', async () => {
    const { source, clock, heal, asked } = await setup([edge(B, C, '40')], [edge(B, C, '50')]);
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', isIncomplete: true, version: { publishedOn: '2025-11-25' } });
    const [version, history] = [source.version(), source.historyVersion()];
    expect(codeOf(await historyOf(source, B))).toMatchObject(['NO_RECORD_THEN', expect.stringContaining(LATE)]);
    expect(codeOf(await asOf(source, B, '2025-01-01'))).toMatchObject(['NO_RECORD_THEN', expect.stringContaining(LATE)]);
    expect(await source.sync()).toMatchObject({ outcome: 'unchanged', isIncomplete: true });
    expect(asked()).toEqual([2, 1]);
    heal();
    expect(await source.sync()).toEqual({ outcome: 'unchanged', version: expect.objectContaining({ publishedOn: '2025-11-25' }) });
    expect([source.version(), asked()]).toEqual([version, [3, 1]]);
    expect(await source.status()).toMatchObject({ lastErrorAt: null, lastError: null }); // the failed attempts before are over
    expect(source.historyVersion()).not.toBe(history); // cached answers without the file are not used any more
    expect(await historyOf(source, B)).toMatchObject({ coveredFrom: '2024-11-25', changes: [{ before: '40', after: '50' }] });
    clock.now += 7 * DAY_MS;
    expect(await source.sync()).toMatchObject({ outcome: 'unchanged' });
    expect([asked(), await partitions()]).toEqual([[3, 2], [expect.stringMatching(/v\d+$/)]]);
  });

  it('does not keep a newer file of the publisher waiting: that is requested after a day', async () => {
    const { source, clock, asked } = await setup([], [edge(B, C, '50')]);
    await source.sync();
    clock.now += DAY_MS;
    expect(await source.sync()).toMatchObject({ outcome: 'unchanged', isIncomplete: true });
    expect(asked()).toEqual([2, 2]);
  });

  it('gives the answers that it gives if it is there from the beginning', async () => {
    const before = [people(B, '60'), edge(B, C, '40'), edge(D, C, '10'), people(D, '90')];
    const after = [people(B, '55'), edge(B, A, '45')];
    const answers = async (source: ReturnType<typeof copy>) => ({
      changes: await Promise.all(
        [B, D].map(async (company) => (await changesOf(source, company)).map((one) => JSON.stringify(one)).toSorted()),
      ),
      earlier: await Promise.all([B, D].map((company) => asOf(source, company, '2025-01-01'))),
    });
    const late = await setup(before, after);
    await late.source.sync();
    late.heal();
    await late.source.sync();
    const found = await answers(late.source);
    await db().knex.raw('TRUNCATE registries CASCADE');
    const early = await setup(before, after);
    early.heal();
    expect(await early.source.sync()).toMatchObject({ outcome: 'loaded' });
    expect(found.changes.flat().length).toBeGreaterThan(3);
    expect(await answers(early.source)).toEqual(found);
  });

  it('is the beginning of the history after the next file, too', async () => {
    const { source, clock, heal } = await setup([edge(B, C, '40')], [edge(B, C, '50')]);
    await source.sync();
    heal();
    await source.sync();
    clock.now += 365 * DAY_MS;
    await source.load(fileWith([edge(B, C, '60')]));
    expect(await historyOf(source, B)).toMatchObject({
      coveredFrom: '2024-11-25',
      changes: [
        { before: '50', after: '60' },
        { before: '40', after: '50' },
      ],
    });
  });

  it('is refused if it is not earlier than the file that answers, or has many more rows, and changes nothing', async () => {
    const { source, heal } = await setup([], [edge(B, C, '50')]);
    await source.sync();
    heal(fileWith(Array.from({ length: 20 }, (_, i) => edge(78_000_000 + i, A, '100'))));
    expect(await source.sync()).toMatchObject({ isIncomplete: true });
    expect(await source.status()).toMatchObject({ lastError: 'shrunk', usable: true });
    const same = await published([edge(B, C, '40')], '2025-11-25');
    const other = copy({ url: same.url, earlierUrl: same.url });
    expect(await other.sync()).toMatchObject({ isIncomplete: true });
    expect(await other.status()).toMatchObject({ lastError: 'not_earlier' });
    expect(await counted()).toBe(0);
  });

  it('is not requested any more once a second file was loaded, with which it cannot be compared', async () => {
    const { source, clock, publish, asked } = await setup([], [edge(B, C, '50')]);
    await source.sync();
    publish('2026-11-25', [edge(B, C, '60')]);
    clock.now += 7 * DAY_MS;
    expect(await source.sync()).toEqual({ outcome: 'loaded', version: expect.objectContaining({ publishedOn: '2026-11-25' }) });
    expect(asked()[0]).toBe(1);
  });
});

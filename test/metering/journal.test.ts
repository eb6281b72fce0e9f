import { randomUUID } from 'node:crypto';
import { appendFile, copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeEntry } from '../../src/metering/journal/entries.ts';
import { openProcessFolder } from '../../src/metering/journal/folder.ts';
import type { Claim } from '../../src/metering/store/idempotency-keys.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import type { UsageRecord } from '../../src/metering/store/usage-records.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { journalOfTest, KEY_SECRET, recordingProcess } from '../support/usage-journal.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(() => db.knex.raw('TRUNCATE usage_events, usage_counters'));

const AT = Date.UTC(2026, 10, 21);
const KEY_ID = '00000000-0000-4000-8000-000000000001';
const use = (question = 'q', claim?: Claim, startedAt = AT): UsageRecord =>
  usageRecordOf({ keyId: KEY_ID, requestId: randomUUID(), startedAt, claim }, 'kyb', question);
const uses = (count: number): readonly UsageRecord[] => Array.from({ length: count }, () => use());
const counted = async () => Number((await db.knex('usage_counters').first())?.used ?? 0);
const journalsIn = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith('.journal')).sort();

describe('the usage journal', () => {
  it('has a record on the disk when it resolves, in the database after a drain, and no file then', async () => {
    const journal = await journalOfTest(db.knex);
    await Promise.all(uses(300).map(journal.record));
    const [file = '', ...others] = await journalsIn(journal.own);
    expect(others).toEqual([]);
    expect((await readFile(path.join(journal.own, file), 'utf8')).split('\n')).toHaveLength(301);
    expect(await counted()).toBe(0);
    await journal.drain();
    expect([await counted(), await journalsIn(journal.own)]).toEqual([300, []]);
  });

  it('drains more rows than one statement takes', async () => {
    const journal = await journalOfTest(db.knex);
    await Promise.all(Array.from({ length: 12_000 }, (_, second) => journal.record(use('q', undefined, AT + second * 1_000))));
    await journal.drain();
    expect([await counted(), await db.knex('usage_events').select('id')]).toEqual([12_000, expect.objectContaining({ length: 12_000 })]);
  });

  it('is summed by key, module and second, except for requests under an Idempotency-Key', async () => {
    const journal = await journalOfTest(db.knex);
    const claim = { id: randomUUID(), attempt: 1 };
    const of = (keyId: string, module: 'kyb' | 'owners', startedAt: number) =>
      usageRecordOf({ keyId, requestId: randomUUID(), startedAt }, module, 'q');
    const other = '00000000-0000-4000-8000-000000000002';
    const endOfMonth = Date.UTC(2026, 11, 1) - 1;
    const records = [
      ...[0, 1, 999, 1_000].map((ms) => of(KEY_ID, 'kyb', AT + ms)),
      of(KEY_ID, 'owners', AT),
      of(other, 'kyb', AT),
      of(other, 'kyb', endOfMonth),
      of(other, 'kyb', endOfMonth + 1),
      use('a', claim),
      use('b', claim),
    ];
    await Promise.all(records.map(journal.record));
    await journal.drain();
    const rows = await db.knex('usage_events').orderBy(['key_id', 'module', 'month', 'at', 'quantity', 'request_id']);
    const second = new Date(AT);
    expect(rows.map((row) => [row.key_id, row.module, row.month, row.at, row.quantity, row.request_id])).toEqual([
      [KEY_ID, 'kyb', '2026-11-01', second, 1, expect.any(String)],
      [KEY_ID, 'kyb', '2026-11-01', second, 1, expect.any(String)],
      [KEY_ID, 'kyb', '2026-11-01', second, 3, null],
      [KEY_ID, 'kyb', '2026-11-01', new Date(AT + 1_000), 1, null],
      [KEY_ID, 'owners', '2026-11-01', second, 1, null],
      [other, 'kyb', '2026-11-01', second, 1, null],
      [other, 'kyb', '2026-11-01', new Date(endOfMonth - 999), 1, null],
      [other, 'kyb', '2026-12-01', new Date(endOfMonth + 1), 1, null],
    ]);
    expect(await wrongCounters(db.knex, ['2026-11', '2026-12'])).toEqual([]);
  });

  it('MT-04 counts nothing twice when a file is drained again, because a kill came between commit and deletion', async () => {
    const journal = await journalOfTest(db.knex);
    await Promise.all(uses(20).map(journal.record));
    const [file = ''] = await journalsIn(journal.own);
    await copyFile(path.join(journal.own, file), path.join(journal.dir, 'copy'));
    await journal.drain();
    await rename(path.join(journal.dir, 'copy'), path.join(journal.own, file));
    await journal.drain();
    expect([await counted(), await journalsIn(journal.own)]).toEqual([20, []]);
  });

  it('MT-04 counts nothing twice when a file with voids of its own and of earlier records is drained again', async () => {
    const journal = await journalOfTest(db.knex);
    const [early, late, ...kept] = uses(10);
    if (!early || !late) throw new Error('there are ten records');
    await Promise.all([early, ...kept].map(journal.record));
    await journal.drain();
    await journal.record(late);
    journal.voidRecords([early, late]);
    journal.voidRecords([early, late]); // once more, which changes nothing
    const fileWithVoids = async () => {
      const [file = ''] = await journalsIn(journal.own);
      const text = await readFile(path.join(journal.own, file), 'utf8');
      return (text.match(/"void"/g) ?? []).length === 2 ? file : null;
    };
    await expect.poll(fileWithVoids).not.toBeNull();
    const file = (await fileWithVoids()) ?? '';
    await copyFile(path.join(journal.own, file), path.join(journal.dir, 'copy'));
    await journal.drain();
    expect(await counted()).toBe(8);
    await rename(path.join(journal.dir, 'copy'), path.join(journal.own, file));
    await journal.drain();
    expect([await counted(), await wrongCounters(db.knex, ['2026-11'])]).toEqual([8, []]);
  });

  it('MT-05 never writes a record that is voided before its batch', async () => {
    const journal = await journalOfTest(db.knex);
    const [refused, kept] = [use(), use()];
    const written = Promise.all([journal.record(refused), journal.record(kept)]);
    journal.voidRecords([refused]);
    await written;
    await journal.drain();
    expect([await counted(), (await db.knex('usage_events')).length]).toEqual([1, 1]);
  });

  it('MT-05 counts the part of a file before its cut only, which a later file of the same process states', async () => {
    const journal = await journalOfTest(db.knex);
    const name = (n: number) => `${path.basename(journal.own)}-000000010${n}.journal`;
    const valid = uses(3).map((record) => writeEntry({ record }));
    const unclear = uses(2).map((record) => writeEntry({ record }));
    await writeFile(path.join(journal.own, name(1)), [...valid, ...unclear].join(''));
    const cut = { file: name(1), bytes: Buffer.byteLength(valid.join('')) };
    await writeFile(path.join(journal.own, name(2)), [writeEntry({ cut }), writeEntry({ record: use() })].join(''));
    await journal.drain();
    expect([await counted(), await journalsIn(journal.own), journal.lines]).toEqual([4, [], []]);
  });

  it('MT-04 does not count a last line that is cut, and goes on', async () => {
    const journal = await journalOfTest(db.knex);
    await Promise.all(uses(3).map(journal.record));
    const [file = ''] = await journalsIn(journal.own);
    await appendFile(path.join(journal.own, file), '1234abcd ["use","00000000-0000');
    await journal.drain();
    await journal.record(use());
    await journal.drain();
    expect([await counted(), await readdir(journal.own)]).toEqual([4, ['alive']]);
    expect(journal.lines).toEqual([]);
  });

  it('keeps a file with a damaged line, counts its other lines once, and logs it', async () => {
    const journal = await journalOfTest(db.knex);
    await Promise.all(uses(3).map(journal.record));
    const file = path.join(journal.own, (await journalsIn(journal.own))[0] ?? '');
    const [first = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [first.replace('kyb', 'kyc'), ...rest].join('\n'));
    await journal.drain();
    await journal.drain();
    expect(await counted()).toBe(2);
    expect((await readdir(journal.own)).filter((name) => name.endsWith('.damaged'))).toHaveLength(1);
    expect(journal.lines).toMatchObject([{ lines: 1, msg: expect.stringContaining('cannot be read') }]);
  });

  it.each(['before', 'after'])('MT-05 does not count a record that is voided %s its drain', async (order) => {
    const journal = await journalOfTest(db.knex);
    const [refused, kept] = [use(), use()];
    await Promise.all([journal.record(refused), journal.record(kept)]);
    if (order === 'after') await journal.drain();
    journal.voidRecords([refused]);
    const afterDrain = async () => {
      await journal.drain();
      return counted();
    };
    await expect.poll(afterDrain).toBe(1);
    expect(await wrongCounters(db.knex, ['2026-11'])).toEqual([]);
  });

  it('MT-11 counts a question once under one claim, in one file and in two journals', async () => {
    const journals = [await journalOfTest(db.knex), await journalOfTest(db.knex)];
    const claims = Array.from({ length: 20 }, () => ({ id: randomUUID(), attempt: 1 }));
    const repeated = claims.flatMap((claim) => [use('a', claim), use('b', claim), use('a', claim)]);
    for (const { record, drain } of journals) {
      await Promise.all(repeated.map(record));
      await drain();
    }
    expect(await counted()).toBe(40);
  });

  it('MT-04 records while the database is away, logs that once, and counts everything once when it is back', async () => {
    const journal = await journalOfTest(db.knex);
    await db.knex.raw('ALTER TABLE usage_counters RENAME TO away');
    for (let i = 0; i < 3; i += 1) {
      await Promise.all(uses(10).map(journal.record));
      await journal.drain();
    }
    await db.knex.raw('ALTER TABLE away RENAME TO usage_counters');
    await journal.drain();
    expect(await counted()).toBe(30);
    expect(journal.lines).toHaveLength(1);
  });

  it.each<[string, { bytes: number; ageMs: number }]>([
    ['bytes', { bytes: 1_000, ageMs: 60_000 }],
    ['time', { bytes: 1_000_000, ageMs: -1 }],
  ])('MT-05 refuses records when too much usage by %s is not in the database, and takes them again after a drain', async (_, bounds) => {
    const journal = await journalOfTest(db.knex, { bounds });
    await Promise.all(uses(10).map(journal.record));
    await expect(journal.record(use())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await journal.drain();
    await journal.record(use());
    await journal.drain();
    expect(await counted()).toBe(11);
  });

  it('MT-05 refuses records while its folder is missing, and takes them again when it is back', async () => {
    const journal = await journalOfTest(db.knex);
    await rename(journal.own, `${journal.own}.away`);
    await expect(journal.record(use())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await rename(`${journal.own}.away`, journal.own);
    await expect
      .poll(() =>
        journal.record(use()).then(
          () => 'recorded',
          ({ code }) => code,
        ),
      )
      .toBe('recorded');
    await journal.drain();
    expect(await counted()).toBe(1);
  });
});

const recording = (dir: string, count: number) => recordingProcess({ dir, url: db.url, keyId: KEY_ID, count });

describe('the journal of a process that is killed', () => {
  it('MT-04 is drained by another process, once', async () => {
    const journal = await journalOfTest(db.knex);
    const { child, ended } = await recording(journal.dir, 50);
    const others = [await journalOfTest(db.knex, { dir: journal.dir }), await journalOfTest(db.knex, { dir: journal.dir })];
    await Promise.all(others.map(({ drain }) => drain()));
    expect(await counted(), 'the journal of a living process is left alone').toBe(0);
    child.kill('SIGKILL');
    await ended;
    const both = await Promise.all([1, 2].map(() => journalOfTest(db.knex, { dir: journal.dir })));
    await Promise.all(both.map(({ drain }) => drain()));
    expect(await counted()).toBe(50);
  });

  it('is not touched by an installation with another secret', async () => {
    const journal = await journalOfTest(db.knex);
    const { child, ended } = await recording(journal.dir, 5);
    child.kill('SIGKILL');
    await ended;
    const stranger = await openProcessFolder(journal.dir, 'another secret');
    expect(await stranger.recover()).toBe(0);
    await stranger.close();
    expect((await openProcessFolder(journal.dir, KEY_SECRET).then(async (own) => [await own.recover(), await own.close()]))[0]).toBe(1);
  });

  it('leaves a folder alone that another process is about to open', async () => {
    const journal = await journalOfTest(db.knex);
    const opening = `${journal.own.slice(0, -12)}000000000000`;
    await mkdir(opening);
    await writeFile(path.join(opening, 'x.journal'), '');
    const other = await openProcessFolder(journal.dir, KEY_SECRET);
    expect(await other.recover()).toBe(0);
    await other.close();
  });
});

import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openMonthFile } from '../../../src/sources/receita-federal/copy/folder.ts';
import { contactHashes } from '../../../src/sources/receita-federal/copy/links.ts';
import { type DataMonthFile, readDataFile } from '../../../src/sources/receita-federal/copy/read-file.ts';
import { createReadingThread } from '../../../src/sources/receita-federal/copy/reading-thread.ts';
import type { FileSummary, TableLines } from '../../../src/sources/receita-federal/copy/store/import-store.ts';
import { insertSuppression } from '../../../src/sources/receita-federal/copy/store/suppressions.ts';
import { type SuppressedHashes, suppressing, suppressionHash } from '../../../src/sources/receita-federal/copy/suppression.ts';
import { until } from '../../support/until.ts';
import { type Cells, cnpjOf, copyDb, establishment, type Files, folderOf, lineOf, monthOf, roots } from './support.ts';

const SECRET = 'a secret of this test';
/** Companies whose establishments are read in several parts, and whose file is large enough for a thread of its own. */
const MANY = 22_000;
const NOTHING: SuppressedHashes = { companies: new Set(), people: new Set() };
const noProgress = () => undefined;

/** Writes a file of establishments, and opens it. */
async function fileOf(lines: string): Promise<DataMonthFile> {
  const folder = await folderOf({ Estabelecimentos0: lines } as Files);
  return (await openMonthFile(path.join(folder, 'Estabelecimentos0.zip'), 'Estabelecimentos0')) as DataMonthFile;
}

const linesOf = (cells: readonly Cells[]): string => cells.map(lineOf).join('');
const thousands = (): string => linesOf(roots(MANY).map((root) => establishment(root)));

/** Reads all parts. Returns the rows of each table, and the counts. */
async function allOf(parts: AsyncGenerator<TableLines, FileSummary, void>) {
  const tables = new Map<string, string>();
  let count = 0;
  for (;;) {
    const { done, value } = await parts.next();
    if (done) return { tables, count, summary: value };
    count += 1;
    for (const [table, lines] of value) tables.set(table, (tables.get(table) ?? '') + Buffer.concat([...lines]).toString());
  }
}

/** A thread that ends with the test. */
function threadOf(suppressed = NOTHING, signal?: AbortSignal) {
  const thread = createReadingThread({ secret: SECRET, suppressed }, signal);
  onTestFinished(() => thread.close());
  return thread;
}

const started: Worker[] = [];
const remember = (worker: Worker): unknown => started.push(worker);
beforeAll(() => void process.on('worker', remember));
afterAll(() => void process.off('worker', remember));

/** Number of threads that were started here and have not ended. */
const threads = (): number => started.filter(({ threadId }) => threadId !== -1).length;

describe('a file that a thread reads', () => {
  it('has the rows, counts, unread and erased companies that it has without a thread', async () => {
    const [first = '', second = ''] = roots(2);
    const damaged = [
      lineOf(establishment('99900000', '0001', { 5: '99' })),
      'garbage\n',
      lineOf(establishment('99900001', '0001', { 6: '00001332' })),
    ];
    const file = await fileOf(thousands() + damaged.join('') + lineOf(establishment(first, '0002', { 4: 'AÇÃO "\\\t' })));
    const suppressed = { companies: new Set([suppressionHash(SECRET)({ kind: 'company', root: second })]), people: new Set<string>() };
    const steps: number[] = [];
    const inThread = await allOf(threadOf(suppressed).read(file, ({ rows }) => steps.push(rows)));
    const suppress = suppressing(suppressed, suppressionHash(SECRET));
    const here = await allOf(readDataFile(file, contactHashes(SECRET), noProgress, { suppress }));
    expect(inThread).toEqual(here);
    expect(inThread.count).toBeGreaterThan(3);
    expect(inThread.summary).toMatchObject({ rows: MANY + 1, unread: 2, unattributed: 1, suppressedRoots: new Set([second]) });
    expect(steps.at(-1)).toBe(MANY + 1);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });

  it.each([
    ['has no line that can be read', async () => fileOf('no row\n'), 'Estabelecimentos0 has no line that can be read.'],
    [
      'was replaced after it was checked',
      async () => ({ ...(await fileOf(lineOf(establishment('99100000')))), checksum: '1-2' }),
      'Estabelecimentos0.zip was replaced during the import.',
    ],
    [
      'is cut by then',
      async () => {
        const file = await fileOf(thousands());
        await writeFile(file.path, 'PK\u0003\u0004 and no more');
        return file;
      },
      'Estabelecimentos0.zip is cut or damaged.',
    ],
  ])('is refused as damaged if it %s', async (_, file, message) => {
    const before = threads();
    await expect(allOf(threadOf().read(await file(), noProgress))).rejects.toMatchObject({
      name: 'ImportRefusal',
      reason: 'damaged',
      message,
    });
    expect(threads()).toBe(before);
  });

  it('fails with the code of an error of the disk', async () => {
    const file = await fileOf(lineOf(establishment('99100000')));
    await rm(file.path);
    await expect(allOf(threadOf().read(file, noProgress))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('leaves no thread after an abort, whose reason is thrown', async () => {
    const before = threads();
    const stop = new AbortController();
    const thread = threadOf(NOTHING, stop.signal);
    const file = await fileOf(thousands());
    const parts = thread.read(file, noProgress);
    expect((await parts.next()).done).toBe(false);
    expect(threads()).toBe(before + 1);
    stop.abort(new Error('the service stops'));
    await expect(allOf(parts)).rejects.toThrow('the service stops');
    expect(threads()).toBe(before);
    await expect(thread.read(file, noProgress).next()).rejects.toThrow('the service stops');
    expect(threads()).toBe(before);
  });

  it('leaves no thread if its reader stops after a part', async () => {
    const before = threads();
    const parts = threadOf().read(await fileOf(thousands()), noProgress);
    await parts.next();
    await parts.return(undefined as never);
    expect(threads()).toBe(before);
  });

  it('is read by the thread of the file before, and by a new one after an error', async () => {
    const before = threads();
    const thread = threadOf();
    const [large, small] = [await fileOf(thousands()), await fileOf(lineOf(establishment('99100000')))];
    const rows: number[] = [];
    for (const file of [small, large, small]) {
      rows.push((await allOf(thread.read(file, noProgress))).summary.rows);
      expect(threads()).toBe(before + 1);
    }
    await expect(allOf(thread.read({ ...small, checksum: '1-2' }, noProgress))).rejects.toMatchObject({ reason: 'damaged' });
    expect(threads()).toBe(before);
    rows.push((await allOf(thread.read(small, noProgress))).summary.rows);
    expect(rows).toEqual([1, MANY, 1, 1]);
    await thread.close();
    expect(threads()).toBe(before);
  });
});

describe('the import of a month with a large file', () => {
  const { copy, knex } = copyDb();

  it('reads it in a thread, and leaves out what an operator has erased', async () => {
    const [erased = ''] = roots(1);
    const hash = suppressionHash(SECRET)({ kind: 'company', root: erased });
    await insertSuppression(knex(), { hash, kind: 'company', note: null, createdAt: Date.now() });
    const own = copy();
    const before = threads();
    const loading = own.load(await folderOf(monthOf(MANY)));
    await until(async () => threads() === before + 1);
    const { facts } = await loading;
    expect(threads()).toBe(before);
    expect(facts).toMatchObject({ companies: MANY - 1, establishments: MANY - 1, partners: MANY - 1, unread: 0 });
    expect(await own.find(cnpjOf(erased))).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await own.find(cnpjOf('99100001'))).toMatchObject({ value: { registration: 'ATIVA' } });
  });
});

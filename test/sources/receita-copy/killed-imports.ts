import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';
import { importParts } from '../../support/registry-copy.ts';
import { importInProcess, importsEnded } from './killing.ts';
import { cnpjOf, company, type copyDb, establishment, type Files, folderOf, monthOf, NOW, partner, roots } from './support.ts';

type CopyDb = ReturnType<typeof copyDb>;

/** Moment of a kill: some time after a progress report, by its number from 0. */
export interface Kill {
  readonly report: number;
  readonly delayMs: number;
}

/** Rows of a version without its ids, by table: a digest of the sorted rows. */
type Content = Readonly<Record<string, string>>;

const COMPANIES = 2_000;
/** Step of an import after which it switches to the new version. */
const LAST_REPORT = 'differences';
const EARLIER = { date: '2026-10-14', inNames: 'D61014' };
const SOME = cnpjOf(roots(2)[1] ?? '');

const halves = <T>(rows: readonly T[]): readonly [readonly T[], readonly T[]] => [
  rows.slice(0, rows.length / 2),
  rows.slice(rows.length / 2),
];

/** A month of thirteen files. In the later one a fiftieth of the companies has another name, another partner and another status. */
function month(isLater: boolean): Files {
  const isChanged = (i: number): boolean => isLater && i % 50 === 0;
  const all = roots(COMPANIES);
  const [companies, otherCompanies] = halves(all.map((root, i) => company(root, isChanged(i) ? `OUTRA ${root}` : undefined)));
  const [places, otherPlaces] = halves(all.map((root, i) => establishment(root, '0001', isChanged(i + 1) ? { 20: '7108' } : {})));
  const [people, otherPeople] = halves(all.map((root, i) => partner(root, isChanged(i + 2) ? 'BIA DE TAL' : undefined)));
  return {
    ...monthOf(0),
    ...{ Empresas0: companies, Empresas1: otherCompanies, Estabelecimentos0: places, Estabelecimentos1: otherPlaces },
    ...{ Socios0: people, Socios1: otherPeople },
  };
}

/** Tables with rows of a version, their condition, and the columns that differ between two imports of the same files. */
const SHARED = [
  ['receita_files', 'version_id', ['version_id']],
  ['receita_unread', 'version_id', ['version_id']],
  ['receita_lookups', 'version_id', ['version_id']],
] as const;

/** Returns a digest of each table of the version that answers, and of the changes that lead to it. */
async function contentOf(knex: Knex, origin: string): Promise<Content> {
  const digest = async (from: string, without: readonly string[], id: string | null): Promise<string> => {
    const { rows } = await knex.raw(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(row, E'\\n' ORDER BY row), '')) AS digest
       FROM (SELECT (to_jsonb(t) - ?::text[])::text AS row FROM ${from}) AS t`,
      [`{${without.join(',')}}`, ...(id === null ? [] : [id])],
    );
    return rows[0].digest;
  };
  const { version_id: id } = await knex('receita_current').where({ origin }).first('version_id');
  const { rows: tables } = await knex.raw(`SELECT tablename AS name FROM pg_tables WHERE tablename ~ ? ORDER BY 1`, [
    `^receita_.*_v${id}$`,
  ]);
  const own = tables.map(async ({ name }: { name: string }) => [name.replace(/_v\d+$/, ''), await digest(`"${name}" t`, [], null)]);
  const shared = SHARED.map(async ([name, column, without]) => [name, await digest(`${name} t WHERE ${column} = ?`, without, id)]);
  const changes = digest(
    'receita_changes t WHERE comparison_id IN (SELECT c.id FROM receita_comparisons c WHERE c.to_version = ?)',
    ['comparison_id', 'seq'],
    id,
  );
  const { facts } = await knex('receita_versions').where({ id }).first('facts');
  return {
    ...Object.fromEntries(await Promise.all([...own, ...shared])),
    receita_changes: await changes,
    facts: JSON.stringify(facts),
  };
}

/** Loads the earlier month for a new origin, and returns the folder of the later one. */
async function withEarlierMonth({ copy }: CopyDb) {
  const own = copy();
  await own.load(await folderOf(month(false), EARLIER.inNames));
  return { own, folder: await folderOf(month(true)) };
}

/** Imports the later month without an interruption. */
export async function uninterruptedImport(
  db: CopyDb,
): Promise<{ readonly reports: number; readonly content: Content; readonly earlierDate: string }> {
  const { own, folder } = await withEarlierMonth(db);
  let reports = 0;
  await importInProcess({ url: db.url(), folder, origin: own.origin }, () => {
    reports += 1;
  });
  return { reports, content: await contentOf(db.knex(), own.origin), earlierDate: EARLIER.date };
}

/**
 * Imports the later month in a process that is killed, then again until the end. Meanwhile a company is read without a pause.
 * @returns the content after the second import; the files that it loaded although the first one had loaded them; the different extract
 *   dates, or failures, that were read before the end of the second import
 */
export async function killedImport(db: CopyDb, { report, delayMs }: Kill) {
  const { own, folder } = await withEarlierMonth(db);
  const seen = new Set<string>();
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const answer = await own.find(SOME);
      if (!isOver) seen.add(answer === undefined || answer instanceof Error ? String(answer) : `${answer.value && answer.dataAsOf}`);
      await delay(1);
    }
  })();
  let reports = 0;
  const isKilled = await importInProcess({ url: db.url(), folder, origin: own.origin }, (text, kill) => {
    // The switch follows the last report, and after it nothing is left to continue.
    if (text.startsWith(LAST_REPORT)) kill();
    else if (reports === report) setTimeout(kill, delayMs);
    reports += 1;
  });
  if (!isKilled) throw new Error(`the import ended before it could be killed ${delayMs} ms after report ${report}`);
  await importsEnded(db.knex());
  const { rows } = await db.knex().raw(
    `SELECT f.name FROM receita_files f JOIN receita_versions v ON v.id = f.version_id
     WHERE v.origin = ? AND v.loaded_at IS NULL`,
    [own.origin],
  );
  const loaded = new Set<string>(rows.map(({ name }: { name: string }) => name));
  const loadedTwice = new Set<string>();
  const onProgress = ({ step }: { readonly step: string }) => {
    if (loaded.has(step)) loadedTwice.add(step);
    if (step === LAST_REPORT) isOver = true; // from here on the new version may answer
  };
  await importFolder(folder, importParts({ db: db.knex(), origin: own.origin, now: () => NOW, onProgress }));
  isOver = true;
  await reading;
  return { content: await contentOf(db.knex(), own.origin), loadedTwice: [...loadedTwice], datesMeanwhile: [...seen] };
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditCommand } from '../../src/cli/audit.ts';
import { suppressCommand } from '../../src/cli/suppress.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { createReceitaCopy } from '../../src/sources/receita-federal/copy/reader.ts';
import { TABLES } from '../../src/sources/receita-federal/copy/rows.ts';
import { cnpjOf, type Files, folderOf, monthOf, NOW, partner } from '../sources/receita-copy/support.ts';
import { runCommand, SECRET } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

const [ONE, OTHER] = ['99100000', '99100001'];
const HASH = /^[\da-f]{32}$/;

let database: TestDb;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());
let origin = '';
let origins = 0;
beforeEach(async () => {
  origins += 1;
  origin = `suppressed ${origins}`;
  await database.knex.raw('TRUNCATE receita_suppressions, audit_log');
});

const suppress = (...args: readonly string[]) => runCommand(database, suppressCommand, ['suppress', ...args], { origin });
const load = async (month: Files, date: string) =>
  importFolder(await folderOf(month, date), {
    ...{ db: database.knex, origin, secret: SECRET, now: () => NOW, diskFolder: null, historyMonths: 24 },
    log: memoryLog().log,
    onProgress: () => undefined,
  });

/** A month in which one company has two partners, of whom one also represents the partner of another company. */
const month = (): Files => ({
  ...monthOf(20),
  Socios0: [
    partner(ONE, 'ANA DE ASSUNÇÃO', { 3: '***111222**' }),
    partner(ONE, 'ANA DE ASSUNÇÃO', { 3: '***333444**' }),
    partner(OTHER, 'EXEMPLO LTDA', { 1: '1', 3: cnpjOf('99100002'), 7: '***111222**', 8: 'Ana de Assuncao' }),
  ],
});

const copyOf = () =>
  createReceitaCopy(
    () => database.knex,
    origin,
    () => NOW,
  );
const asOf = async (root: string, date: string) => (await copyOf().findAsOf([{ cnpj: cnpjOf(root), asOf: date }]))[0];

async function partnersOf(root: string) {
  const answer = (await copyOf().find([cnpjOf(root)])).get(cnpjOf(root));
  if (!answer || answer instanceof Error) return answer;
  return answer.value?.partners?.map(({ name, document, legalRepName }) => [name, document, legalRepName]);
}

describe('quipu suppress person', () => {
  const ERASED = [
    ['', null, null],
    ['ANA DE ASSUNÇÃO', '***333444**', null],
  ];

  it('erases name and CPF from the loaded versions and from later imports, and only those of this person', async () => {
    await load(month(), 'D61014');
    const { out, code } = await suppress('person', '--name', 'Ana de Assunção', '--document', '***111222**', '--note', 'request 7');
    expect([code, out]).toEqual([0, expect.stringMatching(/^Suppressed [\da-f]{32}: 2 rows of the loaded versions\./)]);
    expect(await partnersOf(ONE)).toEqual(ERASED);
    expect(await partnersOf(OTHER)).toEqual([['EMPRESA 99100002', cnpjOf('99100002'), null]]);
    await load(month(), 'D61114');
    expect(await partnersOf(ONE)).toEqual(ERASED);
    expect(await partnersOf(OTHER)).toEqual([['EMPRESA 99100002', cnpjOf('99100002'), null]]);
  });

  it('erases the changes in which the person joined or left', async () => {
    await load({ ...month(), Socios0: [partner(OTHER, 'QUEM FICA')] }, 'D61014');
    await load(month(), 'D61114');
    const changes = async () => {
      const { rows } = await database.knex.raw(
        `SELECT h.after, h.details->>'document' AS document, h.details->>'representative' AS representative
         FROM receita_changes h JOIN receita_comparisons c ON c.id = h.comparison_id
         WHERE c.origin = ? AND h.after IS NOT NULL ORDER BY h.after, document`,
        [origin],
      );
      return rows;
    };
    expect(await changes()).toContainEqual({ after: 'ANA DE ASSUNÇÃO', document: '***111222**', representative: null });
    expect(await changes()).toContainEqual(expect.objectContaining({ representative: 'Ana de Assuncao' }));
    await suppress('person', '--name', 'ANA DE ASSUNÇÃO', '--document', '***111222**');
    expect(await changes()).toEqual([
      { after: 'ANA DE ASSUNÇÃO', document: '***333444**', representative: null },
      { after: 'EMPRESA 99100002', document: cnpjOf('99100002'), representative: null },
    ]);
    // Without the change, the earlier extract would seem to have the partner.
    expect(await asOf(ONE, '2026-10-20')).toMatchObject({ code: 'NO_RECORD_THEN' });
    expect(await asOf(OTHER, '2026-10-20')).toMatchObject({ value: { partners: [{ name: 'QUEM FICA' }] } });
  });

  it('stores a keyed hash and no name, and logs who did it', async () => {
    await suppress('person', '--name', 'ANA DE ASSUNÇÃO', '--document', '***111222**', '--note', 'request 7');
    const listed = JSON.parse((await suppress('list', '--json')).out);
    expect(listed).toEqual([{ hash: expect.stringMatching(HASH), kind: 'person', note: 'request 7', created_at: expect.any(String) }]);
    const { rows } = await database.knex.raw('SELECT (SELECT jsonb_agg(s) FROM receita_suppressions s)::text AS list');
    expect(rows[0].list).not.toMatch(/ANA|111222/i);
    expect((await runCommand(database, auditCommand, ['audit'], {})).out).toMatch(/suppression\.added/);
  });

  it('loads the person again after the removal from the list', async () => {
    await load(month(), 'D61014');
    await suppress('person', '--name', 'ANA DE ASSUNÇÃO', '--document', '***111222**');
    const [{ hash }] = JSON.parse((await suppress('list', '--json')).out);
    expect((await suppress('remove', hash)).code).toBe(0);
    expect(await suppress('remove', hash)).toMatchObject({ code: 1, err: `The list has no hash ${hash}.\n` });
    await load(month(), 'D61114');
    expect(await partnersOf(ONE)).toContainEqual(['ANA DE ASSUNÇÃO', '***111222**', null]);
  });

  it.each([
    [['--name', 'ANA', '--document', '123'], 'Give a CPF of 11 digits, or a masked one: ***123456**.\n'],
    [['--name', '7', '--document', '***111222**'], 'Give the name of the person.\n'],
  ])('refuses %j', async (args, err) => {
    expect(await suppress('person', ...args)).toMatchObject({ code: 1, err });
  });
});

describe('quipu suppress company', () => {
  it('erases a company, which is a failed source from then on and never absent', async () => {
    await load(month(), 'D61014');
    expect((await suppress('company', ONE)).out).toMatch(/^Suppressed [\da-f]{32}: \d+ rows/);
    expect(await partnersOf(ONE)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await load(month(), 'D61114')).toMatchObject({ facts: { companies: 19, unread: 0 } });
    expect(await partnersOf(ONE)).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    const { rows: versions } = await database.knex.raw('SELECT id FROM receita_versions WHERE origin = ?', [origin]);
    expect(versions).toHaveLength(2);
    for (const { id } of versions)
      for (const table of [...TABLES, 'names']) {
        const { rows } = await database.knex.raw('SELECT FROM ?? WHERE root = ?', [`receita_${table}_v${id}`, ONE]);
        expect(rows, table).toEqual([]);
      }
    const { rows: changes } = await database.knex.raw(
      `SELECT DISTINCT h.field FROM receita_changes h JOIN receita_comparisons c ON c.id = h.comparison_id WHERE c.origin = ? AND h.root = ?`,
      [origin, ONE],
    );
    expect(changes).toEqual([{ field: 'gap' }]);
    expect(await suppress('company', '123')).toMatchObject({ code: 1, err: 'Give the first eight characters of the CNPJ.\n' });
  });
});

import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { cnpjOf, copyDb, folderOf, monthOf } from './support.ts';
import { requestsDuringSwitches } from './switches.ts';

const { copy, knex } = copyDb();

describe('a switch of the version', () => {
  it.each([
    ['that is injected', false],
    ['over HTTP', true],
  ])(
    'DB-11 makes no request %s fail, and no company of an answer has texts of two versions',
    { timeout: 60_000 },
    async (_, isOverHttp) => {
      const plan = { switches: 6, clients: 6, listEvery: 4, isOverHttp };
      const { errors, mixed, versions, answers } = await requestsDuringSwitches(plan);
      expect({ errors, mixed }).toEqual({ errors: [], mixed: [] });
      expect(versions).toBeGreaterThan(3);
      expect(answers).toBeGreaterThan(60);
    },
  );

  it('deletes a version only when no statement reads it any more, and other requests do not wait for that', {
    timeout: 30_000,
  }, async () => {
    const own = copy();
    const cnpj = cnpjOf('99100001');
    await own.load(await folderOf(monthOf(20), 'D60918'));
    const old = own.reader();
    await old.find([cnpj]);
    const id = old.version();
    await own.load(await folderOf(monthOf(20), 'D61014'));

    const reading = await knex().transaction();
    await reading.raw('SELECT count(*) FROM ??', [`receita_establishments_v${id}`]);
    let isLoaded = false;
    const next = own.load(await folderOf(monthOf(20))).then(() => {
      isLoaded = true;
    });
    await until(async () => {
      const { rows } = await knex().raw('SELECT previous_id FROM receita_current WHERE origin = ?', [own.origin]);
      return rows[0].previous_id === null; // the import deletes the version, or tries to
    });
    for (let n = 0; n < 20; n += 1) {
      expect(await own.find(cnpj)).toMatchObject({ dataAsOf: '2026-10-14' });
      expect((await old.find([cnpj])).get(cnpj)).toMatchObject({ dataAsOf: '2026-09-18' }); // the pointer of this reader is old
    }
    expect(isLoaded).toBe(false);
    const { rows } = await reading.raw('SELECT count(*)::int AS n FROM ??', [`receita_companies_v${id}`]);
    expect(rows[0].n).toBe(20);
    await reading.commit();
    await next;
    expect(await own.find(cnpj)).toMatchObject({ dataAsOf: '2026-11-14' });
    expect((await old.find([cnpj])).get(cnpj)).toMatchObject({ dataAsOf: '2026-11-14' });
  });
});

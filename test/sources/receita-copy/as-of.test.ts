import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import type { ReceitaCompany } from '../../../src/sources/receita-federal/company.ts';
import { REGISTRY_FIELDS } from '../../../src/sources/receita-federal/copy/change-field.ts';
import type { CopyAnswer } from '../../../src/sources/receita-federal/copy/reader.ts';
import { changed, cnpjOf, company, copyDb, establishment, folderOf, monthOf, partner } from './support.ts';

const { copy, knex } = copyDb();
const ROOT = '99100000';
const CNPJ = cnpjOf(ROOT);
const MONTH = monthOf(3);
type Copy = ReturnType<typeof copy>;

/** Returns the record of an answer. */
function recordIn(answer: CopyAnswer | undefined): ReceitaCompany {
  if (!answer || answer instanceof AppError || !answer.value) throw new Error('the answer has a record');
  return answer.value;
}

/** Sorts the partners, because the order of those that left is not kept. */
const byName = (company: ReceitaCompany) => ({
  ...company,
  partners: company.partners?.toSorted((one, other) => one.name.localeCompare(other.name)),
});

const UNKNOWN_REGIME = { isMember: null, since: null, until: null };

/** Returns a record without the fields of which no differences are kept. */
const withoutUncompared = (company: ReceitaCompany): ReceitaCompany => ({
  ...company,
  tradeName: null,
  details: { ...company.details, otherActivities: null, simples: UNKNOWN_REGIME, mei: UNKNOWN_REGIME, federativeEntity: null },
});

describe('a record as of an earlier date', () => {
  const asOf = async (own: Copy, date: string, cnpj = CNPJ) => (await own.reader().findAsOf([{ cnpj, asOf: date }]))[0];

  it('is that of each extract, for every field of which differences are kept', async () => {
    const own = copy();
    const first = changed(
      MONTH,
      {
        Estabelecimentos0: establishment(ROOT, '0001', { 5: '08', 6: '20260901', 7: '01', 28: 'FALIDO', 29: '20260801' }),
        Socios0: partner('99100001'),
      },
      { Socios0: [partner(ROOT, 'BIA', { 3: '***000303**', 6: '158' }), partner(ROOT)] },
    );
    const second = changed(
      MONTH,
      {
        Empresas0: [ROOT, 'OUTRA LTDA', '2054', '49', '1,00', '01', ''],
        Estabelecimentos0: establishment(ROOT, '0001', { 11: '4120400', 19: 'MG' }),
      },
      { Socios0: [partner(ROOT)] },
    );
    const dates = ['D60920', 'D61014', 'D61114'];
    const records = [];
    for (const [i, month] of [first, second, MONTH].entries()) {
      await own.load(await folderOf(month, dates[i]));
      records.push(await own.find(CNPJ));
    }
    for (const [i, date] of ['2026-09-30', '2026-10-31'].entries()) {
      const answer = await asOf(own, date);
      expect(byName(recordIn(answer))).toEqual(byName(withoutUncompared(recordIn(records[i]))));
      expect(answer).toMatchObject({ dataAsOf: ['2026-09-20', '2026-10-14'][i] });
    }
    expect(await asOf(own, '2026-11-14')).toMatchObject({ value: recordIn(records[2]) });
    expect(await asOf(own, '2026-09-19')).toMatchObject({ code: 'NO_RECORD_THEN' });
  });

  it('has no company partner that joined later, also if the files have no head office of it', async () => {
    const own = copy();
    const joined = partner(ROOT, 'EXEMPLO LTDA', { 1: '1', 3: '99200000' });
    await own.load(await folderOf(MONTH, 'D61014'));
    await own.load(await folderOf(changed(MONTH, {}, { Socios0: [joined] }), 'D61114'));
    expect(recordIn(await own.find(CNPJ)).partners).toContainEqual(expect.objectContaining({ name: 'EXEMPLO LTDA', document: null }));
    expect(recordIn(await asOf(own, '2026-10-14')).partners).toMatchObject([{ name: 'ANA DE TAL' }]);
  });

  it('has no date and reason of a status that began later, beside the same status before', async () => {
    const own = copy();
    const inapt = (since: string, reason: string) =>
      changed(MONTH, { Estabelecimentos0: establishment(ROOT, '0001', { 5: '04', 6: since, 7: reason, 28: 'FALIDO', 29: since }) });
    await own.load(await folderOf(inapt('20260901', '01'), 'D61014'));
    await own.load(await folderOf(inapt('20261101', '63'), 'D61114'));
    const then = recordIn(await asOf(own, '2026-10-20'));
    expect(then).toMatchObject({ registration: 'INAPTA', registrationSince: null, specialSituation: 'FALIDO' });
    expect(then.details).toMatchObject({ reason: null, specialSituationSince: null });
    expect(recordIn(await asOf(own, '2026-11-14'))).toMatchObject({ registrationSince: '2026-11-01' });
  });

  it('has the CNPJ of a company partner that left, and so has its history, although the file has the root only', async () => {
    const own = copy();
    const outra = partner(ROOT, 'OUTRA LTDA', { 1: '1', 3: '99100001' });
    const lost = partner(ROOT, 'PERDIDA LTDA', { 1: '1', 3: '99200000' });
    await own.load(await folderOf(changed(MONTH, {}, { Socios0: [outra, lost] }), 'D61014'));
    await own.load(await folderOf(MONTH, 'D61114'));
    const [answer] = await own.reader().history([{ cnpj: CNPJ, fields: REGISTRY_FIELDS, first: 10, after: null }]);
    if (!answer || answer instanceof AppError || !answer.value) throw new Error('the answer has a page');
    const left = answer.value.changes.map(({ field, before, partner }) => [field, before, partner?.document]);
    expect(left.toSorted()).toEqual([
      ['partner_left', 'EMPRESA 99100001', cnpjOf('99100001')],
      ['partner_left', 'PERDIDA LTDA', null],
    ]);
    const { partners } = byName(recordIn(await asOf(own, '2026-10-14')));
    expect(partners?.map(({ document }) => document)).toEqual(['***000101**', cnpjOf('99100001'), null]);
  });

  it('is unknown before a company vanished, and absent after that', async () => {
    const own = copy();
    await own.load(await folderOf(monthOf(4), 'D61014'));
    await own.load(await folderOf(MONTH, 'D61114'));
    expect(await asOf(own, '2026-11-13', cnpjOf('99100003'))).toMatchObject({ code: 'NO_RECORD_THEN' });
    expect(await asOf(own, '2026-11-14', cnpjOf('99100003'))).toMatchObject({ value: null });
  });

  it('has the name that a company partner had then, also of one that has left', async () => {
    const own = copy();
    const owner = (root: string) => partner(ROOT, 'NOME DO ARQUIVO', { 1: '1', 3: cnpjOf(root) });
    const named = (first: string, second: string) => [company(ROOT), company('99100001', first), company('99100002', second)];
    const both = { Socios0: [owner('99100001'), owner('99100002')] };
    await own.load(await folderOf({ ...MONTH, ...both, Empresas0: named('UM LTDA', 'DOIS LTDA') }, 'D60920'));
    await own.load(await folderOf({ ...MONTH, ...both, Empresas0: named('UM NOVA LTDA', 'DOIS NOVA LTDA') }, 'D61014'));
    await own.load(
      await folderOf({ ...MONTH, Socios0: [owner('99100001')], Empresas0: named('UM FINAL LTDA', 'DOIS NOVA LTDA') }, 'D61114'),
    );
    const namesAt = async (date: string) => recordIn(await asOf(own, date)).partners?.map(({ name }) => name);
    expect(await namesAt('2026-09-30')).toEqual(['UM LTDA', 'DOIS LTDA']);
    expect(await namesAt('2026-10-14')).toEqual(['UM NOVA LTDA', 'DOIS NOVA LTDA']);
    expect(await namesAt('2026-11-14')).toEqual(['UM FINAL LTDA']);
  });

  it('tells apart partners that the file calls companies and whose masked CPFs begin alike', async () => {
    const own = copy();
    const called = (name: string, document: string) => changed(MONTH, {}, { Socios0: [partner(ROOT, name, { 1: '1', 3: document })] });
    await own.load(await folderOf(called('BIA DE TAL', '***123456**'), 'D61014'));
    await own.load(await folderOf(called('CARLA DE TAL', '***123457**'), 'D61114'));
    const namesAt = async (date: string) => recordIn(await asOf(own, date)).partners?.map(({ name }) => name);
    expect(await namesAt('2026-10-14')).toEqual(['ANA DE TAL', 'BIA DE TAL']);
    expect(await namesAt('2026-11-14')).toEqual(['ANA DE TAL', 'CARLA DE TAL']);
  });

  it('has a partner with a CNPJ whom an earlier release has stored as foreign, and its history has no change of it', async () => {
    const own = copy();
    const foreign = partner(ROOT, 'EMPRESA 99100001', { 1: '3', 3: cnpjOf('99100001'), 4: '37' });
    const left = partner(ROOT, 'EMPRESA 99100002', { 1: '3', 3: cnpjOf('99100002'), 4: '37' });
    await own.load(await folderOf(changed(MONTH, {}, { Socios0: [foreign, left] }), 'D61014'));
    const reader = own.reader();
    await reader.refresh();
    await knex().raw(`UPDATE receita_partners_v${reader.version()} SET kind = 3 WHERE role = 37`);
    await own.load(await folderOf(changed(MONTH, {}, { Socios0: [foreign] }), 'D61114'));
    const [answer] = await own.reader().history([{ cnpj: CNPJ, fields: REGISTRY_FIELDS, first: 10, after: null }]);
    expect(answer).toMatchObject({ value: { changes: [{ field: 'partner_left', partner: { document: cnpjOf('99100002') } }] } });
    expect(recordIn(await asOf(own, '2026-10-14')).partners).toHaveLength(3);
  });
});

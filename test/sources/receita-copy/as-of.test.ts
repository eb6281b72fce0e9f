import { describe, expect, it } from 'vitest';
import { changed, cnpjOf, copyDb, establishment, folderOf, monthOf, partner } from './support.ts';

const { copy } = copyDb();
const ROOT = '99100000';
const CNPJ = cnpjOf(ROOT);
const MONTH = monthOf(3);
type Copy = ReturnType<typeof copy>;

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
    const expected = (record: object | undefined) => {
      const { value } = record as { value: { details: object; partners: object[] } };
      const unknown = { isMember: null, since: null, until: null };
      const details = { ...value.details, otherActivities: null, simples: unknown, mei: unknown, federativeEntity: null };
      return { ...value, tradeName: null, details };
    };
    for (const [i, date] of ['2026-09-30', '2026-10-31'].entries()) {
      const answer = (await asOf(own, date)) as { value: { partners: { name: string }[] }; dataAsOf: string };
      const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
      const wanted = expected(records[i]) as unknown as { partners: { name: string }[] };
      expect({ ...answer.value, partners: answer.value.partners.toSorted(byName) }).toEqual({
        ...wanted,
        partners: wanted.partners.toSorted(byName),
      });
      expect(answer.dataAsOf).toBe(['2026-09-20', '2026-10-14'][i]);
    }
    expect(await asOf(own, '2026-11-14')).toMatchObject({ value: (records[2] as { value: object }).value });
    expect(await asOf(own, '2026-09-19')).toMatchObject({ code: 'NO_RECORD_THEN' });
  });

  it('is unknown before a company vanished, and absent after that', async () => {
    const own = copy();
    await own.load(await folderOf(monthOf(4), 'D61014'));
    await own.load(await folderOf(MONTH, 'D61114'));
    expect(await asOf(own, '2026-11-13', cnpjOf('99100003'))).toMatchObject({ code: 'NO_RECORD_THEN' });
    expect(await asOf(own, '2026-11-14', cnpjOf('99100003'))).toMatchObject({ value: null });
  });
});

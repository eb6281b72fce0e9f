import { describe, expect, it } from 'vitest';
import type { OptionalList } from '../../../src/domain/optional-lists.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { debarmentLoaderOf } from '../../../src/modules/debarment/loader.ts';
import { UNREADABLE_ROWS } from '../../../src/sources/registry/company-documents.ts';

const NAME = 'TINTAS AURORA LTDA';
const TODAY = '2026-10-01';
const [ENDED, IN_FORCE] = ['2026-09-30', '2026-10-01'];

/** A penalty until a day or, on the list of agreements, an agreement. */
const record = (list: OptionalList | 'CEIS', document: string, name: string, endsOn: string) => ({
  document,
  name,
  endsOn,
  startsOn: null,
  ...(list === 'ACORDO_LENIENCIA' ? { situation: 'VIGENTE', effects: [] } : { category: 'INIDONEIDADE' }),
});

/** Looks up a company with a record until `endsOn` on a list that also has a row without an id. */
async function lookUp(list: OptionalList | 'CEIS', endsOn: string, damagedName: string) {
  const load = (async ({ name }: { readonly name: string }, holder: unknown) => {
    if (name === 'taxpayer') return { value: { source: 'receita_federal', record: { legalName: NAME, tradeName: null } }, freshness: {} };
    const own = record(list, '11222333000181', NAME, endsOn);
    const rows = holder === UNREADABLE_ROWS ? [record(list, '', damagedName, '2030-01-01')] : [own];
    const entries = name === list ? rows.map((one, i) => ({ id: String(i), keys: [], record: one })) : [];
    return { value: { list: name, version: {}, entries }, freshness: {} };
  }) as unknown as Load;
  const { answer } = debarmentLoaderOf(list === 'CEIS' ? [] : [list]) as { answer: CallableFunction };
  const { value } = await answer({ country: 'BR', taxId: '11222333000181' }, load, { today: () => TODAY, now: () => 0 });
  return [value.isDebarred, value.records.length];
}

describe('UP-03 a company with a record, of which a row without a tax id prints the name', () => {
  it.each(['CEPIM', 'TCU_INIDONEOS', 'BCB_PROIBIDOS'] as const)('is not cleared by %s if the record has ended', async (list) => {
    await expect(lookUp(list, ENDED, NAME)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: list } });
    expect(await lookUp(list, ENDED, 'METALURGICA DO VALE SA')).toEqual([false, 1]);
  });

  it('is debarred by a record in force, and on CEIS also by one that has ended', async () => {
    expect(await lookUp('TCU_INIDONEOS', IN_FORCE, NAME)).toEqual([true, 1]);
    expect(await lookUp('CEIS', ENDED, NAME)).toEqual([true, 1]);
  });

  it('has its leniency agreement, which is no ban', async () => {
    expect(await lookUp('ACORDO_LENIENCIA', ENDED, NAME)).toEqual([false, 0]);
  });
});

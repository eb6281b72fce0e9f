import { expect, it } from 'vitest';
import type { ScreenedOwner } from '../../../src/modules/owners/domain.ts';
import { ownerScreening } from '../../../src/modules/owners/loaders/screening.ts';

const PERSON: ScreenedOwner = { entityType: 'individual', name: 'MARIA APARECIDA INVENTADA', identifier: '***456789**' } as ScreenedOwner;
const COMPANY: ScreenedOwner = { entityType: 'company', name: 'TINTAS AURORA LTDA', identifier: '11222333000181' } as ScreenedOwner;

const entry = (document: string, name: string, also?: readonly string[]) => ({
  id: name,
  keys: [],
  record: { document, also, name, category: 'Suspensão', startsOn: null, endsOn: null as string | null },
});

/** Screens an owner against a list with these entries by key. */
async function screened(owner: ScreenedOwner, entries: Readonly<Record<string, readonly object[]>>, name = 'CEIS') {
  const one = [...ownerScreening.lists, ...ownerScreening.optional].find(({ list }) => list === name);
  const load = (_: unknown, key: string) => ({ value: { list: name, entries: entries[key] ?? [], version: {} }, freshness: {} });
  return (await one?.answer(owner, load as never, { now: Date.now, today: () => '2026-11-30' } as never))?.value;
}

it('a row of a person whose id cannot be read does not clear an owner with its name, also beside a namesake by the digits of the CPF', async () => {
  const unreadable = { 'BR:?': [entry('', 'Maria Aparecida Inventada')] };
  await expect(screened(PERSON, unreadable)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  const namesake = { ...unreadable, 'BR:***456789**': [entry('***456789**', 'JORGE FICTICIO')] };
  await expect(screened(PERSON, namesake)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  expect(await screened({ ...PERSON, name: 'JORGE FICTICIO' }, unreadable)).toEqual([]);
  const listed = { ...unreadable, 'BR:***456789**': [entry('***456789**', 'MARIA APARECIDA INVENTADA')] };
  expect(await screened(PERSON, listed)).toMatchObject([{ matchedOn: 'name_and_cpf' }]);
});

it('a row with neither a right id nor a name clears no owner but a person whom a CNPJ excludes', async () => {
  for (const owner of [PERSON, COMPANY]) {
    await expect(screened(owner, { 'BR:?': [entry('', '-')] })).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  }
  await expect(screened(COMPANY, { 'BR:?': [entry('44000000000100', '')] })).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  expect(await screened(PERSON, { 'BR:?': [entry('44000000000100', '')] })).toEqual([]);
});

it('a row with a damaged id does not clear a company with its name that has only an ended record', async () => {
  const { record, ...rest } = entry('11222333000181', 'TINTAS AURORA LTDA');
  const damaged = { 'BR:?': [entry('11222339000181', 'TINTAS AURORA LTDA')] };
  for (const list of ['CEIS', 'TCU_INIDONEOS']) {
    const ended = { ...damaged, 'BR:11222333': [{ ...rest, record: { ...record, endsOn: '2026-11-29' } }] };
    await expect(screened(COMPANY, ended, list), list).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    const lasting = { ...damaged, 'BR:11222333': [{ ...rest, record: { ...record, endsOn: '2026-12-01' } }] };
    expect(await screened(COMPANY, lasting, list), list).toMatchObject([{ matchedOn: 'tax_id' }]);
  }
});

it('a company that is the second one of a row is matched by its own CNPJ', async () => {
  const entries = { 'BR:11222333': [entry('44000000000167', 'FICTICIAS', ['11222333000181'])] };
  expect(await screened(COMPANY, entries)).toMatchObject([{ matchedOn: 'tax_id' }]);
  expect(await screened({ ...COMPANY, identifier: '11222333000262' }, entries)).toMatchObject([{ matchedOn: 'root' }]);
});

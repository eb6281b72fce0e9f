import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CHOSEN_LISTS, fingerprints } from '../../../src/modules/monitor/service/compared-lists.ts';

const record = { uid: '1000', kind: 'entity', name: 'ACME SA', details: { addresses: ['Quito'], foundationDates: [], remarks: 'Listed.' } };
const entry = (changed: object) => [{ key: '1', record: { ...record, ...changed } }] as never;

it('the fingerprint of a listed party changes with its name, and not with its address or the remarks about it', () => {
  expect(fingerprints(entry({ details: { addresses: ['Lima'], foundationDates: [], remarks: null } }))).toEqual(fingerprints(entry({})));
  expect(fingerprints(entry({ details: undefined }))).toEqual(fingerprints(entry({})));
  expect(fingerprints(entry({ name: 'ACME LTDA' }))).not.toEqual(fingerprints(entry({})));
});

it('the fingerprint of a listed party does not depend on the order of its names, programmes and countries', () => {
  const names = [
    { name: 'ACME', type: 'a.k.a.', weak: false },
    { name: 'ALFA', type: 'f.k.a.', weak: false },
  ];
  const printed = { aliases: names, programs: ['SDGT', 'IRAN'], countries: ['Peru', 'Chile'] };
  const other = { aliases: names.toReversed(), programs: ['IRAN', 'SDGT'], countries: ['Chile', 'Peru'] };
  expect(fingerprints(entry(other))).toEqual(fingerprints(entry(printed)));
  expect(fingerprints(entry({ ...other, programs: ['IRAN'] }))).not.toEqual(fingerprints(entry(printed)));
});

it('the fingerprint of a record that an earlier version stored, with the order as printed, stays the same', () => {
  const changed = { programs: ['SDGT', 'IRAN'] };
  const { details: _, ...printed } = { ...record, ...changed };
  const stored = createHash('sha256').update(JSON.stringify(printed)).digest('base64url').slice(0, 22);
  expect(fingerprints(entry(changed), new Set([stored]))).toEqual([stored]);
  expect(fingerprints(entry(changed))).not.toEqual([stored]);
});

/** Observes a company that the list of the TCU had, beside a record without a number. */
async function observedBeside(name: string) {
  const tcu = CHOSEN_LISTS.find(({ list }) => list === 'TCU_INIDONEOS');
  const entries = new Map([['BR:?', [{ id: '1', keys: ['BR:?'], record: { name, endsOn: null } }]]]);
  const use = () => ({ lookup: async () => ({ version: { id: '2' }, entries }) });
  const company = { legalPerson: 'BR:11222333', names: ['TINTAS AURORA LTDA'], entries: ['before'], ignored: null };
  return (await tcu?.observe([company] as never, { use: use as never, now: Date.now }))?.observed;
}

it('an entry of the TCU that is gone counts as removed, unless a record without a number may be about the company', async () => {
  expect(await observedBeside('METALURGICA DO VALE SA')).toEqual([[]]);
  for (const name of ['TINTAS AURORA', '']) expect(await observedBeside(name), name).toEqual([['before']]);
});

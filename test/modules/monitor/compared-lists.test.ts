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

it('the fingerprint of an entry does not depend on accents, letter case, blanks and the encoding of its texts', () => {
  const printed = { category: 'Suspensão', aliases: ['Ágil', 'Bravo'] };
  expect(fingerprints(entry({ category: 'SUSPENSAO ', aliases: ['BRAVO', 'AGIL'] }))).toEqual(fingerprints(entry(printed)));
  expect(fingerprints(entry({ ...printed, category: 'SuspensÃ£o' }))).toEqual(fingerprints(entry(printed)));
  expect(fingerprints(entry({ ...printed, category: 'Impedimento' }))).not.toEqual(fingerprints(entry(printed)));
});

it.each([
  ['the order', ['SDGT', 'IRAN'], ['SDGT', 'IRAN']],
  ['the spelling', ['IRAN', 'SDGT'], ['SDGT', 'IRAN']],
])('the fingerprint of a record that an earlier version stored, with %s as printed, stays the same', (_, before, after) => {
  const { details: __, ...printed } = { ...record, programs: before };
  const stored = createHash('sha256').update(JSON.stringify(printed)).digest('base64url').slice(0, 22);
  expect(fingerprints(entry({ programs: after }), new Set([stored]))).toEqual([stored]);
  expect(fingerprints(entry({ programs: after }))).not.toEqual([stored]);
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
  for (const name of ['TINTAS AURORA', '', '-']) expect(await observedBeside(name), name).toEqual([['before']]);
});

import { expect, it } from 'vitest';
import { fingerprints } from '../../../src/modules/monitor/service/compared-lists.ts';

const record = { uid: '1000', kind: 'entity', name: 'ACME SA', details: { addresses: ['Quito'], foundationDates: [], remarks: 'Listed.' } };
const entry = (changed: object) => [{ key: '1', record: { ...record, ...changed } }] as never;

it('the fingerprint of a listed party changes with its name, and not with its address or the remarks about it', () => {
  expect(fingerprints(entry({ details: { addresses: ['Lima'], foundationDates: [], remarks: null } }))).toEqual(fingerprints(entry({})));
  expect(fingerprints(entry({ details: undefined }))).toEqual(fingerprints(entry({})));
  expect(fingerprints(entry({ name: 'ACME LTDA' }))).not.toEqual(fingerprints(entry({})));
});

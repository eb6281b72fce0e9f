import { describe, expect, it } from 'vitest';
import { diffRecords, ownerKey, type WatchedOwners, withKnown } from '../../../src/modules/monitor/domain/record.ts';

/** Returns a list of partners of the form `A 50`; `A ?` is a partner whose share is unknown. */
function owners(...rows: readonly string[]): { readonly owners: WatchedOwners } {
  const listed = rows.map((row) => {
    const [name = '', share = ''] = row.split(' ');
    return { kind: 'company', name, document: name, share: share === '?' ? null : share } as const;
  });
  return { owners: { count: listed.length, digest: listed.map(ownerKey).sort().join(), listed } };
}

describe('the shares of owners', () => {
  it.each([
    ['becomes known', ['A ?', 'B 50'], ['A 50', 'B 50']],
    ['becomes unknown', ['A 50', 'B 50'], ['A ?', 'B 50']],
    ['becomes known in one of two rows of an owner', ['A ?', 'A 30'], ['A 30', 'A 20']],
  ])('are the same if one %s', (_, before, after) => {
    expect(diffRecords(owners(...before), owners(...after))).toEqual([]);
  });

  it.each([
    ['a known share becomes another', ['A 50'], ['A 60'], 'A (A) 50 %', 'A (A) 60 %'],
    ['another owner has the share', ['A ?'], ['B 50'], 'A (A)', 'B (B) 50 %'],
    ['an owner gets a second row', ['A ?'], ['A 30', 'A 20'], null, 'A (A) 20 %'],
  ])('change if %s', (_, before, after, from, to) => {
    expect(diffRecords(owners(...before), owners(...after))).toEqual([{ field: 'owners', from, to }]);
  });

  it.each([
    ['known at first', ['A 50'], ['A ?']],
    ['unknown at first', ['A ?'], ['A 50']],
    ['unknown when another one changes', ['A 50', 'B 1'], ['A ?', 'B 2']],
  ])('are compared with the last known ones: %s', (_, first, second) => {
    const kept = withKnown(owners(...first), owners(...second));
    const change = { field: 'owners', from: 'A (A) 50 %', to: 'A (A) 60 %' };
    expect(diffRecords(kept, owners('A 60', ...second.slice(1)))).toEqual([change]);
  });
});

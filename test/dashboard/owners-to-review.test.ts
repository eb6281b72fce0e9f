import { describe, expect, it } from 'vitest';
import { toneOfOwners } from '../../dashboard/ui/owners-tone.ts';

const owners = { total: 0, byTaxId: 0, notCompared: 0, owners: 3 };

describe('the tone of the owners to review', () => {
  it('is that of a clearance only if all owners were compared and the verdict is complete', () => {
    expect(toneOfOwners(owners, 'COMPLETE')).toBe('low');
    expect(toneOfOwners({ ...owners, notCompared: 1 }, 'COMPLETE')).toBe('none');
    expect(toneOfOwners(owners, 'PARTIAL')).toBe('none');
  });

  it('is that of the findings of a verdict that is not complete, too', () => {
    expect(toneOfOwners({ ...owners, total: 1, notCompared: 1 }, 'PARTIAL')).toBe('medium');
    expect(toneOfOwners({ ...owners, total: 1, byTaxId: 1 }, 'PARTIAL')).toBe('high');
  });
});

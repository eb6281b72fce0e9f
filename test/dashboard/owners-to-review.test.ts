import { describe, expect, it } from 'vitest';
import { publishedKey, reviewKey, toneOfOwners } from '../../dashboard/ui/owners-tone.ts';

const owners = { total: 0, byTaxId: 0, notCompared: 0, owners: 3 };

describe('the tone of the owners to review', () => {
  it('is that of a clearance only if all owners were compared and the verdict is complete', () => {
    expect(toneOfOwners(owners, 'COMPLETE', 'BR')).toBe('low');
    expect(toneOfOwners({ ...owners, notCompared: 1 }, 'COMPLETE', 'BR')).toBe('none');
    expect(toneOfOwners(owners, 'PARTIAL', 'BR')).toBe('none');
  });

  it('is no clearance for a Colombian company, of which the legal representative alone is published, and the sentence says so', () => {
    expect(toneOfOwners(owners, 'COMPLETE', 'CO')).toBe('none');
    expect(toneOfOwners({ ...owners, total: 1 }, 'COMPLETE', 'CO')).toBe('medium');
    expect([reviewKey('CO', 0), reviewKey('CL', 0), reviewKey('BR', 2)]).toEqual(['officers.review', 'owners.review', 'owners.reviewById']);
  });

  it('is that of the findings of a verdict that is not complete, too', () => {
    expect(toneOfOwners({ ...owners, total: 1, notCompared: 1 }, 'PARTIAL', 'BR')).toBe('medium');
    expect(toneOfOwners({ ...owners, total: 1, byTaxId: 1 }, 'PARTIAL', 'BR')).toBe('high');
  });
});

describe('the sentence on the owners that a registry publishes', () => {
  it('is that of the file of Chile, and that of Colombia, where partners are not published', () => {
    const composition = { status: 'UNREAD', complete: null } as const;
    expect(publishedKey({ composition, partnersPublished: true })).toBe('owners.file.UNREAD');
    expect(publishedKey({ composition: null, partnersPublished: false })).toBe('owners.officers');
    expect(publishedKey({ composition: null, partnersPublished: true })).toBeNull();
  });
});

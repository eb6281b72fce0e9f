import { describe, expect, it } from 'vitest';
import { branchCount } from '../../dashboard/pages/company/branch-count.ts';

const page = { companyKnown: true, reason: null, pageInfo: { hasNextPage: false, endCursor: null } };

describe('the number of branches', () => {
  it('is the least one while more can be read, or some may be missing', () => {
    expect(branchCount(2, page)).toEqual({ n: 2, isLeast: false });
    expect(branchCount(2, { ...page, pageInfo: { hasNextPage: true, endCursor: 'c' } })).toEqual({ n: 2, isLeast: true });
    expect(branchCount(2, { ...page, reason: 'A file could not be read.' })).toEqual({ n: 2, isLeast: true });
  });

  it('is none only if the registry has the company and all was read', () => {
    expect(branchCount(0, page)).toEqual({ n: 0, isLeast: false });
    expect(branchCount(0, { ...page, companyKnown: false })).toBeNull();
    expect(branchCount(0, { ...page, reason: 'A file could not be read.' })).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { registrationOf, type ShownCompany } from '../../dashboard/state/model.ts';

const company = (compliance: object | null | undefined) => ({ compliance }) as ShownCompany;

describe('the registration that came with a company', () => {
  it('is not read without a consolidated check, and if its source failed', () => {
    expect([undefined, null, { registration: null, checks: { kyb: null } }].map((one) => registrationOf(company(one)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is none if the registry has no such company', () => {
    expect(registrationOf(company({ registration: null, checks: { kyb: { companyName: null } } }))).toBeNull();
    expect(registrationOf(company({ registration: { size: 'ME' }, checks: { kyb: {} } }))).toEqual({ size: 'ME' });
  });
});

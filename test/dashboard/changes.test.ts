import { expect, it } from 'vitest';
import type { ChangeRow } from '../../dashboard/api/operations.ts';
import { companyId, initialState, withChanges, withCompanies } from '../../dashboard/state/model.ts';
import { watchedCompany } from './watched-company.ts';

const company = watchedCompany({ lastChangeAt: '2026-11-20T10:00:00+00:00' });
const change = (id: string, detectedAt: string): ChangeRow => ({
  id,
  observationId: id,
  cursor: id,
  source: 'RECEITA_FEDERAL',
  detectedAt,
  company: { ...company, id: '' },
  changedFields: [{ field: 'NAME', from: 'a', to: 'b', list: null }],
});

it.each([
  ['2026-11-20T11:00:00+00:00', '2026-11-20T11:00:00+00:00'],
  ['2026-11-20T09:00:00+00:00', '2026-11-20T10:00:00+00:00'],
])('a change of %s sets the last change of its company to %s', (detectedAt, expected) => {
  const after = withChanges(withCompanies(initialState, [company]), [change('obs_1', detectedAt)]);
  expect(after.companies.get(companyId(company))?.lastChangeAt).toBe(expected);
});

import { PARTNER_FIELDS, REGISTRY_FIELDS } from './change-field.ts';
import type { ChangeCounts } from './store/comparisons.ts';
import type { VersionFacts } from './store/switch.ts';

/** Maximum difference of a share between two versions: 0.5 percentage points. */
const MAX_DIFFERENCE = 0.005;
/** Number of rows that may always differ, because a percentage of few rows says nothing. */
const SLACK = 10;
/** Maximum share of rows without a name, and of unread rows, in a version that is compared with none. */
const MAX_FIRST_SHARE = 0.05;
/**
 * Maximum share of companies, or of partners, of which one field changed between two extracts. In an ordinary month it is below one
 * percent.
 */
const MAX_CHANGED_SHARE = 0.02;

/**
 * Returns why a version must not replace the current one, one sentence per reason; empty if it may.
 * @param current facts of the current version; null if there is none
 * @param vanished number of companies of the current version that the new one lacks
 */
export function objectionsTo(next: VersionFacts, current: VersionFacts | null, vanished: number): readonly string[] {
  const objections: string[] = [];
  const compare = (what: string, count: number, total: number, before: number, totalBefore: number): void => {
    const share = total === 0 ? 0 : count / total;
    const shareBefore = totalBefore === 0 ? 0 : before / totalBefore;
    const expected = shareBefore * total;
    if (Math.abs(share - shareBefore) > MAX_DIFFERENCE && Math.abs(count - expected) > SLACK)
      objections.push(`${what}: ${percent(share)}, before ${percent(shareBefore)}.`);
  };

  if (next.companies === 0 || next.establishments === 0) objections.push('The files have no companies.');
  limit(objections, 'orphaned establishments', next.orphans, next.establishments, MAX_DIFFERENCE);
  limit(objections, 'unread rows', next.unread, next.companies + next.establishments + next.partners, MAX_DIFFERENCE);
  if (!current) {
    limit(objections, 'companies without a name', next.namelessCompanies, next.companies, MAX_FIRST_SHARE);
    limit(objections, 'partners without a name', next.namelessPartners, next.partners, MAX_FIRST_SHARE);
    return objections;
  }
  for (const table of ['companies', 'establishments', 'partners'] as const) {
    const lost = current[table] - next[table];
    limit(objections, `${table} fewer than before`, lost, current[table], MAX_DIFFERENCE);
  }
  limit(objections, 'companies that the current version has and the new one lacks', vanished, current.companies, MAX_DIFFERENCE);
  compare('companies without a name', next.namelessCompanies, next.companies, current.namelessCompanies, current.companies);
  compare('partners without a name', next.namelessPartners, next.partners, current.namelessPartners, current.partners);
  for (const status of new Set([...Object.keys(next.statuses), ...Object.keys(current.statuses)]))
    compare(
      `establishments of status ${status}`,
      next.statuses[status] ?? 0,
      next.establishments,
      current.statuses[status] ?? 0,
      current.establishments,
    );
  return objections;
}

/** Returns the fields that changed for so many companies that the files are probably broken, one sentence per field. */
export function objectionsToChanges(counts: ChangeCounts, { companies, partners }: VersionFacts): readonly string[] {
  const objections: string[] = [];
  for (const field of REGISTRY_FIELDS) {
    const total = PARTNER_FIELDS.some((one) => one === field) ? partners : companies;
    limit(objections, `changes of the field ${field}`, counts[field] ?? 0, total, MAX_CHANGED_SHARE);
  }
  return objections;
}

function limit(objections: string[], what: string, count: number, total: number, max: number): void {
  if (count > SLACK && count > total * max) objections.push(`${what}: ${count} of ${total}.`);
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

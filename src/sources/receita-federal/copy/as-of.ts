import { isMaskedCpf } from '../../../domain/personal-ids.ts';
import { CNPJ_LENGTH, type ReceitaCompany } from '../company.ts';
import type { StoredCompany, StoredPartner } from './store/find.ts';
import type { ChangedPartner, StoredChange } from './store/find-changes.ts';

/** A stored establishment that a version has. */
type Establishment = StoredCompany & { readonly status: number };

/**
 * Undoes changes, the newest first, to the row of a later version. Returns null if the registry did not have the establishment before them.
 * @param changes of the establishment and its legal person, newest first
 */
export function undoChanges(row: Establishment, changes: readonly StoredChange[]): Establishment | null {
  let known: Establishment | null = row;
  for (const change of changes) known = known && undo(known, change);
  return known;
}

function undo(row: Establishment, change: StoredChange): Establishment | null {
  const { field, before, details } = change;
  const number = before === null ? null : Number(before);
  switch (field) {
    case 'registered':
    case 'branch_opened':
      return null;
    case 'name':
      return { ...row, name: before };
    case 'size':
      return { ...row, size: number };
    case 'capital':
      return { ...row, capitalCents: before };
    case 'nature':
      return { ...row, nature: number, natureName: null };
    case 'activity':
      return { ...row, activity: number, activityName: null };
    case 'address': {
      const [state = ''] = before?.split('/') ?? [];
      return { ...row, state: state || null, municipality: change.beforePlace };
    }
    case 'status':
    case 'branch_closed': {
      const { since, reason } = details as { readonly since: string | null; readonly reason: number | null };
      return { ...row, status: number ?? row.status, statusSince: since, reason, reasonName: change.reasonName };
    }
    case 'special_situation':
      return { ...row, specialSituation: before, specialSince: (details as { readonly since: string | null }).since };
    case 'partner_joined':
      return { ...row, partners: without(row.partners, details as ChangedPartner) };
    case 'partner_left':
      return { ...row, partners: [...row.partners, toStored(details as ChangedPartner, change)] };
    default:
      return row;
  }
}

/** Returns the partners without one that equals the given partner. */
function without(partners: readonly StoredPartner[], gone: ChangedPartner): readonly StoredPartner[] {
  const at = partners.findLastIndex((one) => keyOf(one) === keyOf(gone));
  return at === -1 ? partners : partners.toSpliced(at, 1);
}

/** Returns the text by which partners are compared, as in the comparison of two versions. */
function keyOf({ kind: stored, name, document, role }: Pick<StoredPartner, 'kind' | 'name' | 'document' | 'role'>): string {
  const kind = document?.length === CNPJ_LENGTH ? 1 : stored;
  return JSON.stringify([kind, role, kind === 1 && document !== null && !isMaskedCpf(document) ? document.slice(0, 8) : [name, document]]);
}

const toStored = (
  { representative_role: representativeRole, ...partner }: ChangedPartner,
  { country, partnerCnpj }: StoredChange,
): StoredPartner => ({
  ...partner,
  document: partnerCnpj ?? partner.document,
  country,
  roleName: null,
  representativeRole,
  representativeRoleName: null,
});

/**
 * Returns an establishment at an extract without the dates after it. A status, a situation or a partner that was replaced by one of the same
 * name has another date since, and the one before is not kept. Neither are corrected dates of entry and of the first registration.
 */
export function withoutLater(row: Establishment, extractedOn: string): Establishment {
  const isLater = (since: string | null): boolean => since !== null && since > extractedOn;
  return {
    ...row,
    ...(isLater(row.statusSince) && { statusSince: null, reason: null, reasonName: null }),
    ...(isLater(row.specialSince) && { specialSince: null }),
    ...(isLater(row.startedOn) && { startedOn: null }),
    partners: row.partners.map((one) => (isLater(one.since) ? { ...one, since: null } : one)),
  };
}

const UNKNOWN_REGIME = { isMember: null, since: null, until: null };

/** Returns a record without the fields of which no differences are kept, so that none has the value of a later extract. */
export const withoutUncompared = (company: ReceitaCompany): ReceitaCompany => ({
  ...company,
  tradeName: null,
  partners: company.partners?.map((partner) => ({ ...partner, legalRepName: null, legalRepRole: null })) ?? null,
  details: {
    ...company.details,
    otherActivities: null,
    simples: UNKNOWN_REGIME,
    mei: UNKNOWN_REGIME,
    federativeEntity: null,
    address: { ...company.details.address, foreignCity: null, foreignCountry: null },
  },
});

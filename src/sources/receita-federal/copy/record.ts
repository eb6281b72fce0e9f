import {
  companyName,
  filled,
  filledName,
  foreignCountry,
  gapsOf,
  isPersonalNature,
  PARTNER_KINDS,
  placeOf,
  porteOf,
  REGISTRATIONS,
  type ReceitaCompany,
  type ReceitaPartner,
} from '../company.ts';
import type { ReceitaDetails } from '../details.ts';
import { detailsOf } from '../read-details.ts';
import { ACTIVITIES, nameOf, ROLES, roleCode } from '../tables.ts';
import { natureCode, storedActivity } from './nodes.ts';
import { isRoot } from './rows.ts';
import type { AnsweringVersion, StoredCompany, StoredPartner } from './store/find.ts';

/** Converts a stored establishment to the record that the mirrors' answers are converted to. @param row one with a status */
export function toReceitaCompany(row: StoredCompany & { readonly status: number }): ReceitaCompany {
  const nature = natureCode(row.nature);
  const isMei = row.mei === true;
  const isPersonal = isPersonalNature(nature, isMei);
  const activityCode = storedActivity(row.activity);
  return {
    cnpj: row.cnpj,
    legalName: companyName(row.name, isPersonal) ?? '',
    tradeName: companyName(row.tradeName, isPersonal),
    registration: REGISTRATIONS[row.status as keyof typeof REGISTRATIONS],
    registrationSince: row.statusSince,
    openedOn: row.startedOn,
    isBranch: !row.isHead,
    specialSituation: filled(row.specialSituation),
    activityCode,
    activity: nameOf(ACTIVITIES, activityCode, filled(row.activityName)),
    nature,
    size: porteOf(row.size),
    isMei,
    capital: row.capitalCents === null ? null : Number(row.capitalCents) / 100,
    ...placeOf(row.state, row.municipality),
    partners: row.partners.map(toPartner).map(withoutRoot),
    details: toDetails(row, { nature, isPersonal }),
  };
}

/** Returns a record whose partners are unknown if it lacks them and a line that was lost may be about one of them. */
export const withoutLostPartners = (company: ReceitaCompany, { hasLostPartners }: AnsweringVersion): ReceitaCompany =>
  hasLostPartners && gapsOf(company).includes('partners') ? { ...company, partners: null } : company;

/** Returns a partner without the root of a company that has no head office in the files, because a root is no CNPJ. */
export const withoutRoot = (partner: ReceitaPartner): ReceitaPartner =>
  partner.document !== null && isRoot(partner.document) ? { ...partner, document: null } : partner;

/** The copy stores neither street nor district nor postal code. */
const toDetails = (row: StoredCompany, company: Parameters<typeof detailsOf>[1]): ReceitaDetails =>
  detailsOf(
    {
      reasonCode: row.reason,
      reason: row.reasonName,
      nature: row.natureName,
      activities: row.otherActivities,
      foreignCity: row.foreignCity,
      country: row.country,
      simples: { isMember: row.simples, since: row.simplesSince, until: row.simplesUntil },
      mei: { isMember: row.mei, since: row.meiSince, until: row.meiUntil },
      federativeEntity: row.federativeEntity,
      specialSituationSince: row.specialSince,
    },
    company,
  );

const roleName = (code: number | null, name: string | null): string | null => nameOf(ROLES, roleCode(code), filled(name));

export const toPartner = (row: StoredPartner): ReceitaPartner => ({
  kind: PARTNER_KINDS[row.kind],
  name: filledName(row.name) ?? '',
  document: row.document,
  roleCode: row.role,
  role: roleName(row.role, row.roleName) ?? '',
  entryDate: row.since,
  country: foreignCountry(row.country),
  legalRepName: filledName(row.representative),
  legalRepRole: filledName(row.representative) && roleName(row.representativeRole, row.representativeRoleName),
});

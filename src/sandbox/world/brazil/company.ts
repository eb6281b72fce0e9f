import { cnpjOf, person, type SandboxPartner } from './people.ts';
import type { Activity, CountryCode, NATURES, Place, REASONS, SIZES, STATUSES } from './tables.ts';

/** A Brazilian establishment of the fictional world. Dates are ISO. */
export interface SandboxCompany {
  /** Short id that docs, tests and examples use, e.g. `debarred-ceis`. */
  readonly scenario: string;
  /** Bare, 14 characters. */
  readonly cnpj: string;
  /** Legal name: capitals without accents. */
  readonly name: string;
  /** One sentence: the result of a check of this company. */
  readonly note: string;
  /** Registries that have the company. `fallback` is the false 404: minha-receita lacks it, OpenCNPJ has it. */
  readonly knownTo: 'both' | 'fallback' | 'none';
  readonly isBranch: boolean;
  readonly tradeName: string;
  readonly status: keyof typeof STATUSES;
  readonly statusSince: string | null;
  readonly reason: keyof typeof REASONS;
  readonly openedOn: string;
  readonly activity: Activity;
  /** Null and an empty array both mean none. */
  readonly otherActivities: readonly Activity[] | null;
  readonly nature: keyof typeof NATURES;
  readonly size: keyof typeof SIZES;
  /** BRL, to the cent. */
  readonly capital: number;
  readonly place: Place;
  /** City and country of a company domiciled abroad. */
  readonly abroad: { readonly city: string; readonly country: CountryCode } | null;
  /** Null and an empty array both mean no owners on record. */
  readonly partners: readonly SandboxPartner[] | null;
  /** E.g. RECUPERACAO JUDICIAL. */
  readonly special: { readonly situation: string; readonly since: string } | null;
  /** Null for a company that never chose a tax regime. */
  readonly simples: boolean | null;
  readonly mei: boolean | null;
  /** Public bodies only. */
  readonly publicOwner: string;
  /** Null for a company that does not change. */
  readonly schedule: ChangeSchedule | null;
}

/** Alternates a company between its own fields and `other` every `everyMs`, with a phase of `shiftMs`. */
export interface ChangeSchedule {
  readonly everyMs: number;
  readonly shiftMs: number;
  readonly other: Partial<SandboxCompany>;
}

/** Fields that differ from the default company: an active limited company of two partners in São Paulo. */
export type CompanyPlan = Partial<SandboxCompany> & {
  readonly scenario: string;
  readonly name: string;
  readonly note: string;
  /** First 8 characters of the CNPJ. */
  readonly root: string;
  /** Establishment, `0001` unless given; any other is a branch unless the plan says otherwise. */
  readonly order?: string;
};

/** A company as it is at a moment (epoch ms) if nobody meddles: the same in every process with this clock. */
export const companyAt = (company: SandboxCompany, now: number): SandboxCompany =>
  company.schedule && Math.floor((now - company.schedule.shiftMs) / company.schedule.everyMs) % 2 !== 0
    ? { ...company, ...company.schedule.other }
    : company;

/** A plan → the whole company. */
export function establishment({ root, order = '0001', ...plan }: CompanyPlan): SandboxCompany {
  const openedOn = plan.openedOn ?? '2012-03-14';
  return {
    cnpj: cnpjOf(root, order),
    knownTo: 'both',
    isBranch: order !== '0001',
    tradeName: '',
    status: 2,
    statusSince: openedOn,
    reason: 0,
    openedOn,
    activity: '8299799',
    otherActivities: [],
    nature: 2062,
    size: 5,
    capital: 100_000,
    place: 'SAO PAULO',
    abroad: null,
    partners: [person(1, 49, openedOn), person(2, 22, openedOn)],
    special: null,
    simples: null,
    mei: null,
    publicOwner: '',
    schedule: null,
    ...plan,
  };
}

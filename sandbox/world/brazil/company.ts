import { cnpjCheckDigits } from '../../../src/domain/check-digits.ts';
import type { Activity, CountryCode, NATURES, Place, REASONS, Role, SIZES, STATUSES } from './tables.ts';

/** A Brazilian establishment of the fictional world. Dates are ISO. */
export interface SandboxCompany {
  /** Short id that docs, tests and examples use, e.g. `debarred-ceis`. */
  readonly scenario: string;
  /** Bare CNPJ, 14 characters. */
  readonly cnpj: string;
  /** Legal name: capitals without accents. */
  readonly name: string;
  /** A sentence about the result of a check of this company. */
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
  /** Special situation, e.g. RECUPERACAO JUDICIAL. */
  readonly special: { readonly situation: string; readonly since: string } | null;
  /** Tax regime; null for a company that never chose one. */
  readonly simples: boolean | null;
  readonly mei: boolean | null;
  /** Owner of a public body. */
  readonly publicOwner: string;
  /** Schedule of changes; null for a company that does not change. */
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
  /** Number of the establishment, default `0001`; any other is a branch unless the plan says otherwise. */
  readonly order?: string;
};

/** Returns a company at a time (epoch ms) without manual changes. It is the same in every process with this clock. */
export const companyAt = (company: SandboxCompany, now: number): SandboxCompany =>
  company.schedule && Math.floor((now - company.schedule.shiftMs) / company.schedule.everyMs) % 2 !== 0
    ? { ...company, ...company.schedule.other }
    : company;

/** Completes a plan to a company. */
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

/** A partner or officer. Each registry formats it in its own way. */
export interface SandboxPartner {
  /** Kind: 1 legal person, 2 natural person, 3 foreign. */
  readonly kind: 1 | 2 | 3;
  readonly name: string;
  /** Document: complete CNPJ, masked CPF (`***000101**`), empty for most foreigners. */
  readonly document: string;
  readonly role: Role;
  /** ISO date, which may be an impossible year. */
  readonly since: string;
  readonly country: CountryCode | null;
  readonly representative: { readonly name: string; readonly document: string; readonly role: Role } | null;
  /** Index into the registry's age bands; 0 for companies. */
  readonly ageBand: number;
}

const GIVEN = ['ANA', 'BRUNO', 'CARLA', 'DIEGO', 'ELISA', 'FABIO', 'GILDA', 'HEITOR', 'INES', 'JONAS', 'LARA', 'MARIO', 'NEUSA'];
const FAMILY = ['DE TAL', 'DA SILVA INVENTADA', 'DO EXEMPLO', 'SOUZA MODELO', 'DA COSTA QUALQUER', 'PEREIRA ALHURES', 'LIMA IMAGINARIO'];

/** Returns a person's name by number. Equal numbers give equal names. The first 91 differ. */
export const personName = (serial: number): string => `${GIVEN[serial % GIVEN.length]} ${FAMILY[serial % FAMILY.length]}`;

/** Returns a fictional CPF with valid check digits: `000` and the number. */
export function madeUpCpf(serial: number): string {
  const base = String(serial).padStart(9, '0');
  const digit = (text: string): number => {
    const sum = [...text].reduce((total, char, i) => total + Number(char) * (text.length + 1 - i), 0);
    return ((sum * 10) % 11) % 10;
  };
  const first = digit(base);
  return `${base}${first}${digit(base + String(first))}`;
}

/** Returns a masked CPF such as `***000101**`. */
export const maskedCpf = (serial: number): string => `***${madeUpCpf(serial).slice(3, 9)}**`;

/** Returns the full CNPJ of a root and an order number. The head office is `0001`. */
export const cnpjOf = (root: string, order = '0001'): string => `${root}${order}${cnpjCheckDigits(root + order)}`;

const plain = { country: null, representative: null } as const;

/** A natural person living in Brazil. */
export const person = (serial: number, role: Role = 49, since = '2012-03-14'): SandboxPartner => ({
  ...plain,
  kind: 2,
  name: personName(serial),
  document: maskedCpf(serial),
  role,
  since,
  ageBand: 3 + (serial % 6),
});

/** A Brazilian company as owner, by the root of its CNPJ. */
export const companyOwner = (root: string, name: string, role: Role = 22, since = '2015-06-01'): SandboxPartner => ({
  ...plain,
  kind: 1,
  name,
  document: cnpjOf(root),
  role,
  since,
  ageBand: 0,
  representative: { name: personName(71), document: maskedCpf(71), role: 5 },
});

/** An owner abroad: a company by role 37, a person by role 38. */
export const foreignOwner = (name: string, role: 37 | 38, country: CountryCode, representative: number | null = 72): SandboxPartner => ({
  kind: 3,
  name,
  document: role === 37 ? '' : '***000000**',
  role,
  since: '2017-09-20',
  country,
  representative: representative === null ? null : { name: personName(representative), document: maskedCpf(representative), role: 17 },
  ageBand: 0,
});

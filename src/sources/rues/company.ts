import { z } from 'zod';
import type { RegisterAbsence } from '../../domain/company.ts';

/** Category of a registration: 01 the company itself, 02 a branch (sucursal), 03 an agency, 04 an establishment, 00 all others. */
export const CATEGORIES = ['main', 'branch', 'agency', 'establishment', 'other'] as const;
export type RegistrationCategory = (typeof CATEGORIES)[number];

const text = z.string().nullable();
const year = z.int().nullable();

/** A registration (matrícula) of a company at a chamber of commerce. A company has one at each chamber where it was ever registered. */
export const CHAMBER_REGISTRATION = z.object({
  /** Name of the chamber as printed; null if the row has none. */
  chamber: text,
  /** Registration number, unique together with the chamber only. */
  number: text,
  /** State in the words of the register, e.g. `ACTIVA`. */
  state: z.string(),
  category: z.enum(CATEGORIES),
  /** ISO date. */
  registeredOn: text,
  lastRenewedYear: year,
  /** ISO date; it may also stand in a registration that is not cancelled. */
  cancelledOn: text,
  /** True for the registration whose state is that of the company. */
  isChosen: z.boolean(),
});

/** A company in the commercial register of Colombia. A field that the register does not publish, or has no valid value of, is null. */
export const RUES_COMPANY = z.object({
  /** Bare NIT with its check digit. */
  nit: z.string(),
  name: z.string(),
  /** Trade acronym (sigla). */
  tradeName: text,
  /** State of the chosen registration in the words of the register. */
  state: z.string(),
  status: z.enum(['active', 'inactive']),
  /** False for every inactive company, and for an active branch whose main registration is not active. */
  isVerified: z.boolean(),
  /** True if the chosen registration is that of a branch or an agency. */
  isBranch: z.boolean(),
  /** ISO date of the earliest registration at any chamber. The constitution may be older. */
  foundedOn: text,
  /** ISO date of the last cancellation; null while a registration is active. */
  endedOn: text,
  lastRenewedYear: year,
  /** Year of the last renewal, if the next one was due before the date of the data; else null. */
  notRenewedSince: year,
  /** Number of yearly renewals that were due since then; null with it. */
  renewalsMissed: z.int().nullable(),
  legalForm: text,
  /** CIIU codes, the main one first; four digits, or a letter and four or six digits in old registrations. */
  activities: z.array(z.string()),
  chamber: text,
  /** The legal representative, whose document is never requested; null if the register names none. */
  representative: z.object({ name: z.string(), isCompany: z.boolean() }).nullable(),
  /** All registrations that have a name and a state, the chosen one first. */
  registrations: z.array(CHAMBER_REGISTRATION),
});

export type ChamberRegistration = Readonly<z.output<typeof CHAMBER_REGISTRATION>>;
export type RuesCompany = Readonly<z.output<typeof RUES_COMPANY>>;

/** The answer of the register about a NIT: a company, or the reason for which there is none. */
export type RuesFinding =
  | { readonly record: RuesCompany; readonly absence: null }
  | { readonly record: null; readonly absence: RegisterAbsence };

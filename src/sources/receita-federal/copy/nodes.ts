import { cnpjCheckDigits } from '../../../domain/check-digits.ts';
import { companyName, filled, isPersonalNature, REGISTRATIONS, type Registration } from '../company.ts';
import { nameOf, ROLES, roleCode } from '../tables.ts';
import type { StoredNode } from './store/holdings.ts';

/** A company as lists and graphs of the copy show it. */
export interface RegistryNode {
  /** Bare CNPJ of the head office; that of the first establishment if the files name none. */
  readonly cnpj: string;
  /** Null if the files have no name of the company. */
  readonly name: string | null;
  /** Registration of the head office; null if the files have none. */
  readonly registration: Registration | null;
}

/** Order number of the first establishment of a legal person. */
const HEAD_OFFICE = '0001';

/** Returns the CNPJ of the first establishment of a root. */
export const firstCnpj = (root: string): string => `${root}${HEAD_OFFICE}${cnpjCheckDigits(root + HEAD_OFFICE)}`;

export const toNode = ({ root, name, nature, cnpj, status }: StoredNode): RegistryNode => ({
  cnpj: cnpj ?? firstCnpj(root),
  name: shownName(name, nature),
  registration: registrationOf(status),
});

/** Returns a stored name of a company with any CPF masked; null if it has none. @param nature code of the legal nature */
export const shownName = (name: string | null, nature: number | null): string | null =>
  companyName(name, isPersonalNature(natureCode(nature), false));

/** Returns the four digits of a legal nature; null for none. */
export const natureCode = (nature: number | null): string | null =>
  nature === null || nature === 0 ? null : String(nature).padStart(4, '0');

/** Returns the seven digits of a stored activity; null for none. */
export const storedActivity = (activity: number | null): string | null => (activity === null ? null : String(activity).padStart(7, '0'));

export const registrationOf = (status: number | null): Registration | null => REGISTRATIONS[status as keyof typeof REGISTRATIONS] ?? null;

/** Returns the registry's words for a role; empty if it states none. */
export const roleText = (code: number | null, name: string | null): string => nameOf(ROLES, roleCode(code), filled(name)) ?? '';

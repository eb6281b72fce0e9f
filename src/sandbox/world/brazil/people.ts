import { cnpjCheckDigits } from '../../../domain/tax-id.ts';
import type { CountryCode, Role } from './tables.ts';

/** A partner or officer. Each registry formats it in its own way. */
export interface SandboxPartner {
  /** 1 legal person, 2 natural person, 3 foreign. */
  readonly kind: 1 | 2 | 3;
  readonly name: string;
  /** CNPJ in full, CPF masked (`***000101**`), empty for most foreigners. */
  readonly document: string;
  readonly role: Role;
  /** ISO date, impossible years included. */
  readonly since: string;
  readonly country: CountryCode | null;
  readonly representative: { readonly name: string; readonly document: string; readonly role: Role } | null;
  /** Index into the registry's age bands; 0 for companies. */
  readonly ageBand: number;
}

const GIVEN = ['ANA', 'BRUNO', 'CARLA', 'DIEGO', 'ELISA', 'FABIO', 'GILDA', 'HEITOR', 'INES', 'JONAS', 'LARA', 'MARIO', 'NEUSA'];
const FAMILY = ['DE TAL', 'DA SILVA INVENTADA', 'DO EXEMPLO', 'SOUZA MODELO', 'DA COSTA QUALQUER', 'PEREIRA ALHURES', 'LIMA IMAGINARIO'];

/** Returns a person's name by number: equal numbers give equal names. The first 91 differ. */
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

/** `***000101**` */
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

import { z } from 'zod';

/** A code of the registry and its words. At least one of them is given. */
export interface ReceitaTerm {
  /** Code with its left zeros; null for a mirror that prints the words only. */
  readonly code: string | null;
  readonly text: string | null;
}

/** Membership of a tax regime (Simples Nacional, MEI). */
export interface ReceitaRegime {
  /** Null when the registry has no answer, as for a company that never chose the regime. */
  readonly isMember: boolean | null;
  /** ISO date of the last choice. It stays when the company leaves the regime. */
  readonly since: string | null;
  /** ISO date of the exclusion. */
  readonly until: string | null;
}

/** Address of an establishment. Each part is null where the registry has none. */
export interface ReceitaAddress {
  /** Kind and name, e.g. `RUA DOS EXEMPLOS`. Null for a company that is a natural person, whose address is a private home. */
  readonly street: string | null;
  /** Number of the building, or `S/N`. Null like `street`. */
  readonly number: string | null;
  /** Null like `street`. */
  readonly complement: string | null;
  readonly district: string | null;
  /** Postal code (CEP), eight digits. */
  readonly postalCode: string | null;
  /** City of an address abroad; null in Brazil. */
  readonly foreignCity: string | null;
  /** Country of an address abroad, as printed; null in Brazil. */
  readonly foreignCountry: string | null;
}

/** Fields of the public record that no check is based on. Telephone numbers and e-mail addresses are not read. */
export interface ReceitaDetails {
  /** Reason of the registration status; null for none (code 00). */
  readonly reason: ReceitaTerm | null;
  /** Name of the legal nature. */
  readonly natureName: string | null;
  /** Other activities (CNAE, seven digits), at most 99. Null if the mirror has no such list. */
  readonly otherActivities: readonly ReceitaTerm[] | null;
  readonly address: ReceitaAddress;
  readonly simples: ReceitaRegime;
  readonly mei: ReceitaRegime;
  /** Federative entity to which a public body belongs; null for others. */
  readonly federativeEntity: string | null;
  /** ISO date since which the company is in its special situation. */
  readonly specialSituationSince: string | null;
}

const text = z.string().nullable();
const term = z.object({ code: text, text });
const regime = z.object({ isMember: z.boolean().nullable(), since: text, until: text });

/** Schema by which processes share the details of a company. */
export const RECEITA_DETAILS: z.ZodType<ReceitaDetails> = z.object({
  reason: term.nullable(),
  natureName: text,
  otherActivities: z.array(term).nullable(),
  address: z.object({
    street: text,
    number: text,
    complement: text,
    district: text,
    postalCode: text,
    foreignCity: text,
    foreignCountry: text,
  }),
  simples: regime,
  mei: regime,
  federativeEntity: text,
  specialSituationSince: text,
});

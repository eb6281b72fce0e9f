import { comparable } from './spelling.ts';

/**
 * Meaning of a state for the company. `live`: active. `cancelled`, `inactive`: not active. `moved`: the former registration of a company
 * that moved to another chamber. `none`: not a state of the company. `unregistered`: the chamber knows the NIT and has no registration.
 * The order is that in which registrations of a company are preferred.
 */
export const MEANINGS = ['live', 'cancelled', 'inactive', 'moved', 'none', 'unregistered'] as const;
export type StateMeaning = (typeof MEANINGS)[number];

/** All states that the register prints, with accents as it prints them. */
const STATES: Readonly<Record<string, StateMeaning>> = {
  ACTIVA: 'live',
  'MATRÍCULA NUEVA, CONSTITUCIÓN POR TRASLADO': 'live',
  CANCELADA: 'cancelled',
  'MATRÍCULA CANCELADA LEY 1429': 'cancelled',
  'MATRÍCULA CANCELADA POR FUSIÓN': 'cancelled',
  'MATRÍCULA CANCELADA POR RECONSTITUCIÓN.': 'cancelled',
  'MATRÍCULA CANCELADA POR TRASLADO DE DOMICILIO': 'moved',
  INACTIVA: 'inactive',
  'MATRICULA INACTIVA POR PERDIDA DE CALIDAD DE COMERCIANTE': 'inactive',
  'NO MATRICULADO': 'unregistered',
  'NO ASIGNADO': 'none',
  'SIN ESTADO': 'none',
  'NO COMPETENCIA DE LA CAMARA': 'none',
};

const BY_TEXT: ReadonlyMap<string, StateMeaning> = new Map(Object.entries(STATES).map(([text, meaning]) => [comparable(text), meaning]));

/** Returns the meaning of a state, compared without accents; undefined for a state that is not known. */
export const meaningOf = (state: string): StateMeaning | undefined => BY_TEXT.get(comparable(state));

/** Weight of a meaning in the choice of a registration; smaller is preferred. Cancelled and inactive registrations weigh the same. */
const WEIGHTS: Readonly<Record<StateMeaning, number>> = { live: 0, cancelled: 1, inactive: 1, moved: 2, none: 3, unregistered: 4 };
export const weightOf = (meaning: StateMeaning): number => WEIGHTS[meaning];

/** Codes of states whose meaning is known. They are compared with the texts, which decide where there is one. */
const CODES: ReadonlyMap<string | null, readonly StateMeaning[]> = new Map([
  ['01', ['live']],
  ['03', ['cancelled', 'moved']],
  ['05', ['none']],
  ['06', ['unregistered', 'none']],
]);

/** Returns the meanings that a state with this code may have; none for a code whose meaning is not known. */
export const meaningsOfCode = (code: string | null): readonly StateMeaning[] => CODES.get(code) ?? [];

/** True if the code of a state does not agree with its text. */
export const disagrees = (code: string | null, meaning: StateMeaning): boolean => !(CODES.get(code) ?? [meaning]).includes(meaning);

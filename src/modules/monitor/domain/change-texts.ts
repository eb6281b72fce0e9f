import type { Language, Translated } from '../../../domain/mail.ts';
import type { ChangedField } from './change.ts';

/** Names of the fields that change. */
export const FIELD_TEXTS: Readonly<Record<ChangedField, Translated>> = {
  status: { en: 'Registration', es: 'Registro', pt: 'Registro' },
  size: { en: 'Size', es: 'Tamaño', pt: 'Porte' },
  activity: { en: 'Activity', es: 'Actividad', pt: 'Atividade' },
  name: { en: 'Name', es: 'Nombre', pt: 'Nome' },
  owners: { en: 'Owners', es: 'Socios', pt: 'Sócios' },
  capital: { en: 'Capital', es: 'Capital', pt: 'Capital' },
  address: { en: 'Municipality', es: 'Municipio', pt: 'Município' },
  special_situation: { en: 'Special situation', es: 'Situación especial', pt: 'Situação especial' },
  last_renewed_year: { en: 'Last renewed', es: 'Última renovación', pt: 'Última renovação' },
  sanctions: { en: 'Sanctions entries', es: 'Entradas de sanciones', pt: 'Registros de sanções' },
  debarment: { en: 'Debarment entries', es: 'Entradas de inhabilitación', pt: 'Registros de impedimento' },
  labor: { en: 'Forced-labour entries', es: 'Entradas de trabajo forzoso', pt: 'Registros de trabalho escravo' },
  candidate: { en: 'Parties with a similar name', es: 'Partes con nombre similar', pt: 'Partes com nome semelhante' },
};

/** Values that are names of states; the words of a registry are not translated. */
const VALUE_TEXTS: Readonly<Record<string, Translated>> = {
  active: { en: 'active', es: 'activa', pt: 'ativa' },
  inactive: { en: 'inactive', es: 'inactiva', pt: 'inativa' },
  not_found: { en: 'not in the registry', es: 'no está en el registro', pt: 'não está no registro' },
  small: { en: 'small', es: 'pequeña', pt: 'pequena' },
  large: { en: 'large', es: 'grande', pt: 'grande' },
  unknown: { en: 'unknown', es: 'desconocido', pt: 'desconhecido' },
};

const NONE: Translated = { en: 'none', es: 'ninguno', pt: 'nenhum' };

/** Returns the text of an old or new value of a field; null and an empty text stand for none. */
export const valueText = (value: string | null, language: Language): string =>
  value === null || value === '' ? NONE[language] : (VALUE_TEXTS[value]?.[language] ?? value);

/** Returns the name of a field, with the list that the change is about. */
export const fieldText = (field: ChangedField, list: string | undefined, language: Language): string =>
  list === undefined ? FIELD_TEXTS[field][language] : `${FIELD_TEXTS[field][language]} (${list})`;

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', es: 'es', pt: 'pt-BR' };

/** Formats a time (epoch ms) in a time zone, such as `28 Nov 2026, 07:00`. */
export const timeText = (ms: number, language: Language, timeZone: string): string =>
  new Date(ms).toLocaleString(LOCALES[language], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });

const TITLES: Readonly<Record<'change' | 'test', Translated>> = {
  change: { en: 'Change of {company}', es: 'Cambio de {company}', pt: 'Mudança de {company}' },
  test: { en: 'Test event for {company}', es: 'Evento de prueba para {company}', pt: 'Evento de teste para {company}' },
};

/** Returns the title of a message about a company. @param isTest true for an event without a change, which a person requested */
export const titleText = (company: string, isTest: boolean, language: Language): string =>
  TITLES[isTest ? 'test' : 'change'][language].replace('{company}', () => company);

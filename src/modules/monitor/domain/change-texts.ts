import { type CompanyKey, hasOfficers } from '../../../domain/company.ts';
import { changeMessages, fieldNames } from '../../../messages/changes.ts';
import type { Language } from '../../../messages/message.ts';
import { sourceNameIn } from '../../../messages/source-names.ts';
import type { FieldChange } from './change.ts';

/** Values that have a name in each language; the words of a registry are not translated. */
const STATES = ['active', 'inactive', 'not_found', 'small', 'large', 'unknown'] as const;

/** Returns the text of an old or new value of a field; null and an empty text stand for none. */
export function valueText(value: string | null, language: Language): string {
  if (value === null || value === '') return changeMessages.none().in(language);
  const state = STATES.find((one) => one === value);
  return state ? changeMessages[state]().in(language) : value;
}

/** Returns the name of the field of a change, with the list that the change is about. */
export function fieldText({ field, list }: Pick<FieldChange, 'field' | 'list'>, company: CompanyKey, language: Language): string {
  const name = (field === 'owners' && hasOfficers(company) ? changeMessages.legalRepresentative() : fieldNames[field]()).in(language);
  return list === undefined ? name : `${name} · ${sourceNameIn(list, language)}`;
}

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

/** Returns the title of a message about a company. @param isTest true for an event without a change, which a person requested */
export const titleText = (company: string, isTest: boolean, language: Language): string =>
  (isTest ? changeMessages.testTitle({ company }) : changeMessages.title({ company })).in(language);

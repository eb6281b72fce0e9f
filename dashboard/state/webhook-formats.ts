import type { WebhookFormat } from '../api/operations.ts';

/** Formats of the events of a webhook, in the order in which a person chooses. */
export const FORMATS: readonly WebhookFormat[] = ['STANDARD', 'SLACK', 'TEAMS'];

/** The language of messages to people, by the language of the page. */
export const LANGUAGES = { en: 'EN', es: 'ES', pt: 'PT' } as const;

/** Reads the format that a person chose in a form; JSON for programs unless one is chosen. */
export const formatIn = (given: FormData): WebhookFormat => FORMATS.find((one) => one === given.get('format')) ?? 'STANDARD';

import type { WebhookFormat } from '../api/operations.ts';

/** Formats of the events of a webhook, in the order in which a person chooses. */
export const FORMATS: readonly WebhookFormat[] = ['STANDARD', 'SLACK', 'TEAMS'];

/** Reads the format that a person chose in a form; JSON for programs unless one is chosen. */
export const formatIn = (given: FormData): WebhookFormat => FORMATS.find((one) => one === given.get('format')) ?? 'STANDARD';

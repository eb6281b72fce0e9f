import type { Language } from '../../../messages/message.ts';
import { type ChatMessage, shortened } from '../../../webhooks/domain/chat-message.ts';
import type { Change } from './change.ts';
import { fieldText, timeText, titleText, valueText } from './change-texts.ts';

/** Maximum length of an old or new value, so that the message has both. */
const MAX_VALUE = 240;

/**
 * Change → message for people, with the facts of the webhook body of `/v1` and the list that a change is about. @param subscriptionId public
 * id of the monitor
 */
export const toChatMessage = (
  subscriptionId: string,
  { identifier, company, fields, detectedAt }: Pick<Change, 'identifier' | 'company' | 'fields' | 'detectedAt'>,
  language: Language,
): ChatMessage => ({
  title: titleText(`${identifier} (${company.country})`, fields.length === 0, language),
  facts: fields.map((change) => ({
    name: fieldText(change, company, language),
    value: [change.from, change.to].map((value) => shortened(valueText(value, language), MAX_VALUE)).join(' → '),
  })),
  footer: `Quipu · ${timeText(detectedAt, language, 'UTC')} (UTC) · ${subscriptionId}`,
});

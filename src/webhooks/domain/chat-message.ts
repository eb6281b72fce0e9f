import { storable } from '../../domain/text.ts';

/**
 * Formats of the messages to an endpoint. `standard` is the body of the module. The others are read by people in a chat: `slack` is a message
 * to an incoming webhook of Slack, `teams` one to a webhook of the workflows of Microsoft Teams.
 */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'teams'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** A message for people. Its texts are plain, and are escaped for each chat. */
export interface ChatMessage {
  readonly title: string;
  /** Lines of a name and a value. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** A last line in small letters. */
  readonly footer: string;
}

/** Maximum lengths, in UTF-16 units. Also escaped, they are below the limits that Slack states for headers (150) and sections (3,000). */
const MAX_TITLE = 140;
const MAX_VALUE = 500;
const MAX_FACTS = 10;

/** Writes the JSON body of a message. Long values are cut and marked with `…`. */
export function chatBody(format: Exclude<WebhookFormat, 'standard'>, { title, facts, footer }: ChatMessage): string {
  const message = {
    title: shortened(title, MAX_TITLE),
    facts: facts.slice(0, MAX_FACTS).map(({ name, value }) => ({ name, value: shortened(value, MAX_VALUE) })),
    footer: shortened(footer, MAX_VALUE),
  };
  return JSON.stringify(format === 'slack' ? slackMessage(message) : teamsMessage(message));
}

/** Writes a text in one line, and cuts it between two characters if it is longer than `max` UTF-16 units. */
export function shortened(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${storable(line, max - 1)}…`;
}

/* Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and its formatting of text. */

/** Slack reads `<`, `>` and `&` as marks of links and mentions; these three are the only characters that it wants escaped. */
const slackText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function slackMessage({ title, facts, footer }: ChatMessage): object {
  const marked = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });
  return {
    text: slackText(title), // shown in notifications
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      ...facts.map(({ name, value }) => ({ type: 'section', text: marked(`*${slackText(name)}*: ${slackText(value)}`) })),
      { type: 'context', elements: [marked(slackText(footer))] },
    ],
  };
}

/* Teams: a message with one Adaptive Card, as the trigger "When a Teams webhook request is received" takes it. */

/** Adaptive Cards read some marks of Markdown, so that a name could be shown as a link. */
const teamsText = (text: string): string => text.replace(/[\\`*_[\]()~#]/g, String.raw`\$&`);

const teamsMessage = ({ title, facts, footer }: ChatMessage): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', text: teamsText(title), size: 'Medium', weight: 'Bolder', wrap: true },
          ...(facts.length === 0
            ? []
            : [{ type: 'FactSet', facts: facts.map(({ name, value }) => ({ title: teamsText(name), value: teamsText(value) })) }]),
          { type: 'TextBlock', text: teamsText(footer), isSubtle: true, size: 'Small', wrap: true },
        ],
      },
    },
  ],
});

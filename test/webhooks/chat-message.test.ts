import { describe, expect, it } from 'vitest';
import { type ChatMessage, chatBody, shortened } from '../../src/webhooks/domain/chat-message.ts';

const MESSAGE: ChatMessage = {
  title: 'Change of 99.030.001/0001-46 (BR)',
  facts: [{ name: 'Name', value: '<!channel> A & B → [click](https://evil.example) *x*' }],
  footer: 'Quipu · mon_1',
};

describe('a message for Slack', () => {
  it('has a text for notifications and a block for each line, with & < > escaped', () => {
    expect(JSON.parse(chatBody('slack', MESSAGE))).toEqual({
      text: MESSAGE.title,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: MESSAGE.title, emoji: false } },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: '*Name*: &lt;!channel&gt; A &amp; B → [click](https://evil.example) *x*',
            verbatim: true,
          },
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'Quipu · mon_1', verbatim: true }] },
      ],
    });
  });

  it('stays within the limits of Slack, whatever the values are', () => {
    const long = '&'.repeat(20_000);
    const facts = Array.from({ length: 40 }, (_, n) => ({ name: `Field ${n}`, value: long }));
    const { text, blocks } = JSON.parse(chatBody('slack', { title: '😀'.repeat(500), facts, footer: long }));
    expect(text.length).toBeLessThanOrEqual(150);
    expect(blocks.length).toBeLessThanOrEqual(50);
    for (const block of blocks) expect((block.text ?? block.elements[0]).text.length).toBeLessThanOrEqual(3_000);
  });
});

describe('a message for Teams', () => {
  it('is one Adaptive Card, in whose texts no link and no mark is read', () => {
    const { type, attachments } = JSON.parse(chatBody('teams', MESSAGE));
    expect(type).toBe('message');
    expect(attachments).toHaveLength(1);
    const [{ contentType, content }] = attachments;
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' });
    expect(content.body.map((part: { type: string }) => part.type)).toEqual(['TextBlock', 'FactSet', 'TextBlock']);
    expect(content.body[1].facts).toEqual([
      { title: 'Name', value: String.raw`<!channel> A & B → \[click\]\(https://evil.example\) \*x\*` },
    ]);
  });

  it('has no empty list of facts for a test event', () => {
    const { attachments } = JSON.parse(chatBody('teams', { ...MESSAGE, facts: [] }));
    expect(attachments[0].content.body.map((part: { type: string }) => part.type)).toEqual(['TextBlock', 'TextBlock']);
  });
});

it.each([
  ['a\n b\t c', 10, 'a b c'],
  ['abcdef', 4, 'abc…'],
  ['ab😀d', 4, 'ab…'],
])('%j in %i characters is %j', (text, max, expected) => {
  expect(shortened(text, max)).toBe(expected);
});

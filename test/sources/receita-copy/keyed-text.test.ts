import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyedText, MAX_BYTES } from '../../../src/sources/receita-federal/copy/keyed-text.ts';

const KEY = Buffer.from('a key of thirty-two bytes, or so');
const expected = (text: string | Buffer) => createHmac('sha256', KEY).update(text).digest();
const numberOf = (text: string | Buffer): string => expected(text).readBigInt64BE(0).toString();

describe('a keyed hash', () => {
  it('is HMAC-SHA-256 of a text of any length, whatever text was hashed before', () => {
    const keyed = new KeyedText(KEY);
    for (let length = MAX_BYTES; length >= 0; length -= 1) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 7 + length) % 256));
      keyed.begin();
      for (const byte of bytes) keyed.push(byte);
      expect(keyed.hashed()).toBe(numberOf(bytes));
    }
    for (let length = 0; length < 3 * MAX_BYTES; length += 5) {
      const text = 'ação'.repeat(length).slice(0, length);
      expect(keyed.ofText(text)).toBe(numberOf(text));
      expect(keyed.hexOf(text)).toBe(expected(text).toString('hex').slice(0, 32));
    }
  });

  it.each([0, 1, 63, 64])('has a key of %i bytes', (length) => {
    const key = Buffer.alloc(length, 'k');
    expect(new KeyedText(key).hexOf('text')).toBe(createHmac('sha256', key).update('text').digest('hex').slice(0, 32));
  });
});

import { randomBytes, randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isWellFormed, newKey } from '../../src/auth/api-keys/secret.ts';

/** QUIPU_TEST_KEYS raises the number. The promise covers a million keys and a hundred thousand typos. */
const KEYS = Number(process.env.QUIPU_TEST_KEYS ?? 20_000);
const TYPOS = Math.min(KEYS, 100_000);
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const other = (letter: string): string => {
  const choice = LETTERS.charAt(randomInt(LETTERS.length));
  return choice === letter ? other(letter) : choice;
};

const MISTAKES: Readonly<Record<string, (key: string, at: number) => string>> = {
  'one character changed': (key, at) => key.slice(0, at) + other(key.charAt(at)) + key.slice(at + 1),
  'one character dropped': (key, at) => key.slice(0, at) + key.slice(at + 1),
  'one character typed twice': (key, at) => key.slice(0, at) + key.charAt(at) + key.slice(at),
  'neighbours swapped': (key, at) => key.slice(0, at - 1) + key.charAt(at) + key.charAt(at - 1) + key.slice(at + 1),
};

describe('the format of a key', () => {
  it(`AK-01 is valid and unique for ${KEYS} new keys`, () => {
    const keys = Array.from({ length: KEYS }, () => newKey(randomBytes));
    expect(new Set(keys).size).toBe(KEYS);
    expect(keys.filter((key) => !/^sk_[0-9A-Za-z]{38}$/.test(key))).toEqual([]);
    expect(keys.filter((key) => !isWellFormed(key))).toEqual([]);
  }, 120_000);

  it.each(Object.entries(MISTAKES))('AK-01 rejects at least 99.99 % of keys with %s', (_name, mistake) => {
    let typed = 0;
    let missed = 0;
    while (typed < TYPOS) {
      const key = newKey(randomBytes);
      const wrong = mistake(key, randomInt(1, key.length));
      if (wrong === key) continue; // two equal characters were swapped
      typed += 1;
      if (isWellFormed(wrong)) missed += 1;
    }
    expect(missed / typed).toBeLessThanOrEqual(0.0001);
  });

  it('uses all characters about equally often', () => {
    const counts = new Map([...LETTERS].map((letter) => [letter, 0]));
    for (let i = 0; i < 5_000; i += 1) {
      for (const letter of newKey(randomBytes).slice(3, 35)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    const expected = (5_000 * 32) / 62;
    expect(Math.min(...counts.values())).toBeGreaterThan(expected * 0.88);
    expect(Math.max(...counts.values())).toBeLessThan(expected * 1.12);
  });

  it.each(['', 'sk_', 'sk_demo', `pk_${'a'.repeat(38)}`, `sk_${'a'.repeat(38)}`, `sk_${'á'.repeat(38)}`, 'x'.repeat(100_000)])(
    'rejects "%.12s"',
    (text) => {
      expect(isWellFormed(text)).toBe(false);
    },
  );

  it('rejects a key with spaces or a line break around it', () => {
    const key = newKey(randomBytes);
    expect([`${key}\n`, ` ${key}`, `${key} `].map(isWellFormed)).toEqual([false, false, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { wrongness } from '../support/damage-oracle.ts';
import { itAnswersRightly } from './damage/campaigns.ts';

describe('UP-03 an answer from a damaged document', () => {
  itAnswersRightly(12, 1);
});

describe('the judgement of an answer from a damaged document', () => {
  const before = { answers: { a: { verdict: 'listed', details: { name: 'ACME LTDA', rows: 3 } } }, unmatched: 0 };
  const reading = (verdict: string, details: object, unmatched = 0) => ({ answers: { a: { verdict, details } }, unmatched });

  it.each([
    ['a failed source', 'failed', [], null],
    ['the same answer', before, [], null],
    ['an absent detail', reading('listed', { name: null, rows: 3 }), [], null],
    ['what the damage says', reading('listed', { name: 'AC', rows: 4 }), ['AC', '4'], null],
    ['what the damage says, with masked digits', reading('listed', { name: '***982247** LTDA', rows: 3 }), ['529.982.247-25'], null],
    ['a cut CNPJ that is valid with a left zero', reading('listed', { name: '09904000200017 LTDA', rows: 3 }), ['9904000200017'], null],
    ['a cut code of two digits', reading('listed', { name: 'ACME LTDA 06', rows: 3 }), ['6'], null],
    ['a lost verdict with its row counted', { answers: {}, unmatched: 1 }, [], null],
    ['a lost verdict', { answers: {}, unmatched: 0 }, [], 'a: verdict none, before listed'],
    ['another verdict', reading('clean', before.answers.a.details), [], 'a: verdict clean, before listed'],
    ['an invented name', reading('listed', { name: 'OTHER LTDA', rows: 3 }), ['AC'], 'a: OTHER LTDA is printed nowhere'],
    ['an invented number', reading('listed', { name: 'ACME LTDA', rows: 0 }), [''], 'a: 0 is printed nowhere'],
  ] as const)('accepts or names %s', (_, after, says, expected) => {
    expect(wrongness(before, after, says, ['ACME LTDA 0'])).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { maskCpfs } from '../../src/domain/personal-ids.ts';

describe('a CPF in a text', () => {
  it.each([
    ['JOAO MODELO 52998224725', 'JOAO MODELO ***982247**'],
    ['529.982.247-25 JOAO MODELO', '***982247** JOAO MODELO'],
    ['PROCESSO 12345678901', 'PROCESSO 12345678901'],
    ['11.222.333/0001-81 ACME', '11.222.333/0001-81 ACME'],
    ['50.000.913 MARIA MODELO', '50.000.913 MARIA MODELO'],
  ])('PR-01 is masked: %s', (text, masked) => {
    expect(maskCpfs(text)).toBe(masked);
  });
});

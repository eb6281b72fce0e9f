import { describe, expect, it } from 'vitest';
import { readConfig, resolveSetting } from '../../src/config.ts';

describe('the own copy of the Brazilian registry', () => {
  const SHARE = 'QUIPU_RECEITA_SHARE_URL';
  it.each([
    [{}, 'copy-then-live', 'on'],
    [{ QUIPU_RECEITA_IMPORT: 'off' }, 'copy-then-live', 'off'],
    [{ QUIPU_RECEITA_MODE: 'live' }, 'live', 'off'],
    [{ QUIPU_RECEITA_MODE: 'copy-then-live' }, 'copy-then-live', 'off'],
    [{ QUIPU_RECEITA_URL: 'http://mirror.example' }, 'live', 'off'],
    [{ QUIPU_RECEITA_FALLBACK_URL: '' }, 'live', 'off'],
    [{ [SHARE]: 'https://share.example/index.php/s/t' }, 'live', 'off'],
    [{ [SHARE]: 'https://share.example/index.php/s/t', QUIPU_RECEITA_IMPORT: 'on' }, 'live', 'on'],
    [{ QUIPU_SOURCES: 'live' }, 'live', 'off'],
  ])('with %j has the mode %s and the import %s', (given, mode, imports) => {
    const config = readConfig(given);
    expect(['QUIPU_RECEITA_MODE', 'QUIPU_RECEITA_IMPORT'].map((name) => resolveSetting(config, name))).toEqual([mode, imports]);
  });
});

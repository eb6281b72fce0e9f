import { describe, expect, it } from 'vitest';
import { MODULES } from '../../src/domain/catalogue.ts';
import { LANGUAGES } from '../../src/messages/languages.ts';
import { moduleNameIn } from '../../src/messages/module-names.ts';

describe('names of modules', () => {
  it.each(LANGUAGES)('are there in %s for every code, in words, and each for one module only', (language) => {
    const names = MODULES.map((code) => moduleNameIn(code, language));
    for (const name of names) expect(name).toMatch(/^\p{Lu}\p{L}+/u);
    expect(names.filter((name) => /_/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(MODULES.length);
  });

  it('are found by the codes of REST and of GraphQL', () => {
    expect(['compliance_br', 'COMPLIANCE_BR'].map((code) => moduleNameIn(code, 'pt'))).toEqual([
      'Verificação consolidada (Brasil)',
      'Verificação consolidada (Brasil)',
    ]);
  });

  it('are the code for a module of a newer release', () => {
    expect(['NEW_MODULE', 'constructor'].map((code) => moduleNameIn(code, 'es'))).toEqual(['new_module', 'constructor']);
  });
});

import { describe, expect, it } from 'vitest';
import { statedNames } from '../../src/names/other-names.ts';

describe('a text of several names', () => {
  it.each([
    ['FULANO ME (ANTIGA OBRAS LTDA)', '', 'FULANO ME', 'f.k.a.', 'OBRAS LTDA'],
    ['FULANO SA - EX OBRAS SA', '', 'FULANO SA', 'f.k.a.', 'OBRAS SA'],
    ['FULANO SA, razão social anterior: OBRAS SA', '', 'FULANO SA', 'f.k.a.', 'OBRAS SA'],
    ['FULANO, razão social OBRAS SA', '', 'FULANO', 'a.k.a.', 'OBRAS SA'],
    ['FULANO, denominación social OBRAS SA', '', 'FULANO', 'a.k.a.', 'OBRAS SA'],
    ['FULANO SA, nova razão social OBRAS SA', '', 'FULANO SA', 'n.k.a.', 'OBRAS SA'],
    ['FULANO SA nome fantasia OBRAS', '', 'FULANO SA', 'd.b.a.', 'OBRAS'],
  ])('has each of them with its type: %s', (text, ...expected) => {
    expect(statedNames(text).flatMap(({ type, text: name }) => [type, name])).toEqual(expected);
  });

  it.each(['COMERCIAL IMP-EX LTDA', 'FED-EX BRASIL', 'MUEBLES EX LIBRIS SA', 'ASSOCIAÇÃO DOS - EX-ALUNOS'])('is not %s', (name) => {
    expect(statedNames(name)).toEqual([{ text: name, type: '' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { nameWords, nameWordsSql } from '../../../src/sources/receita-federal/copy/name-words.ts';
import { randomOf } from '../../support/random.ts';
import { copyDb } from './support.ts';

const { knex } = copyDb();

describe('the words of a name', () => {
  it.each([
    ['PADARIA SÃO JOÃO LTDA', 'PADARIA SAO JOAO'],
    ['padaria são joão', 'PADARIA SAO JOAO'],
    ['PADARIA SA\u0303O JOA\u0303O', 'PADARIA SAO JOAO'],
    ['BANCO DO BRASIL S.A.', 'BANCO BRASIL'],
    ['BANCO DO BRASIL S/A', 'BANCO BRASIL'],
    ['BANCO X S A', 'BANCO X'],
    ['C&A MODAS LTDA.', 'CA MODAS'],
    ['C & A MODAS LTDA', 'CA MODAS'],
    ['A B C COMERCIO LTDA-ME', 'ABC COMERCIO'],
    ["AGUAS D'OESTE CIA. DE SANEAMENTO", 'AGUAS DOESTE SANEAMENTO'],
    ['MERCADO 3 IRMAOS EIRELI - EPP', 'MERCADO 3 IRMAOS'],
    ['ANA DE TAL ***456789**', 'ANA TAL'],
    ['ENCANADOR ***00090***', 'ENCANADOR'],
    ['1ª VARA Nº 2', '1A VARA NO 2'],
    ['LTDA', ''],
    ['🙂 -- ...', ''],
    ['', ''],
  ])('of %j are %j', (name, words) => {
    expect(nameWords(name).join(' ')).toBe(words);
  });

  it('are the same in Postgres, for every character of Latin-1 and for made-up names', async () => {
    const random = randomOf(37);
    const characters = Array.from({ length: 0xff }, (_, i) => String.fromCharCode(i + 1));
    const parts = [
      'S A',
      'S.A.',
      'LTDA',
      'ME',
      'DE',
      'E',
      'A',
      'B',
      ' ',
      '  ',
      '-',
      '***456789**',
      'PADARIA',
      'São',
      "D'",
      '3',
      '&',
      '\\',
      '*',
    ];
    const pick = () => parts[Math.floor(random() * parts.length)] ?? '';
    const names = [
      ...characters.flatMap((one) => [one, `AB${one}CD`, `A${one} B`]),
      ...Array.from({ length: 3_000 }, () => Array.from({ length: 1 + Math.floor(random() * 8) }, pick).join(random() < 0.5 ? ' ' : '')),
    ];
    const client = knex();
    const { rows } = await client.raw(
      `SELECT ${nameWordsSql('name').replaceAll('?', '\\?')} AS words FROM unnest(CAST(:names AS text[])) WITH ORDINALITY AS t (name, n) ORDER BY n`,
      { names },
    );
    expect(rows.map(({ words }: { words: string }) => words)).toEqual(names.map((name) => nameWords(name).join(' ')));
  });
});

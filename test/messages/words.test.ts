import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Files with Spanish and Portuguese texts: of pages, answers, mails, reports, files and guides. */
const FILES = globSync(['{src,dashboard}/**/*.{ts,tsx}', 'docs/{es,pt}/*.md', 'README.{es,pt}.md']);

/**
 * The word in use → words that people wrote for the same thing. A file has texts in both languages, so an expression must not fit what is
 * right in the other one: `identificador fiscal` is the word in Portuguese. Where a word has a second meaning, the expression has its context.
 */
const WORDS: readonly (readonly [word: string, others: RegExp])[] = [
  ['monto', /(?<!\p{L})importes?(?!\p{L})/iu],
  ['entidad (pública)', /(?<!\p{L})organismos?(?!\p{L})/iu],
  ['agregar', /(?<!\p{L})añad/iu],
  ['adicionar', /(?<!\p{L})acrescent/iu],
  ['eliminar', /(?<!\p{L})borr(?:ar|ando|an?|en?|ó|ad[ao]s?)(?!\p{L})/iu],
  ['excluir', /(?<!\p{L})apag(?:ar|ando|am?|uem?|ou|ad[ao]s?)(?!\p{L})/iu],
  ['identificador tributario', /identificador(?:es)? fiscal(?:es)?, uno/iu],
  ['proceso', /(?<!\p{L})expedientes?(?!\p{L})/iu],
  ['revisión (de un monitor)', /(?<!\p{L})comprob(?:ación|ad[ao]s?)(?!\p{L})|pud(?:o|ieron) comprobar|compruebe las empresas/iu],
  ['antigüedad', /(?<!\p{L})edad(?!\p{L})/iu],
  ['ocorrências', /(?<!\p{L})achados?(?!\p{L})/iu],
  ['registro (de una lista)', /entradas? (?:nueva|en list)|nova entrada/iu],
  ['seleccionar (filas)', /'(?:No )?[Ee]legir (?:\{name\}|todos|ninguno)|(?:las|los) elegid[ao]s/iu],
];

const lines = FILES.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, at) => ({ where: `${file}:${at + 1}`, text })),
);

describe('Spanish and Portuguese texts', () => {
  it.each(WORDS)('have one word for one thing: %s', (_, others) => {
    expect(FILES.length).toBeGreaterThan(100);
    expect(lines.filter(({ text }) => others.test(text))).toEqual([]);
  });
});

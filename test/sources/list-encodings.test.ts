import { describe, expect, it } from 'vitest';
import { ceisSpec } from '../../src/modules/debarment/source.ts';
import { cepimSpec } from '../../src/modules/debarment/sources/cepim.ts';
import { tcuInidoneosSpec } from '../../src/modules/debarment/sources/tcu-inidoneos.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';
import { readBytes } from '../support/read-list.ts';

/* Lists whose UTF-8 was read as another charset before it was published: https://github.com/cuducos/minha-receita/issues/216 */

const asLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const asWindows = (text: string): string => new TextDecoder('windows-1252').decode(Buffer.from(text, 'utf8'));
const DAMAGES: readonly (readonly [string, (text: string) => string])[] = [
  ['Latin-1', asLatin1],
  ['Windows-1252', asWindows],
  ['Latin-1 twice', (text) => asLatin1(asLatin1(text))],
  ['Windows-1252 twice', (text) => asWindows(asWindows(text))],
];

const CNPJS = cnpjsFrom(45_000_000, 30);
const CEIS = [
  'CADASTRO;CÓDIGO DA SANÇÃO;TIPO DE PESSOA;CPF OU CNPJ DO SANCIONADO;NOME DO SANCIONADO;NÚMERO DO PROCESSO;CATEGORIA DA SANÇÃO;DATA INÍCIO SANÇÃO;DATA FINAL SANÇÃO;ÓRGÃO SANCIONADOR',
  ...CNPJS.map((cnpj, i) => `CEIS;${i};J;${cnpj};AÇÚCAR SÃO JOSÉ ${i};P ${i};Suspensão;${i + 1}/01/2024;;Município de Açailândia`),
];
const CEPIM = [
  'CNPJ ENTIDADE;NOME ENTIDADE;NÚMERO CONVÊNIO;ÓRGÃO CONCEDENTE;MOTIVO DO IMPEDIMENTO',
  ...CNPJS.map((cnpj, i) => `${cnpj};ASSOCIAÇÃO ${i};${1_000 + i};Ministério da Saúde;Prestação de contas rejeitada`),
];
const TCU = CNPJS.map((numeroRegistro, i) => ({
  numeroProcessoFormatado: `00${i}`,
  nome: `CONSTRUÇÃO SÃO JOÃO ${i}`,
  tipoRegistro: 'CNPJ',
  numeroRegistro,
  numeroAcordaoFormatado: `AC-00${i}/2023-PL`,
  dataAcordao: '20/01/2024',
  dataTransitoEmJulgado: '20/01/2024',
  dataFinalSancao: '20/01/2029',
}));
const csv = (spec: typeof ceisSpec, lines: readonly string[]) => readBytes(spec, { 'list.csv': Buffer.from(lines.join('\r\n')) });

describe('a list whose UTF-8 was read as another charset', () => {
  it.each(DAMAGES)('has the texts that were meant: %s', async (_, damage) => {
    for (const [spec, lines] of [
      [ceisSpec, CEIS],
      [cepimSpec, CEPIM],
    ] as const) {
      const { entries } = await csv(spec, lines);
      expect(entries).toHaveLength(CNPJS.length);
      expect((await csv(spec, lines.map(damage))).entries).toEqual(entries);
      // The header is right where only the database of the publisher is damaged.
      expect((await csv(spec, [lines[0] ?? '', ...lines.slice(1).map(damage)])).entries).toEqual(entries);
    }
  });

  it.each(DAMAGES)('has the texts that were meant, in JSON: %s', async (_, damage) => {
    const read = (rows: unknown) => readBytes(tcuInidoneosSpec, { 'list.json': Buffer.from(JSON.stringify(rows)) });
    const { entries } = await read(TCU);
    expect(entries).toHaveLength(CNPJS.length);
    expect((await read(JSON.parse(damage(JSON.stringify(TCU))))).entries).toEqual(entries);
  });

  it('keeps a text that cannot be repaired', async () => {
    const { entries } = await csv(ceisSpec, [...CEIS.slice(0, -1), (CEIS.at(-1) ?? '').replace('AÇÚCAR', 'AÃCAR IRMÃ')]);
    expect(entries.at(-1)?.record.name).toBe('AÃCAR IRMÃ SÃO JOSÉ 29');
  });
});

import { parse } from 'csv-parse/sync';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import type { FaultMode } from '../../sandbox/server/faults.ts';
import { bytesOf, cp1252, sandboxForFile, unzip } from './support.ts';

const server = sandboxForFile();

async function ceis(mode: FaultMode): Promise<string> {
  server.sandbox.faults.set('CEIS', { mode });
  const [bytes = Buffer.alloc(0)] = (await unzip(await bytesOf(await server.get('/ceis/20261121')))).values();
  return mode === 'wrong_charset' ? bytes.toString() : cp1252(bytes);
}
async function sdn(mode: FaultMode): Promise<string> {
  server.sandbox.faults.set('OFAC_SDN', { mode });
  const [bytes = Buffer.alloc(0)] = (await unzip(await bytesOf(await server.get('/ofac_sdn/SDN_XML.ZIP')))).values();
  return bytes.toString();
}

const rowsOf = (text: string): string[][] => parse(text, { delimiter: ';' });
function wellFormed(xml: string): boolean {
  let right = true;
  const parser = new SaxesParser();
  parser.on('error', () => {
    right = false;
  });
  parser.write(xml).close();
  return right;
}

describe('a damaged list', () => {
  it('in mode malformed is neither valid csv nor well-formed XML', async () => {
    const text = await ceis('malformed');
    expect(() => rowsOf(text)).toThrow();
    expect(wellFormed(await sdn('malformed'))).toBe(false);
  });

  it('in mode wrong_shape is a different table or document', async () => {
    expect(rowsOf(await ceis('wrong_shape'))).toEqual([
      ['id', 'nome'],
      ['1', 'outra tabela'],
    ]);
    expect(wellFormed(await sdn('wrong_shape'))).toBe(true);
    expect(await sdn('wrong_shape')).not.toContain('sdn');
  });

  it('in mode wrong_columns has another name for a required column or element', async () => {
    const [header = []] = rowsOf(await ceis('wrong_columns'));
    expect([header.length, header.includes('DOCUMENTO'), header.includes('CPF OU CNPJ DO SANCIONADO')]).toEqual([24, true, false]);
    const xml = await sdn('wrong_columns');
    expect([wellFormed(xml), xml.includes('<sdnEntry>'), xml.includes('<party>')]).toEqual([true, false, true]);
  });

  it('in mode shrunk has about one row in ten and the matching record count', async () => {
    expect(rowsOf(await ceis('shrunk'))).toHaveLength(1 + 6);
    const xml = await sdn('shrunk');
    expect([wellFormed(xml), xml.match(/<sdnEntry>/g)?.length]).toEqual([true, 4]);
    expect(xml).toContain('<Record_Count>4</Record_Count>');
  });

  it('in mode wrong_charset has its header in UTF-8', async () => {
    expect(rowsOf(await ceis('wrong_charset'))[0]).toContain('CÓDIGO DA SANÇÃO');
  });

  it('in mode wrong_columns lacks a column in the csv of OFAC and the date in the txt of the labour ministry', async () => {
    server.sandbox.faults.set('OFAC_SDN', { mode: 'wrong_columns' });
    const [row = []] = parse((await (await server.get('/ofac_sdn/SDN.CSV')).text()).replace('\x1A', '')) as string[][];
    expect(row).toHaveLength(11);
    server.sandbox.faults.set('TRABALHO_ESCRAVO', { mode: 'wrong_columns', match: '.txt' });
    expect(await (await server.get('/trabalho_escravo/cadastro_de_empregadores.txt')).text()).not.toContain('Cadastro atualizado em');
    expect(cp1252(await bytesOf(await server.get('/trabalho_escravo/cadastro_de_empregadores.csv')))).toContain(';CNPJ/CPF;');
  });
});

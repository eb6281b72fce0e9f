import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { readCnpj } from '../../src/domain/tax-id.ts';
import { sampleBytes } from '../support/samples.ts';
import { bytesOf, cp1252, sandboxForFile, unzip } from './support.ts';

const server = sandboxForFile();
const cnpjOf = (scenario: string): string => companyByScenario(scenario).cnpj;

async function daily(list: 'CEIS' | 'CNEP') {
  const members = await unzip(await bytesOf(await server.get(`/${list.toLowerCase()}/20261121`)));
  const text = cp1252(members.get(`20261121_${list}.csv`) ?? Buffer.alloc(0));
  const rows: Record<string, string>[] = parse(text, { delimiter: ';', columns: true });
  const of = (scenario: string) => rows.filter((row) => row['CPF OU CNPJ DO SANCIONADO'] === cnpjOf(scenario));
  return { members: [...members.keys()], text, rows, of };
}

describe('simulated CEIS', () => {
  it('is a zip of one csv whose name contains the date', async () => {
    const answer = await server.get('/ceis/20261121');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('last-modified')]).toEqual([
      200,
      'application/zip',
      'Sat, 21 Nov 2026 00:00:00 GMT',
    ]);
    expect((await daily('CEIS')).members).toEqual(['20261121_CEIS.csv']);
  });

  it('is available for three days up to yesterday and answers 403 for other dates', async () => {
    const status = async (date: string) => (await server.get(`/ceis/${date}`)).status;
    expect(await Promise.all(['20261122', '20261121', '20261120', '20261119', '20261118', 'latest'].map(status))).toEqual([
      403, 200, 200, 200, 403, 403,
    ]);
  });

  it('returns the same bytes for two requests', async () => {
    const [one, two] = await Promise.all([server.get('/ceis/20261120').then(bytesOf), server.get('/ceis/20261120').then(bytesOf)]);
    expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
  });

  it('quotes every cell and ends every row in CRLF', async () => {
    const { text } = await daily('CEIS');
    expect(text).toMatch(/^"CADASTRO";"CÓDIGO DA SANÇÃO";[^\r\n]*"OBSERVAÇÕES"\r\n"CEIS";/);
    expect(text.endsWith('"\r\n')).toBe(true);
  });

  it('has the header row of a real file', async () => {
    const real = cp1252(sampleBytes('brazil/debarment/20260930_CEIS.csv'));
    expect((await daily('CEIS')).text.split('\r\n')[0]).toBe(real.split('\r\n')[0]);
  });

  it('has 60 rows of companies, people and untyped documents', async () => {
    const { rows } = await daily('CEIS');
    const types = rows.map((row) => row['TIPO DE PESSOA']);
    expect(rows).toHaveLength(60);
    expect(new Set(types)).toEqual(new Set(['F', 'J', '']));
    expect(
      rows.filter(
        (row) => row['TIPO DE PESSOA'] === 'J' && readCnpj(row['CPF OU CNPJ DO SANCIONADO'] ?? '') !== row['CPF OU CNPJ DO SANCIONADO'],
      ),
    ).toEqual([]);
    expect(rows.some((row) => row['CPF OU CNPJ DO SANCIONADO']?.startsWith('***.'))).toBe(true);
  });

  it('contains the rows of the debarment scenarios', async () => {
    const { of } = await daily('CEIS');
    expect(of('debarred-ceis')).toMatchObject([{ 'DATA FINAL SANÇÃO': '10/07/2039', 'NOME FANTASIA - CADASTRO RECEITA': 'MERENDA AZEDA' }]);
    expect(of('debarred-ended')).toMatchObject([{ 'DATA FINAL SANÇÃO': '03/01/2019' }]);
    expect(of('debarred-indefinite')).toMatchObject([{ 'DATA FINAL SANÇÃO': '', PUBLICAÇÃO: 'Sem Informação' }]);
    expect(of('debarred-suspension')).toMatchObject([{ 'TIPO DE PESSOA': '', 'CATEGORIA DA SANÇÃO': 'Suspensão' }]);
    expect([of('debarred-root').length, of('debarred-root-branch').length, of('debarred-alphanumeric').length, of('clean').length]).toEqual(
      [0, 1, 1, 0],
    );
  });

  it('has four rows with two different contents for one company', async () => {
    const rows = (await daily('CEIS')).of('debarred-duplicates');
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(2);
    expect(rows).toHaveLength(4);
  });

  it('has quotes, semicolons, line breaks and characters of Windows-1252 in its cells', async () => {
    const [row] = (await daily('CEIS')).of('debarred-quotes');
    expect(row?.['NOME DO SANCIONADO']).toBe('Aspas "e" Ponto & Vírgula Comércio e Serviços Ltda. – ME');
    expect(row?.['FUNDAMENTAÇÃO LEGAL']).toMatch(/"PELA INEXECUÇÃO TOTAL OU PARCIAL";\r\nI - ADVERTÊNCIA;\r\n.*;;LEI 10520/);
  });
});

describe('simulated CNEP', () => {
  it('has one row for a fine and one row for its publication', async () => {
    const { of, rows } = await daily('CNEP');
    expect(rows).toHaveLength(15);
    expect(of('debarred-cnep-fine').map((row) => [row['CATEGORIA DA SANÇÃO'], row['VALOR DA MULTA']])).toEqual([
      ['Publicação extraordinária da decisão condenatória', '0,00'],
      ['Multa', '517662,90'],
    ]);
    expect([of('debarred-both').length, of('worst').length, of('debarred-cnep-no-fine').length]).toEqual([2, 2, 1]);
  });

  it('has the columns of a real file', async () => {
    const real = cp1252(sampleBytes('brazil/debarment/20260930_CNEP.csv'));
    expect((await daily('CNEP')).text.split('\r\n')[0]).toBe(real.split('\r\n')[0]);
  });
});

describe('the simulated forced-labour list', () => {
  const file = async (extension: string) =>
    cp1252(await bytesOf(await server.get(`/trabalho_escravo/cadastro_de_empregadores.${extension}`)));
  const table = async (): Promise<string[][]> =>
    parse(await file('csv'), { delimiter: ';', relax_column_count: true, skip_empty_lines: true }).filter((row: string[]) =>
      /^\d+$/.test(row[0] ?? ''),
    );

  it('has text before and after its table and no final line break', async () => {
    const text = await file('csv');
    expect(text).toMatch(/^CADASTRO DE EMPREGADORES[^\n]*\r\n\r\nID;Ano da ação fiscal;/);
    expect(text).toMatch(/\r\n\r\n\(\*1\) Reincluído [^\n]*\r\n\(\*2\) Exemplo de nota ‘entre aspas’\.$/);
  });

  it('has twenty numbered rows of ten cells and six quotation marks', async () => {
    const rows = await table();
    expect(rows.map(([id]) => id)).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)));
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([10]));
    expect((await file('csv')).match(/"/g)).toHaveLength(6);
  });

  it('contains the listings of the forced-labour scenarios', async () => {
    const rows = await table();
    const listings = (scenario: string) => rows.filter((row) => readCnpj(row[4] ?? '') === cnpjOf(scenario)).map((row) => row[9]);
    expect(listings('labor-listed')).toEqual(['07/10/2024']);
    expect(listings('labor-relisted')).toEqual(['05/10/2022 a 13/01/2023, 11/11/2024']);
    expect(listings('labor-removed')).toEqual(['05/10/2020 a 13/01/2022']);
    expect([listings('labor-twice').length, listings('labor-root').length, listings('worst').length]).toEqual([2, 0, 1]);
    expect(rows.filter((row) => row[4]?.startsWith('99.030.023/0004-'))).toHaveLength(1);
    expect(rows.filter((row) => /^\d{3}\.\d{3}\.\d{3}-\d{2}$/.test(row[4] ?? '')).length).toBeGreaterThan(5);
    expect(rows.find((row) => row[3]?.endsWith(' (*1)'))?.[3]).toBe('CONFECCOES AGULHA CEGA LTDA (*1)');
  });

  it('states the date of its version in the txt and not in the csv', async () => {
    expect(await file('txt')).toMatch(/\r\nCadastro atualizado em 07\/10\/2026\r\n/);
    expect(await file('csv')).not.toContain('atualizado');
    expect((await server.get('/trabalho_escravo/cadastro_de_empregadores.csv')).headers.get('last-modified')).toBe(
      'Wed, 07 Oct 2026 00:00:00 GMT',
    );
  });

  it('answers 403 to HEAD and 404 to another file name', async () => {
    expect((await server.get('/trabalho_escravo/cadastro_de_empregadores.csv', { method: 'HEAD' })).status).toBe(403);
    expect((await server.get('/trabalho_escravo/outro.csv')).status).toBe(404);
  });
});

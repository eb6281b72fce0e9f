import { describe, expect, it } from 'vitest';
import { cepimSpec } from '../../../src/modules/debarment/sources/cepim.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { readBytes, readPath } from '../../support/read-list.ts';
import { sampleBytes, samplePath } from '../../support/samples.ts';

const real = sampleBytes('brazil/debarment/20260928_CEPIM.csv');
const synthetic = sampleBytes('brazil/optional-lists/20261005_CEPIM.SYNTHETIC.csv');
const read = (content: Buffer | string) => readBytes(cepimSpec, { '20260928_CEPIM.csv': content });
/** The published rows with changes to their text. */
const changed = (change: (text: string) => string, of = real) => Buffer.from(change(of.toString('latin1')), 'latin1');

describe('the reader of CEPIM', () => {
  it('yields each agreement of an entity with its number as printed, and without dates', async () => {
    const { entries, version } = await read(real);
    expect(version).toEqual({ publishedOn: '2026-09-28', rowsRead: 6, rowsSkipped: 0, rowsUnmatched: 0 });
    expect(entries[0]).toEqual({
      id: '14112015000156:039516',
      keys: ['BR:14112015'],
      record: {
        document: '14112015000156',
        name: 'ASSOCIACAO DOS PAIS DE BOM JESUS DO TOCANTINS',
        category: 'IMPEDIMENTO',
        bodyName: 'Ministério da Gestão e da Inovação em Serviços Públicos - Unidades com vínculo direto',
        startsOn: null,
        endsOn: null,
        processId: null,
        fineBrl: null,
        sanctionCode: '',
        reference: '039516',
        reason: 'DESCUMPRIMENTO DE CLAUSULA/CONDICAO DO INSTR.',
      },
    });
    expect(entries.filter(({ keys }) => keys[0] === 'BR:02307795').map(({ record }) => record.reference)).toEqual([
      '524174',
      '570494',
      '576934',
      '571437',
    ]);
  });

  it('reads the zip of the publisher like its csv', async () => {
    expect(await readPath(cepimSpec, samplePath('brazil/debarment/20260928_CEPIM.zip'))).toEqual(await read(real));
  });

  it('reads a CNPJ with letters, masked, or without its left zeros', async () => {
    expect((await read(synthetic)).entries.at(-1)).toMatchObject({ keys: ['BR:7AB1C2D3'], record: { document: '7AB1C2D3000109' } });
    for (const [printed, document] of [
      ['02.307.795/0001-00', '02307795000100'],
      [' 02307795000100 ', '02307795000100'],
      ['2307795000100', '02307795000100'],
      ['CNPJ: 02.307.795/0001-00', '02307795000100'],
      ['02307795/000100', '02307795000100'],
    ] as const) {
      const { entries } = await read(changed((text) => text.replaceAll('02307795000100', printed)));
      expect([printed, entries[2]?.record.document, entries[2]?.keys]).toEqual([printed, document, ['BR:02307795']]);
    }
  });

  it('counts identical rows once, and keeps two reasons for one agreement', async () => {
    const repeated = changed((text) => {
      const [header = '', first = ''] = text.split('\r\n');
      return [header, first, first, first.replace('DESCUMPRIMENTO', 'ATRASO'), ''].join('\r\n');
    });
    const { entries, version } = await read(repeated);
    expect(version.rowsRead).toBe(3);
    expect(entries.map(({ id }) => id)).toEqual(['14112015000156:039516', '14112015000156:039516-2']);
  });

  it('does not store a complete CPF in the place of a CNPJ', async () => {
    const many = changed((text) => text + text.split('\r\n').slice(1).join('\r\n').repeat(20).replaceAll('0395', '0396'));
    const withCpf = changed((text) => text.replace('"14112015000156"', '"52998224725"'), many);
    expect(JSON.stringify(await read(withCpf))).not.toContain('52998224725');
  });

  it('DB-06 counts no rows in a file with only a header', async () => {
    const { entries, version } = await read(changed((text) => `${text.split('\r\n')[0]}\r\n`));
    expect({ entries, rowsRead: version.rowsRead }).toEqual({ entries: [], rowsRead: 0 });
  });

  it.each([
    { name: 'an empty file', content: '' },
    { name: 'a maintenance page', content: '<!DOCTYPE html>\n<html><body>Site em manutenção</body></html>' },
    { name: 'the refusal of the file server', content: '<Error><Code>AccessDenied</Code></Error>' },
    { name: 'a missing column', content: changed((text) => text.replace('MOTIVO DO IMPEDIMENTO', 'MOTIVO')) },
    { name: 'a doubled column', content: changed((text) => text.replace('"NOME ENTIDADE"', '"CNPJ ENTIDADE"')) },
    { name: 'a row cut between cells', content: changed((text) => text.slice(0, text.lastIndexOf(';'))) },
    { name: 'a row cut in a cell', content: changed((text) => text.slice(0, -10)) },
    { name: 'another delimiter', content: changed((text) => text.replaceAll('";"', '","')) },
    { name: 'CNPJs that a spreadsheet has rounded', content: changed((text) => text.replace(/"\d{14}"/g, '"1,41120E+13"')) },
    { name: 'CNPJs without digits', content: changed((text) => text.replace(/"\d{14}"/g, '"XXXXXXXXXXXXXX"')) },
    { name: 'rows without numbers of agreements', content: changed((text) => text.replace(/"\d{6}"/g, '""')) },
    { name: 'rows without reasons', content: changed((text) => text.replace(/;"[^;]*"\r\n(?="\d)/g, ';""\r\n')) },
  ])('DB-06 refuses $name', async ({ content }) => {
    await expect(read(content)).rejects.toThrow(ListFileError);
  });
});

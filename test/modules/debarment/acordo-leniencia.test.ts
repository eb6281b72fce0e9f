import { describe, expect, it } from 'vitest';
import { acordoLenienciaSpec } from '../../../src/modules/debarment/sources/acordo-leniencia.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { type Bytes, zipOf } from '../../support/files.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleBytes } from '../../support/samples.ts';

const agreements = sampleBytes('brazil/optional-lists/20261005_Acordos.SYNTHETIC.csv');
const effects = sampleBytes('brazil/optional-lists/20261005_Efeitos.SYNTHETIC.csv');
const read = (one: Bytes, other: Bytes = effects) =>
  readBytes(acordoLenienciaSpec, { '20261005_Acordos.csv': one, '20261005_Efeitos.csv': other });
const changed = (change: (text: string) => string, of = agreements) => Buffer.from(change(of.toString('latin1')), 'latin1');

describe('the reader of leniency agreements', () => {
  it('has no end date for the year 9999', async () => {
    const { entries } = await read(changed((text) => text.replaceAll('03/07/2040', '31/12/9999')));
    expect(entries[2]?.record.endsOn).toBeNull();
  });

  it('yields each agreement with its effects, under the root of the company', async () => {
    const { entries, version } = await read(agreements);
    expect(version).toEqual({ publishedOn: '2026-10-05', rowsRead: 9, rowsSkipped: 1, rowsUnmatched: 1 });
    expect(entries[2]).toEqual({
      id: '78395041000111:9003',
      keys: ['BR:78395041'],
      record: {
        document: '78395041000111',
        name: 'CONSTRUTORA FICTÍCIA 3 S.A.',
        startsOn: '2018-07-03',
        endsOn: '2040-07-03',
        situation: 'Em Execução',
        processId: '00190.100001/2016-11',
        bodyName: 'CONTROLADORIA-GERAL DA UNIÃO',
        effects: [
          { effect: 'Efeito fictício um', complement: null },
          { effect: 'Efeito fictício dois', complement: 'Complemento; com ponto e vírgula' },
        ],
      },
    });
  });

  it('keeps one row for each company of a group, and a blank end as none', async () => {
    const { entries } = await read(agreements);
    expect(entries.filter(({ record }) => record.processId === '00190.100001/2016-11')).toHaveLength(3);
    expect(entries[3]?.record).toMatchObject({ document: '79629608000130', endsOn: null });
  });

  it('keeps a foreign company, which has a word in place of a CNPJ, by its name', async () => {
    const { entries } = await read(agreements);
    expect(entries.at(-1)).toMatchObject({ keys: [], record: { document: '', name: 'FOREIGN IMAGINARY GMBH' } });
  });

  it('reads a CNPJ that stands in place of the name', async () => {
    const { entries } = await read(changed((text) => text.replace(/"78\.395\.041\/0001-11";"([^"]*)"/, '"$1";"78.395.041/0001-11"')));
    expect(entries[2]).toMatchObject({ keys: ['BR:78395041'] });
  });

  it('reads the zip of the publisher', async () => {
    const zip = await zipOf({
      '20261005_Acordos.csv': agreements,
      '20261005_Efeitos.csv': Buffer.concat([effects, effects.subarray(-64)]),
    });
    const whole = await zipOf({ '20261005_Acordos.csv': agreements, '20261005_Efeitos.csv': effects });
    expect(await readBytes(acordoLenienciaSpec, { '20261005_AcordosLeniencia.zip': whole })).toEqual(await read(agreements));
    await expect(readBytes(acordoLenienciaSpec, { '20261005_AcordosLeniencia.zip': zip })).rejects.toThrow(ListFileError);
  });

  it.each([
    { name: 'LENIÊNCIA spelt right', change: (text: string) => text.replace('LENI\u00CANICA', 'LENI\u00CANCIA') },
    { name: 'the dash as a control character of Latin-1 in UTF-8', change: (text: string) => text.replaceAll('\u0096', '\u00C2\u0096') },
    { name: 'no accents in its header', change: (text: string) => text.replace('RAZ\u00C3O SOCIAL', 'RAZAO SOCIAL') },
  ])('reads a file with $name alike', async ({ change }) => {
    const ids = async (file: Bytes) => (await read(file)).entries.map(({ id }) => id);
    expect(await ids(changed(change))).toEqual(await ids(agreements));
  });

  it('DB-06 counts no rows in a file with only a header', async () => {
    const none = await read(
      changed((text) => `${text.split('\r\n')[0]}\r\n`),
      changed((text) => `${text.split('\r\n')[0]}\r\n`, effects),
    );
    expect(none.version.rowsRead).toBe(0);
  });

  it.each([
    { name: 'no effects', files: { '20261005_Acordos.csv': agreements } },
    { name: 'a page in place of the effects', other: '<html><body>Manutenção</body></html>' },
    { name: 'the agreements in place of the effects', other: agreements },
    { name: 'effects of other agreements', other: changed((text) => text.replaceAll('"900', '"700'), effects) },
    { name: 'effects that end in a row', other: effects.subarray(0, -60) },
    {
      name: 'the columns of older files',
      one: changed((text) =>
        text.replace('CNPJ DO SANCIONADO', 'CNPJ').replace('DATA DE IN\u00CDCIO DO ACORDO', 'DATA IN\u00CDCIO ACORDO'),
      ),
    },
    { name: 'a missing column', one: changed((text) => text.replace('DATA DE FIM', 'TERMO')) },
    { name: 'a row cut between cells', one: changed((text) => text.slice(0, text.lastIndexOf(';'))) },
    { name: 'another delimiter', one: changed((text) => text.replaceAll('";"', '","')) },
    { name: 'words in place of all CNPJs', one: changed((text) => text.replace(/"[\d./-]{14,18}"(?=;"CONSTRUTORA)/g, '"EXTERNA"')) },
    { name: 'an empty CNPJ in a row', one: changed((text) => text.replace('75.925.907/0001-60', '')) },
    { name: 'dates of another form', one: changed((text) => text.replace(/"(\d\d)\/(\d\d)\/(\d{4})"/g, '"$3-$2-$1"')) },
  ])('DB-06 refuses $name', async ({ files, one = agreements, other = effects }) => {
    await expect(files ? readBytes(acordoLenienciaSpec, files) : read(one, other)).rejects.toThrow(ListFileError);
  });
});

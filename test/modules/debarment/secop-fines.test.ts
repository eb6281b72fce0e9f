import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNit, nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { contractorOf } from '../../../src/modules/debarment/sources/fine-rows.ts';
import { multasSecopISpec } from '../../../src/modules/debarment/sources/multas-secop-i.ts';
import { multasSecopIiSpec } from '../../../src/modules/debarment/sources/multas-secop-ii.ts';
import { unreadableRowsOf } from '../../../src/sources/registry/company-documents.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleJson, sampleText } from '../../support/samples.ts';

type Row = Record<string, unknown>;

const SECOP_I: readonly Row[] = sampleJson('colombia-rues/secop1_multas_4n4q.SYNTHETIC.json');
const SECOP_II: readonly Row[] = sampleJson('colombia-rues/secop2_multas_it5q.SYNTHETIC.json');
const CONTRACTS: readonly Row[] = sampleJson('colombia-rues/jbjy-vk9h.json');

const readI = (rows: unknown) => readBytes(multasSecopISpec, { '4n4q-k399.json': JSON.stringify(rows) });
const readIi = (rows: unknown, contracts: unknown = CONTRACTS) =>
  readBytes(multasSecopIiSpec, { 'it5q-hg94.json': JSON.stringify(rows), 'jbjy-vk9h.json': JSON.stringify(contracts) });
const keysOf = ({ entries }: Awaited<ReturnType<typeof readI>>) => entries.map(({ keys }) => keys.join());
const [first = {}] = SECOP_I;
/** Twenty good rows and the given one, so that one cell that cannot be read is below the limit of a file. */
const among = (row: Row): readonly Row[] => [
  ...Array.from({ length: 20 }, (_, i) => ({ ...first, numero_de_resolucion: `R ${i}` })),
  { ...first, numero_de_resolucion: 'LAST', ...row },
];

describe('the document of a contractor', () => {
  it.each([
    ['830501223', { kind: 'company', nit: '830501223' }],
    ['8340014074', { kind: 'company', nit: '834001407' }],
    ['890000858-1', { kind: 'company', nit: '890000858' }],
    ['900.700.023-8', { kind: 'company', nit: '900700023' }],
    ['0860700012', { kind: 'company', nit: '860700012' }],
    ['NIT 860.700.012', { kind: 'company', nit: '860700012' }],
    ['79000001', { kind: 'person' }],
    ['79.000.001', { kind: 'person' }],
    ['1000000001', { kind: 'person' }],
    ['700000019', { kind: 'person' }],
    ['52345', { kind: 'person' }],
    ['8340014075', { kind: 'unreadable' }],
    ['834001407-5', { kind: 'unreadable' }],
    ['8,34E+08', { kind: 'unreadable' }],
    ['86070001?', { kind: 'unreadable' }],
    ['XXXXXXXXX', { kind: 'unreadable' }],
    ['999999999', { kind: 'unreadable' }],
    ['8', { kind: 'unreadable' }],
    ['11111111', { kind: 'unreadable' }],
    ['2222222222', { kind: 'unreadable' }],
    ['222222222-7', { kind: 'unreadable' }],
    ['1111111', { kind: 'unreadable' }],
    ['123456789', { kind: 'unreadable' }],
    ['No Definido', { kind: 'unreadable' }],
    ['', { kind: 'unreadable' }],
  ])('%s', (document, contractor) => {
    expect(contractorOf(document)).toEqual(contractor);
  });

  it.each([
    'FABRICA IMAGINARIA S.A.',
    'Fábrica Imaginaria SA',
    'INVENTADA DIGITAL S A S',
    'INVENTADA, LTDA.',
    'INVENTADA E.U',
    'INVENTADA S. EN C.S.',
  ])('that looks like a person’s beside the name %s is cut, so that the names are compared', (name) => {
    expect(contractorOf('8607000', name)).toEqual({ kind: 'unreadable' });
    expect(contractorOf('860700012', name)).toEqual({ kind: 'company', nit: '860700012' });
  });

  it.each(['PERSONA INVENTADA', 'ROSA MARIA LISA', 'CONSORCIO INVENTADO'])('is a person’s beside the name %s', (name) => {
    expect(contractorOf('79000001', name)).toEqual({ kind: 'person' });
  });

  it('is the same company in every spelling of its NIT', () => {
    const nits = fc
      .integer({ min: 800_000_001, max: 999_999_998 })
      .map(String)
      .filter((nit) => !/^(.)\1+$/.test(nit));
    fc.assert(
      fc.property(nits, fc.nat({ max: 3 }), (nit, zeros) => {
        const whole = nit + nitCheckDigit(nit);
        const dotted = formatNit(whole);
        const spellings = [
          nit,
          whole,
          `${nit}-${whole.slice(-1)}`,
          dotted,
          dotted.slice(0, -2),
          dotted.replaceAll('.', ' '),
          `NIT ${dotted}`,
        ];
        for (const spelling of [...spellings, `${'0'.repeat(zeros)}${nit}`, ` ${whole} `])
          expect([spelling, contractorOf(spelling)]).toEqual([spelling, { kind: 'company', nit }]);
        const wrong = nit + String((Number(whole.slice(-1)) + 1) % 10);
        expect(contractorOf(wrong)).toEqual({ kind: 'unreadable' });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the reader of the fines of SECOP I', () => {
  it('reads the published columns of a fine', async () => {
    const { entries } = await readI(SECOP_I);
    expect(entries[0]).toEqual({
      id: expect.stringMatching(/^860700012:[0-9a-f]{12}$/),
      keys: ['CO:860700012'],
      record: {
        name: '',
        entity: 'ENTIDAD INVENTADA DEL ORDEN TERRITORIAL',
        entityTaxId: '899999061',
        kind: null,
        amountCop: 3_797_492,
        resolution: 'RESOLUCION 101 DE 2019',
        date: '2019-11-14',
        contract: 'CTO-1-2018',
        processId: null,
        processUrl: 'https://example.invalid/proceso/1',
      },
    });
  });

  it('keeps companies once each fine, with a check digit that is glued on or after dots; no people, no test, no buyer as contractor', async () => {
    const read = await readI(SECOP_I);
    expect(keysOf(read)).toEqual(['CO:860700012', 'CO:860700012', 'CO:901700001', 'CO:900700023', 'CO:860700156']);
    expect(read.version).toEqual({ publishedOn: null, rowsRead: 10, rowsSkipped: 4, rowsUnmatched: 1 });
    expect(JSON.stringify(read.entries)).not.toMatch(/PERSONA INVENTADA|PRUEBA|79000001/);
  });

  it('leaves out a test by its name, unless it has the NIT of a company; compares the name beside the document of a test', async () => {
    const named = (documento_contratista: string, nombre_contratista: string) =>
      readI(among({ documento_contratista, nombre_contratista }));
    expect((await named('123456789', 'PRUEBA CONTRATISTA')).entries).toHaveLength(20);
    expect(keysOf(await named('860700156', 'PRUEBA CONTRATISTA')).at(-1)).toBe('CO:860700156');
    expect((await named('123456789', 'FABRICA INVENTADA')).entries.at(-1)).toMatchObject({
      keys: [unreadableRowsOf('CO')],
      record: { name: 'FABRICA INVENTADA' },
    });
  });

  it('reads a link that is a text, an object or absent, and no other address', async () => {
    const links = ['https://example.invalid/a', { url: 'https://example.invalid/a' }, { url: 'javascript:alert(1)' }, undefined];
    const { entries } = await readI(links.map((ruta_de_proceso, i) => ({ ...first, numero_de_resolucion: `R ${i}`, ruta_de_proceso })));
    expect(entries.map(({ record }) => record.processUrl)).toEqual(['https://example.invalid/a', 'https://example.invalid/a', null, null]);
  });

  it('keeps fines apart by their resolution, contract, amount or buyer, and those without a resolution by their date', async () => {
    const { entries } = await readI([
      first,
      { ...first, fecha_de_cargue: '2026-01-01T00:00:00.000' },
      { ...first, numero_de_resolucion: 'OTHER' },
      { ...first, numero_de_contrato: 'OTHER' },
      { ...first, valor_sancion: '1' },
      { ...first, nit_entidad: '899999062' },
      { ...first, numero_de_resolucion: 'No Definido' },
      { ...first, numero_de_resolucion: 'No Definido', fecha_de_firmeza: '2020-01-01T00:00:00.000' },
    ]);
    expect(entries).toHaveLength(7);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(7);
  });

  it('has an amount of 0, and null for one that cannot be read', async () => {
    for (const [valor_sancion, amountCop] of [
      ['0', 0],
      [12, 12],
      ['12.5', 12.5],
      ['', null],
      ['$ 5', null],
      [undefined, null],
    ] as const)
      expect((await readI(among({ valor_sancion }))).entries.at(-1)?.record.amountCop).toBe(amountCop);
  });

  it('has the date on which it became final, else that of its publication, and null for one that cannot be right', async () => {
    const day = '2020-02-30T00:00:00.000';
    const dateOf = async (row: Row) => (await readI(among(row))).entries.at(-1)?.record.date;
    expect(await dateOf({ fecha_de_firmeza: undefined, fecha_de_publicacion: '2021-05-06T00:00:00.000' })).toBe('2021-05-06');
    expect(await dateOf({ fecha_de_firmeza: day, fecha_de_publicacion: '2021-05-06T00:00:00.000' })).toBe('2021-05-06');
    expect(await dateOf({ fecha_de_firmeza: '99999999', fecha_de_publicacion: '1900-01-01T00:00:00.000' })).toBeNull();
  });

  it('repairs a text in a wrong charset', async () => {
    expect((await readI([{ ...first, nombre_entidad: 'GestiÃ³n PÃºblica' }])).entries[0]?.record.entity).toBe('Gestión Pública');
  });

  it('prints the number of a contract that is a CPF by chance, and masks a CPF within other text', async () => {
    const numbers = { numero_de_contrato: '52998224725', nit_entidad: '52998224725', numero_de_resolucion: 'CC 52998224725' };
    const { entries } = await readI(among(numbers));
    expect(entries.at(-1)?.record).toMatchObject({ contract: '52998224725', entityTaxId: '52998224725', resolution: 'CC ***982247**' });
    for (const typed of ['CTO DE MARIA 52998224725', 'MARIA-52998224725', '529.982.247-25', 'CO1.PCCNTR.52998224725']) {
      const { entries } = await readI(among({ numero_de_contrato: typed }));
      expect(entries.at(-1)?.record.contract).toMatch(/\*{3}982247\*{2}$/);
    }
  });

  it('keeps a fine whose document cannot be read under the name of its contractor, and counts it', async () => {
    const { entries, version } = await readI(among({ documento_contratista: '8,6E+08' }));
    expect(entries.at(-1)).toMatchObject({ keys: ['CO:?'], record: { name: 'FABRICA IMAGINARIA S.A.' } });
    expect(version.rowsUnmatched).toBe(1);
  });

  it.each<[string, unknown]>([
    ['an unknown column', [{ ...first, columna_nueva: 'x' }]],
    ['an error of the portal', { code: 'query.soql.no-such-column', error: true }],
    ['a list in the list', [SECOP_I]],
    ['null', null],
    ['rows without documents', SECOP_I.map(({ documento_contratista, ...row }) => row)],
    ['amounts in another form', SECOP_I.map((row) => ({ ...row, valor_sancion: '$ 1.000' }))],
    ['dates in another form', SECOP_I.map((row) => ({ ...row, fecha_de_firmeza: '14/11/2019' }))],
    ['a value of another type', [{ ...first, documento_contratista: { number: '1' } }]],
    ['as many rows as one query returns', Array.from({ length: 20_000 }, () => ({ documento_contratista: '1' }))],
  ])('DB-06 refuses %s', async (_, rows) => {
    await expect(readI(rows)).rejects.toThrow(ListFileError);
  });

  it.each([
    ['nothing', ''],
    ['a page of maintenance', '<!doctype html><html></html>'],
    ['a cut file', sampleText('colombia-rues/secop1_multas_4n4q.SYNTHETIC.json').slice(0, 4_000)],
  ])('DB-06 refuses %s as a file', async (_, text) => {
    await expect(readBytes(multasSecopISpec, { '4n4q-k399.json': text })).rejects.toThrow(ListFileError);
  });
});

describe('the reader of the fines of SECOP II', () => {
  it('assigns a fine by its contract, in its last version, with the address of the contract', async () => {
    const { entries } = await readIi(SECOP_II);
    expect(entries[0]).toMatchObject({
      keys: ['CO:860700012'],
      record: {
        name: '',
        entity: 'ENTIDAD INVENTADA',
        entityTaxId: '899999061',
        kind: 'Multa',
        amountCop: 980_000,
        resolution: 'ACTO-1',
        date: '2025-09-08',
        contract: 'CO1.PCCNTR.9100001',
        processId: 'CO1.BDOS.9000001',
        processUrl: 'https://example.invalid/proceso/9000001',
      },
    });
  });

  it('assigns a fine without a contract by its procedure and the code of the supplier; leaves out drafts and people; compares letter case', async () => {
    const read = await readIi(SECOP_II);
    expect(keysOf(read)).toEqual(['CO:860700012', 'CO:901700001', 'CO:?']);
    expect(read.entries[1]?.record).toMatchObject({ kind: 'Clausula Penal', contract: 'CO1.PCCNTR.9100002' });
    expect(read.entries[2]?.record.name).toBe('OTRA INVENTADA LTDA');
    expect(read.version).toEqual({ publishedOn: null, rowsRead: 6, rowsSkipped: 3, rowsUnmatched: 1 });
  });

  it('reads the kind of a fine where it stands', async () => {
    const other = { ...SECOP_II[0], tipo_de_sancion: 'No Definido', descripcion_otro_tipo_de: 'Caducidad' };
    expect((await readIi([other])).entries[0]?.record.kind).toBe('Caducidad');
    expect((await readIi([{ ...other, descripcion_otro_tipo_de: undefined }])).entries[0]?.record.kind).toBeNull();
  });

  it.each<[string, Row]>([
    ['of an unknown state', { estado: 'En revisión' }],
    ['without a state', { estado: undefined }],
    ['whose contract is not known', { id_contrato: 'CO1.PCCNTR.1', id_proceso: 'CO1.BDOS.1' }],
    ['of a procedure with another supplier', { id_contrato: 'No definido', as_codigo_proveedor_objeto: '70000007' }],
    ['without the code of a supplier', { id_contrato: 'No definido', as_codigo_proveedor_objeto: undefined }],
  ])('keeps a fine %s under the name of its contractor', async (_, changes) => {
    const read = await readIi([SECOP_II[0], { ...SECOP_II[0], numero_de_acto: 'ACTO-2', ...changes }]);
    expect(keysOf(read)).toEqual(['CO:860700012', 'CO:?']);
    expect(read.version.rowsUnmatched).toBe(1);
  });

  it('does not choose between two suppliers of one code in a procedure', async () => {
    const contracts = CONTRACTS.map((row) => ({ ...row, codigo_proveedor: '70000002' }));
    expect(keysOf(await readIi([SECOP_II[2]], contracts))).toEqual(['CO:?']);
  });

  it('keeps a fine of a consortium, which has no document, under its name', async () => {
    const contracts = CONTRACTS.map((row) => ({ ...row, documento_proveedor: 'No Definido' }));
    expect(keysOf(await readIi([SECOP_II[0]], contracts))).toEqual(['CO:?']);
  });

  it('is not plausible if most fines have no known contractor', async () => {
    expect((await readIi(SECOP_II, [])).version.implausible).toMatchObject({ reason: 'unassigned' });
    expect((await readIi(SECOP_II)).version.implausible).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    ['an unknown column', [{ ...SECOP_II[0], columna_nueva: 'x' }], CONTRACTS],
    ['an error in place of the contracts', SECOP_II, { code: 'query.timeout', error: true }],
    ['contracts without ids', SECOP_II, CONTRACTS.map(({ id_contrato, ...row }) => row)],
    ['contracts with damaged documents', SECOP_II, CONTRACTS.map((row) => ({ ...row, documento_proveedor: '8,6E+08' }))],
  ])('DB-06 refuses %s', async (_, rows, contracts) => {
    await expect(readIi(rows, contracts)).rejects.toThrow(ListFileError);
  });

  it('DB-06 refuses fines without the table of contracts', async () => {
    await expect(readBytes(multasSecopIiSpec, { 'it5q-hg94.json': JSON.stringify(SECOP_II) })).rejects.toThrow(ListFileError);
  });
});

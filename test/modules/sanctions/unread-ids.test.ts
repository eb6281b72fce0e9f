import { describe, expect, it } from 'vitest';
import { CSV_FILES, csvFile, sdnEntry, sdnXml } from '../../../sandbox/upstreams/sanctions/ofac.ts';
import { id, type OfacParty, party, strong } from '../../../sandbox/upstreams/sanctions/ofac-parties.ts';
import { formatCnpj, nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { cnpjOf } from '../../support/made-up-cnpjs.ts';
import { readBytes } from '../../support/read-list.ts';

const nitOf = (n: number) => `9${String(10_000_000 + n)}-${nitCheckDigit(`9${10_000_000 + n}`)}`;

/** A list of 400 parties: each tenth has a NIT, each fortieth a CNPJ, others a RUC or an R.F.C. */
const parties = (label: (printed: string, n: number) => string): readonly OfacParty[] =>
  Array.from({ length: 400 }, (_, n) => {
    const ids = [
      ...(n % 10 === 0 ? [id(label('NIT #', n), nitOf(n), 'Colombia')] : []),
      ...(n % 40 === 5 ? [id(label('C.N.P.J.', n), formatCnpj(cnpjOf(60_000 + n)), 'Brazil')] : []),
      ...(n % 40 === 6 ? [id(label('RUC #', n), `20${100_000_000 + n}`, 'Peru')] : []),
      ...(n % 40 === 7 ? [id(label('R.F.C.', n), `ABC-990101-A${String(n).padStart(2, '0').slice(-2)}`, 'Mexico')] : []),
    ];
    return party(700_000 + n, `EMPRESA INVENTADA ${n}`, ['SDNTK'], { ids, aliases: [strong(`INVENTADA ${n}`)] });
  });

const asXml = (all: readonly OfacParty[]) => readBytes(ofacSdnSpec, { 'SDN.XML': sdnXml('11/19/2026', all.map(sdnEntry)) });
const asCsv = (all: readonly OfacParty[]) =>
  readBytes(
    ofacSdnSpec,
    Object.fromEntries(['sdn.csv', 'alt.csv'].map((name) => [name, csvFile(CSV_FILES[name.toUpperCase()]?.(all) ?? [])])),
  );
const FORMATS = [
  ['xml', asXml],
  ['csv', asCsv],
] as const;

/** Of the labels, the given share is written otherwise. */
const some = (from: string, to: string, every: number) =>
  parties((printed, n) => (printed === from && (n / 10) % every === 0 ? to : printed));
const keysOf = (entries: readonly { readonly keys: readonly string[] }[]) => entries.flatMap(({ keys }) => keys);

describe.each(FORMATS)('the ids of the SDN list as %s', (_, read) => {
  it.each([
    'NIT No.',
    'Nit#',
    'N.I.T.',
    'N.I.T. No.',
    'NIT Number',
    'nit',
    'NIT:',
    'Nit No',
    'Tax Identification Number',
    'Colombian Tax ID',
    'TIN',
  ])('UP-03 are the same with some labels NIT # written %s', async (label) => {
    const sound = await read(parties((printed) => printed));
    const damaged = await read(some('NIT #', label, 2));
    expect(keysOf(sound.entries).length).toBeGreaterThan(60);
    expect(keysOf(damaged.entries)).toEqual(keysOf(sound.entries));
  });

  it.each(['N1T', 'NTI', 'Identificacion tributaria', 'Colombian tax number', 'Company No.', '?'])(
    'UP-03 refuse a first load with some labels NIT # written %s, if they are not read',
    async (label) => {
      const sound = keysOf((await read(parties((printed) => printed))).entries);
      const found = await read(some('NIT #', label, 2)).then(
        ({ entries }) => keysOf(entries),
        (error: unknown) => error,
      );
      if (Array.isArray(found)) expect(found).toEqual(sound);
      else expect(found).toBeInstanceOf(ListFileError);
    },
  );

  it.each(['Rol Unico Tributario', 'Chilean Tax ID', 'Fiscal ID'])(
    'UP-03 have the one Chilean RUT of a list, written %s',
    async (label) => {
      const listed = party(900_000, 'EMPRESA CHILENA INVENTADA', ['SDNTK'], { ids: [id(label, '76.123.456-0', 'Chile')] });
      expect(keysOf((await read([...parties((printed) => printed), listed])).entries)).toContain('CL:761234560');
    },
  );

  it.each(['Brasil', 'BRAZIL', 'BRA', 'Republic of Brazil', 'Federative Republic of Brazil', '?'])(
    'UP-03 are the same with Brazil written %s in some of them',
    async (country) => {
      const sound = parties((printed) => printed);
      const damaged = sound.map((one, n) =>
        n % 80 === 5 ? { ...one, ids: one.ids.map(({ number }) => id('Tax ID No.', number, country)) } : one,
      );
      expect(keysOf((await read(damaged)).entries)).toEqual(keysOf((await read(sound)).entries));
    },
  );

  it('UP-03 refuse numbers without a label, or without a country', async () => {
    for (const [label, country] of [
      ['', 'Colombia'],
      ['Colombian Tax ID', null],
    ] as const) {
      const all = parties((printed) => printed).map((one, n) =>
        n % 20 === 0 ? { ...one, ids: one.ids.map(({ number }) => id(label, number, country)) } : one,
      );
      await expect(read(all), label).rejects.toThrow(ListFileError);
    }
  });

  it('UP-03 refuse numbers of a known label that cannot be read', async () => {
    const cut = parties((printed) => printed).map((one, n) =>
      n % 20 === 0 ? { ...one, ids: one.ids.map(({ type, number }) => id(type, number, null)) } : one,
    );
    await expect(read(cut)).rejects.toThrow(/look like tax ids and are not recognised/);
  });

  it('are counted as unmatched where one in a hundred is not read', async () => {
    const all = parties((printed) => printed);
    const many = [
      ...all,
      ...Array.from({ length: 800 }, (_, n) =>
        party(800_000 + n, `OUTRA ${n}`, ['SDNTK'], {
          ids: [id('NIT #', nitOf(1_000 + n), 'Colombia')],
          aliases: [strong(`OUTRA ALIAS ${n}`)],
        }),
      ),
    ];
    const { version } = await read(many.map((one, n) => (n === 0 ? { ...one, ids: [id('NIT #', nitOf(0), 'Atlantis')] } : one)));
    expect(version.rowsUnmatched).toBe(1);
  });

  it('of other registries and of people are no tax ids', async () => {
    const all = parties((printed) => printed).map((one, n) =>
      n % 3 === 1
        ? {
            ...one,
            ids: [
              ...one.ids,
              id('Folio Mercantil No.', `${9_900_000 + n}`, 'Mexico'),
              id('Matricula Mercantil No', `${1_000_000 + n}`, 'Colombia'),
            ],
          }
        : one,
    );
    expect((await read(all)).version.rowsUnmatched).toBe(0);
  });
});

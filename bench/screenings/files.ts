import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EuListed, euFile } from '../../sandbox/upstreams/sanctions/eu.ts';
import { csvFile, csvFilesOf } from '../../sandbox/upstreams/sanctions/ofac.ts';
import { at, type OfacParty, party, strong, weak } from '../../sandbox/upstreams/sanctions/ofac-parties.ts';
import { type UkListed, ukAlias, ukEntity, ukFile } from '../../sandbox/upstreams/sanctions/uk.ts';
import { consolidatedXml, entityRecord, individualRecord } from '../../sandbox/upstreams/sanctions/un.ts';
import { firm, type Supplier, worldBankFile } from '../../sandbox/upstreams/sanctions/world-bank.ts';
import { isoDate } from '../../src/domain/time.ts';
import type { SanctionsList } from '../../src/modules/sanctions/domain.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import { randomOf } from '../../test/support/random.ts';
import { similarParty } from './made-up.ts';
import type { Sample, Samples } from './samples.ts';

/** Numbers of parties of a list by kind. */
export interface Size {
  readonly companies: number;
  readonly people: number;
  /** Vessels and aircraft, whose names no index has. */
  readonly vessels: number;
}

/**
 * The sizes of the real lists, as reported: OFAC SDN with 19,391 records in September 2026, with the shares of kinds of the files that were
 * read; the UN list of November 2025; OFAC's other lists with 481 records in 2026; 1,515 debarred parties of the World Bank, of which a fifth
 * is assumed to be people. Of the EU and the UK only bounds are known; these are the upper ones.
 */
export const SIZES: Readonly<Record<SanctionsList, Size>> = {
  OFAC_SDN: { companies: 8_920, people: 9_325, vessels: 1_146 },
  UN_CONSOLIDATED: { companies: 273, people: 727, vessels: 0 },
  OFAC_NON_SDN: { companies: 395, people: 86, vessels: 0 },
  EU_CONSOLIDATED: { companies: 2_300, people: 8_000, vessels: 0 },
  UK_SANCTIONS: { companies: 3_000, people: 7_200, vessels: 800 },
  WORLD_BANK_DEBARRED: { companies: 1_212, people: 303, vessels: 0 },
};

/** The main file of each list, below the folder of all lists. */
export const FILES: Readonly<Record<SanctionsList, string>> = {
  OFAC_SDN: 'ofac_sdn/sdn.csv',
  UN_CONSOLIDATED: 'un/consolidated.xml',
  OFAC_NON_SDN: 'ofac_non_sdn/cons_prim.csv',
  EU_CONSOLIDATED: 'eu/list.xml',
  UK_SANCTIONS: 'uk/list.csv',
  WORLD_BANK_DEBARRED: 'world_bank/firms.json',
};

/** Writes all lists in the formats of their publishers. @param now day of publication, epoch ms */
export async function writeLists(dir: string, { ofac, un }: Samples, now: number): Promise<void> {
  const random = randomOf(11);
  const filled = (list: SanctionsList, sample: Sample) => partiesOf(SIZES[list], sample, random);
  const files: Readonly<Record<SanctionsList, Readonly<Record<string, string>>>> = {
    OFAC_SDN: ofacFiles(filled('OFAC_SDN', ofac), csvFilesOf('sdn.csv', '', 'sdn_comments.csv')),
    UN_CONSOLIDATED: { 'consolidated.xml': unFile(filled('UN_CONSOLIDATED', un), now) },
    OFAC_NON_SDN: ofacFiles(
      withMoreAliases(filled('OFAC_NON_SDN', ofac)).map((one) => ({ ...one, programs: ['CMIC-EO13959'] })),
      csvFilesOf('cons_prim.csv', 'cons_', 'cons_comments.csv'),
    ),
    EU_CONSOLIDATED: { 'list.xml': euFile(withMoreAliases(filled('EU_CONSOLIDATED', ofac)).map(toEu), isoDate(now)) },
    UK_SANCTIONS: { 'list.csv': ukFile(withMoreAliases(filled('UK_SANCTIONS', ofac)).map(toUk), now) },
    WORLD_BANK_DEBARRED: { 'firms.json': worldBankFile(filled('WORLD_BANK_DEBARRED', ofac).map(toSupplier), isoDate(now)) },
  };
  for (const [list, contents] of Object.entries(files)) {
    const folder = path.join(dir, path.dirname(FILES[list as SanctionsList]));
    await mkdir(folder, { recursive: true });
    for (const [name, content] of Object.entries(contents)) await writeFile(path.join(folder, name), content);
  }
}

/** Fills a list: parties of the sample, evenly chosen, and similar made-up ones beyond their number. Their uids are their places. */
function partiesOf({ companies, people, vessels }: Size, sample: Sample, random: () => number): readonly SanctionsEntry[] {
  const chosen = (from: readonly SanctionsEntry[], count: number): readonly SanctionsEntry[] => {
    const step = Math.max(1, from.length / count);
    return Array.from({ length: count }, (_, i) => {
      const one = from[Math.floor(i * step) % from.length] as SanctionsEntry;
      return i < from.length ? one : similarParty(one, random);
    });
  };
  const ships = chosen(sample.companies, vessels).map((one) => ({ ...one, kind: 'vessel' as const, taxIds: [], details: undefined }));
  const all = [...chosen(sample.companies, companies), ...chosen(sample.people, people), ...ships];
  return all.map((one, i) => ({ ...one, uid: String(100_001 + i) }));
}

/** Adds to each party the aliases of the next one of its kind: about 2.5 for each, as OFAC's lists beside the SDN list have. */
const withMoreAliases = (parties: readonly SanctionsEntry[]): readonly SanctionsEntry[] =>
  parties.map((one, i) => {
    const next = parties[i + 1];
    return next?.kind === one.kind ? { ...one, aliases: [...one.aliases, ...next.aliases] } : one;
  });

const ofacFiles = (
  parties: readonly SanctionsEntry[],
  files: Readonly<Record<string, (parties: readonly OfacParty[]) => string[]>>,
): Readonly<Record<string, string>> => {
  const written = Object.entries(files).map(([name, rows]) => [name.toLowerCase(), rows(parties.map(toOfac))] as const);
  return Object.fromEntries(written.flatMap(([name, rows]) => (rows.length > 0 ? [[name, csvFile(rows)]] : [])));
};

const OFAC_TYPES = { entity: 'Entity', individual: 'Individual', vessel: 'Vessel', aircraft: 'Aircraft' } as const;
/** Matches the remarks that are written from other members of a party. */
const WRITTEN_BY_ITSELF = /^[afn]\.k\.a\. '/;

function toOfac({ uid, kind, name, aliases, programs, countries, nationalities, datesOfBirth, details }: SanctionsEntry): OfacParty {
  const [family = '', given = ''] = kind === 'individual' ? name.split(', ') : [name];
  return party(Number(uid), family, programs, {
    type: OFAC_TYPES[kind],
    givenName: given,
    aliases: aliases.map((alias) => (alias.weak ? weak : strong)(alias.name)),
    addresses: countries.map((country, i) => at('Ciudad', country, details?.addresses[i] ?? '')),
    births: datesOfBirth,
    nationalities,
    remarks: details?.remarks?.split('; ').filter((remark) => !WRITTEN_BY_ITSELF.test(remark)) ?? [],
  });
}

function unFile(parties: readonly SanctionsEntry[], now: number): string {
  const listing = { list: 'Al-Qaida', listedOn: '2014-06-30' };
  const records = parties.map(({ uid, kind, name, aliases, countries: [country = ''], nationalities: [nationality = ''] }) => {
    const facts = { ...listing, dataId: Number(uid), reference: `QD.${uid}` };
    return kind === 'individual'
      ? individualRecord({
          ...{ ...facts, names: [name], nationality },
          aliases: aliases.map((alias) => [alias.weak ? 'Low' : 'Good', alias.name]),
        })
      : entityRecord({ ...{ ...facts, name, original: '', city: '', country }, aliases: aliases.map((alias) => ['a.k.a.', alias.name]) });
  });
  return consolidatedXml(new Date(now).toISOString(), records);
}

const toEu = ({ uid, kind, name, aliases }: SanctionsEntry): EuListed => ({
  id: Number(uid),
  kind: kind === 'individual' ? 'person' : 'enterprise',
  programme: 'FICT',
  names: [{ name, weak: false }, ...aliases].map((one) => ({ whole: one.name, language: 'EN', strong: !one.weak })),
  addresses: [['CO', 'COLOMBIA']],
});

const UK_TYPES = { entity: 'Entity', individual: 'Individual', vessel: 'Ship', aircraft: 'Ship' } as const;

function toUk({ uid, kind, name, aliases }: SanctionsEntry): UkListed {
  const names = aliases.map((alias) => ukAlias(alias.name, alias.weak ? 'Low' : 'Good'));
  const listed = ukEntity(`FIC${uid}`, name, { names, addresses: [['Calle de los Ejemplos 1', 'Colombia']] });
  return { ...listed, cells: { ...listed.cells, 'Designation Type': UK_TYPES[kind] } };
}

/** Joins the name and a former name as the World Bank does. */
function toSupplier({ uid, kind, name, aliases }: SanctionsEntry): Supplier {
  const former = aliases.find((alias) => !alias.weak);
  return firm(Number(uid), `${name}${former ? ` (formerly ${former.name})` : ''}*12`, ['CO', 'Colombia'], '2999-12-31', {
    type: kind === 'individual' ? 'I' : 'F',
  });
}

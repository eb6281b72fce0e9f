import { gunzipSync } from 'node:zlib';
import { type EuListed, euFile } from '../../sandbox/upstreams/sanctions/eu.ts';
import { csvFile, csvFilesOf } from '../../sandbox/upstreams/sanctions/ofac.ts';
import { party, strong, weak } from '../../sandbox/upstreams/sanctions/ofac-parties.ts';
import { ukAlias, ukEntity, ukFile } from '../../sandbox/upstreams/sanctions/uk.ts';
import { firm, worldBankFile } from '../../sandbox/upstreams/sanctions/world-bank.ts';
import type { SanctionsList } from '../../src/modules/sanctions/domain.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import { euConsolidatedSpec } from '../../src/modules/sanctions/sources/eu-consolidated.ts';
import { ofacNonSdnSpec } from '../../src/modules/sanctions/sources/ofac-non-sdn.ts';
import { ofacSdnSpec } from '../../src/modules/sanctions/sources/ofac-sdn.ts';
import { ukSanctionsSpec } from '../../src/modules/sanctions/sources/uk-sanctions.ts';
import { unConsolidatedSpec } from '../../src/modules/sanctions/sources/un-consolidated.ts';
import { worldBankSpec } from '../../src/modules/sanctions/sources/world-bank.ts';
import { buildNameIndex } from '../../src/names/build-name-index.ts';
import type { ListedParty, NameIndex } from '../../src/names/name-index.ts';
import type { Bytes } from './files.ts';
import { readBytes } from './read-list.ts';
import { sampleBytes } from './samples.ts';

/** Companies of a list, by list. */
export type ListedCompanies = Readonly<Record<SanctionsList, readonly SanctionsEntry[]>>;

const unzipped = (...names: string[]): Readonly<Record<string, Bytes>> =>
  Object.fromEntries(names.map((name) => [name, gunzipSync(sampleBytes(`sanctions/entities/${name}.gz`))]));

const companies = async (reading: ReturnType<typeof readBytes<SanctionsEntry>>): Promise<readonly SanctionsEntry[]> =>
  (await reading).entries.map(({ record }) => record).filter(({ kind }) => kind === 'entity');

/** The companies of OFAC SDN and of the UN, as published. */
export const readPublished = async (): Promise<Pick<ListedCompanies, 'OFAC_SDN' | 'UN_CONSOLIDATED'>> => ({
  OFAC_SDN: await companies(readBytes(ofacSdnSpec, unzipped('sdn.csv', 'alt.csv', 'add.csv', 'sdn_comments.csv'))),
  UN_CONSOLIDATED: await companies(readBytes(unConsolidatedSpec, unzipped('consolidated.xml'))),
});

const LATIN = [
  'Colombia',
  'Mexico',
  'Panama',
  'Peru',
  'Ecuador',
  'Venezuela',
  'Guatemala',
  'Honduras',
  'Costa Rica',
  'Paraguay',
  'Argentina',
];
const ON = Date.parse('2026-10-05');
const DAY = '2026-10-05';

/**
 * The companies of all lists. Of the lists that a request chooses, no published file can be part of the repository: they are written here in
 * the format of each publisher, of its size, with names of the SDN list, which are names of the same kinds of companies, and read back.
 */
export async function readAllLists(): Promise<ListedCompanies> {
  const published = await readPublished();
  const all = published.OFAC_SDN;
  const latin = all.filter(({ countries }) => countries.some((country) => LATIN.includes(country)));
  return {
    ...published,
    OFAC_NON_SDN: await companies(readBytes(ofacNonSdnSpec, nonSdnFiles(all.filter((_, i) => i % 14 === 3)))),
    EU_CONSOLIDATED: await companies(readBytes(euConsolidatedSpec, { 'eu.xml': euFile(all.filter((_, i) => i % 3 === 0).map(toEu), DAY) })),
    UK_SANCTIONS: await companies(readBytes(ukSanctionsSpec, { 'uk.csv': ukFile(all.filter((_, i) => i % 2 === 1).map(toUk), ON) })),
    WORLD_BANK_DEBARRED: await companies(
      readBytes(worldBankSpec, { 'firms.json': worldBankFile(latin.slice(0, 1_500).map(toSupplier), DAY) }),
    ),
  };
}

function nonSdnFiles(entries: readonly SanctionsEntry[]): Readonly<Record<string, Bytes>> {
  const parties = entries.map(({ uid, name, aliases }) =>
    party(Number(uid), name, ['CMIC-EO13959'], { aliases: aliases.map((alias) => (alias.weak ? weak : strong)(alias.name)) }),
  );
  const files = csvFilesOf('cons_prim.csv', 'cons_', 'cons_comments.csv');
  const written = Object.entries(files).map(([name, rows]) => [name.toLowerCase(), rows(parties)] as const);
  return Object.fromEntries(written.filter(([, rows]) => rows.length > 0).map(([name, rows]) => [name, csvFile(rows)]));
}

const toEu = ({ uid, name, aliases }: SanctionsEntry): EuListed => ({
  id: Number(uid),
  kind: 'enterprise',
  programme: 'FICT',
  names: [{ name, weak: false }, ...aliases].map((one) => ({ whole: one.name, language: 'EN', strong: !one.weak })),
});

const toUk = ({ uid, name, aliases }: SanctionsEntry) =>
  ukEntity(`FIC${uid}`, name, { names: aliases.map((alias) => ukAlias(alias.name, alias.weak ? 'Low' : 'Good')) });

/** Joins the name and a former name as the World Bank does. */
const toSupplier = ({ uid, name, aliases }: SanctionsEntry) => {
  const former = aliases.find(({ weak: isWeak }) => !isWeak);
  return firm(Number(uid), `${name}${former ? ` (formerly ${former.name})` : ''}*12`, ['CO', 'Colombia'], '2999-12-31');
};

/** Builds the index of some parties. */
export function indexed<T>(parties: readonly ListedParty<T>[]): NameIndex<T> {
  const work = buildNameIndex(parties);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

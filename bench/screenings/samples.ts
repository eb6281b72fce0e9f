import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import type { RegistrySpec } from '../../src/sources/registry/registry.ts';
import { randomOf } from '../../test/support/random.ts';
import { built } from '../harness/built.ts';
import { madeUpPeople } from './made-up.ts';

/** Parties of the published lists of OFAC (SDN) and the UN, which the files of all lists are made of. */
export interface Samples {
  /** The origin of the names of people, for the report. */
  readonly people: string;
  readonly ofac: Sample;
  readonly un: Sample;
}

export interface Sample {
  readonly companies: readonly SanctionsEntry[];
  readonly people: readonly SanctionsEntry[];
}

/** The published companies, which are part of the repository. */
const COMPANIES = path.resolve(import.meta.dirname, '../../test/fixtures/sanctions/entities');
const OFAC_FILES = ['sdn.csv', 'alt.csv', 'add.csv', 'sdn_comments.csv'];
const UN_FILE = 'consolidated.xml';
/** Whole published files, which are not part of the repository because they name people. */
const WHOLE = path.resolve(import.meta.dirname, '../../../shared/data/sanctions');
/** Numbers of people of the published files. */
const OFAC_PEOPLE = 6_646;
const UN_PEOPLE = 727;

/** Reads the parties with the readers of the service. People are made up where the whole files are not beside the repository. */
export async function readSamples(dir: string): Promise<Samples> {
  const companies = path.join(dir, 'samples');
  await mkdir(companies, { recursive: true });
  for (const name of [...OFAC_FILES, UN_FILE])
    await writeFile(path.join(companies, name), gunzipSync(await readFile(path.join(COMPANIES, `${name}.gz`))));
  const [ofac, un] = await readBoth(path.join(companies, 'sdn.csv'), path.join(companies, UN_FILE), dir);
  if (!existsSync(WHOLE)) {
    const random = randomOf(7);
    return {
      people: 'names of people are made up',
      ofac: { ...ofac, people: madeUpPeople(OFAC_PEOPLE, random) },
      un: { ...un, people: madeUpPeople(UN_PEOPLE, random) },
    };
  }
  const [wholeOfac, wholeUn] = await readBoth(
    path.join(WHOLE, 'ofac-2023-12-28/sdn.csv'),
    path.join(WHOLE, 'un/consolidated-2025-11-20.xml'),
    dir,
  );
  return {
    people: 'names of people are published ones',
    ofac: { ...ofac, people: wholeOfac.people },
    un: { ...un, people: wholeUn.people },
  };
}

async function readBoth(ofac: string, un: string, dir: string): Promise<readonly [ofac: Sample, un: Sample]> {
  const { ofacSdnSpec } = await built<typeof import('../../src/modules/sanctions/sources/ofac-sdn.ts')>(
    'src/modules/sanctions/sources/ofac-sdn',
  );
  const { unConsolidatedSpec } = await built<typeof import('../../src/modules/sanctions/sources/un-consolidated.ts')>(
    'src/modules/sanctions/sources/un-consolidated',
  );
  return [await read(ofacSdnSpec, ofac, dir), await read(unConsolidatedSpec, un, dir)];
}

async function read(spec: RegistrySpec<SanctionsEntry>, file: string, dir: string): Promise<Sample> {
  const { createDownloader } = await built<typeof import('../../src/sources/registry/download.ts')>('src/sources/registry/download');
  const { openListFile } = await built<typeof import('../../src/sources/registry/list-file-open.ts')>(
    'src/sources/registry/list-file-open',
  );
  const folder = path.join(dir, 'sample-downloads');
  await mkdir(folder, { recursive: true });
  const downloader = createDownloader({ folder, redirectHosts: [], now: Date.now, random: () => 0, signal: new AbortController().signal });
  try {
    const list = await openListFile(await downloader.get(pathToFileURL(file).href), { downloader, members: spec.members });
    const parties: SanctionsEntry[] = [];
    for await (const { record } of spec.read(list)) parties.push(record);
    const ofKind = (kind: SanctionsEntry['kind']) => parties.filter((party) => party.kind === kind);
    return { companies: ofKind('entity'), people: ofKind('individual') };
  } finally {
    await downloader.close();
  }
}

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import type { ListedParty } from '../../src/names/name-index.ts';
import type { RegistrySpec } from '../../src/sources/registry/registry.ts';
import { ordinaryName } from '../../test/support/ordinary-names.ts';
import { randomOf } from '../../test/support/random.ts';
import { built } from '../harness/built.ts';

/** Real files of the lists, beside the repository; see docs/benchmarks.md. */
const DATA = path.resolve(import.meta.dirname, '../../../shared/data/sanctions');
const FILES = [
  ['ofac-sdn', 'ofacSdnSpec', 'ofac-2023-12-28/sdn.csv'],
  ['un-consolidated', 'unConsolidatedSpec', 'un/consolidated-2025-11-20.xml'],
] as const;

/** The parties of a list. */
export type Parties = readonly ListedParty<string>[];

export interface Lists {
  readonly what: string;
  readonly lists: readonly Parties[];
}

/** Reads the companies of OFAC and the UN; without their files, it makes up the same number of names. */
export async function readLists(): Promise<Lists> {
  if (!existsSync(DATA)) return { what: 'made-up lists of the size of the real ones', lists: [madeUp(6_200, 1), madeUp(270, 2)] };
  return {
    what: 'OFAC SDN of 2023-12-28 and the UN list of 2025-11-20',
    lists: await Promise.all(FILES.map(([file, name, from]) => read(file, name, from))),
  };
}

const madeUp = (parties: number, seed: number): Parties => {
  const random = randomOf(seed);
  return Array.from({ length: parties }, (_, i) => ({
    party: `${seed}-${i}`,
    names: [
      { text: ordinaryName(random).name, matchedOn: 'name' },
      { text: ordinaryName(random).name, matchedOn: 'alias' },
    ],
  }));
};

async function read(file: string, name: string, from: string): Promise<Parties> {
  const spec = (await built<Record<string, RegistrySpec<SanctionsEntry>>>(`src/modules/sanctions/sources/${file}`))[name];
  if (!spec) throw new Error(`${file} has no ${name}`);
  const { createDownloader } = await built<typeof import('../../src/sources/registry/download.ts')>('src/sources/registry/download');
  const { openListFile } = await built<typeof import('../../src/sources/registry/list-file-open.ts')>(
    'src/sources/registry/list-file-open',
  );
  const { toListedParty } = await built<typeof import('../../src/modules/sanctions/sources/name-view.ts')>(
    'src/modules/sanctions/sources/name-view',
  );
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-lists-'));
  const downloader = createDownloader({ folder, redirectHosts: [], now: Date.now, random: () => 0, signal: new AbortController().signal });
  try {
    const list = await openListFile(await downloader.get(pathToFileURL(path.join(DATA, from)).href), { downloader, members: spec.members });
    const parties: ListedParty<string>[] = [];
    for await (const { record } of spec.read(list)) {
      if (record.kind === 'entity') parties.push({ party: record.uid, names: toListedParty(record).names });
    }
    return parties;
  } finally {
    await downloader.close();
    await rm(folder, { recursive: true, force: true });
  }
}

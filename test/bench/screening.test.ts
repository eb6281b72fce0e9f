import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FILES, SIZES, writeLists } from '../../bench/screenings/files.ts';
import { madeUpPeople } from '../../bench/screenings/made-up.ts';
import { ALL_SANCTIONS_LISTS } from '../../src/modules/sanctions/domain.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import { SOURCE_OF } from '../../src/modules/sanctions/sources/lists.ts';
import { readPublished } from '../support/listed-companies.ts';
import { randomOf } from '../support/random.ts';
import { readPath } from '../support/read-list.ts';

it('the lists of the benchmark are read by the service, and have the sizes that the benchmark states', async () => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-lists-'));
  try {
    const { OFAC_SDN, UN_CONSOLIDATED } = await readPublished();
    const people = madeUpPeople(6_000, randomOf(1));
    const samples = { people: '', ofac: { companies: OFAC_SDN, people }, un: { companies: UN_CONSOLIDATED, people } };
    await writeLists(dir, samples, Date.parse('2026-11-29'));
    for (const list of ALL_SANCTIONS_LISTS) {
      const { entries } = await readPath(SOURCE_OF[list].spec, path.join(dir, FILES[list]));
      const ofKind = (kind: SanctionsEntry['kind']) => entries.filter(({ record }) => record.kind === kind);
      const [companies, persons, vessels] = [ofKind('entity'), ofKind('individual'), ofKind('vessel')];
      expect({ list, companies: companies.length, people: persons.length, vessels: vessels.length }).toEqual({ list, ...SIZES[list] });
      expect(new Set(companies.map(({ record }) => record.name)).size).toBeGreaterThan(companies.length * 0.98);
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}, 240_000);

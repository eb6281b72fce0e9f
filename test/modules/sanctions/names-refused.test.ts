import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { sdnEntry, sdnXml } from '../../../sandbox/upstreams/sanctions/ofac.ts';
import { ofacParties } from '../../../sandbox/upstreams/sanctions/ofac-parties.ts';
import { consolidatedXml, entityRecord, individualRecord, unEntities, unIndividuals } from '../../../sandbox/upstreams/sanctions/un.ts';
import type { SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import { nameView } from '../../../src/modules/sanctions/sources/name-view.ts';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { unConsolidatedSpec } from '../../../src/modules/sanctions/sources/un-consolidated.ts';
import { defineRegistry } from '../../../src/sources/registry/define-registry.ts';
import type { RegistrySpec } from '../../../src/sources/registry/registry.ts';
import type { SourceDeps } from '../../../src/sources/source.ts';
import { toyDb } from '../../sources/toy-db.ts';
import { upstream } from '../../support/upstream.ts';

const lists = toyDb();

interface PublishedList {
  readonly spec: RegistrySpec<SanctionsEntry>;
  readonly records: readonly string[];
  readonly file: (records: readonly string[]) => string;
  readonly nameElement: string;
  /** One of the listed names. */
  readonly name: string;
}

const OFAC: PublishedList = {
  spec: ofacSdnSpec,
  records: ofacParties.map(sdnEntry),
  file: (records) => sdnXml('11/20/2026', records),
  nameElement: 'lastName',
  name: ofacParties.find(({ type }) => type === 'Entity')?.name ?? '',
};
const UN: PublishedList = {
  spec: unConsolidatedSpec,
  records: [...unIndividuals.map(individualRecord), ...unEntities.map(entityRecord)],
  file: (records) => consolidatedXml('2026-11-20T23:00:09.000Z', records),
  nameElement: 'FIRST_NAME',
  name: unEntities[0]?.name ?? '',
};

const DAMAGES: readonly (readonly [string, (list: PublishedList) => string | Buffer])[] = [
  ['a renamed column', ({ file, records, nameElement }) => file(records).replaceAll(nameElement, 'CALLED')],
  ['half of the rows', ({ file, records }) => file(records.slice(0, records.length / 2))],
  ['another encoding', ({ file, records }) => Buffer.from(file(records), 'utf16le')],
];

describe.each([OFAC, UN])('the index of the names of $spec.name', (list) => {
  it.each(DAMAGES)('is the one of the version before after a load with %s', async (_, damaged) => {
    const published = { body: list.file(list.records) as string | Buffer };
    const { url } = await upstream(() => ({ headers: { 'content-type': 'application/xml' }, body: published.body }));
    const deps: Partial<SourceDeps> = {
      address: () => ({ url: `${url}/list.xml`, origin: 'given' }),
      db: lists.db().knex,
      now: Date.now,
      log: pino({ level: 'silent' }),
      tempDir: lists.tempDir(),
    };
    const registry = defineRegistry(list.spec).create(deps as SourceDeps);
    expect(await registry.sync()).toMatchObject({ outcome: 'loaded' });
    const before = await registry.view(nameView);
    expect(before.value.search(list.name)).toMatchObject([{ decision: 'match' }]);
    published.body = damaged(list);
    expect(await registry.sync()).toMatchObject({ outcome: 'refused' });
    const after = await registry.view(nameView);
    expect(after.version.id).toBe(before.version.id);
    expect(after.value).toBe(before.value);
  });
});

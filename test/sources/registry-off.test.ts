import { describe, expect, it } from 'vitest';
import { buildSources } from '../../src/sources/build.ts';
import { defineRegistry } from '../../src/sources/registry/define-registry.ts';
import type { SourceDeps } from '../../src/sources/source.ts';
import { memoryLog } from '../support/log.ts';
import { personOf, toySpec } from './toy-list.ts';

/** Creates a list whose address is optional and not set. */
function unset() {
  const { log, lines } = memoryLog();
  const source = defineRegistry(toySpec);
  const deps: Partial<SourceDeps> = { address: () => ({ url: '', origin: 'live' }), now: Date.now, log };
  const sources = buildSources([source], () => deps as SourceDeps);
  return { sources, list: sources.use(source), lines };
}

describe('a list without an address', () => {
  it('is not synced', async () => {
    const { sources, list, lines } = unset();
    expect(sources.copies).toEqual([]);
    expect(await list.sync({ force: true })).toEqual({ outcome: 'refused', reason: 'switched_off' });
    await list.refresh();
    expect(list.version()).toBeNull();
    expect(lines).toEqual([]);
  });

  it('is reported as off without a failure', async () => {
    const { sources } = unset();
    expect(await sources.report()).toMatchObject([
      { name: 'CEIS', origin: 'live', off: true, usable: false, lastError: null, lastErrorAt: null, list: null },
    ]);
  });

  it('is reported with the setting of its address', async () => {
    const [report] = await unset().sources.report();
    expect(report?.offBecause).toEqual({ why: 'the list has no address', setting: toySpec.setting });
  });

  it('UP-03 fails lookups and never returns "no entries"', async () => {
    await expect(unset().list.lookup([personOf(1)])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'CEIS' } });
  });
});

describe('a list with an address that is off', () => {
  const SETTING = 'QUIPU_TOY_SETTING';
  const spec = { description: '', fallback: '', pattern: /./, expected: '' };

  it.each([
    [{ terms: { setting: SETTING, description: '' } }, 'the operator has not accepted its terms'],
    [{ credential: { header: 'apikey', setting: SETTING, spec } }, 'the list has no key'],
  ])('is reported with the setting that turns it on: %o', async (needs, why) => {
    const deps: Partial<SourceDeps> = { address: () => ({ url: 'https://list.example/file.csv', origin: 'live' }), setting: () => '' };
    const status = await defineRegistry({ ...toySpec, ...needs })
      .create(deps as SourceDeps)
      .status();
    expect(status).toMatchObject({ off: true, usable: false, offBecause: { why, setting: SETTING } });
  });
});

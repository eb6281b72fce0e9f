import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ListLoader } from '../../../src/loaders/list.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { comparedListing } from '../../../src/modules/debarment/loaders/company-listing.ts';
import { unreadableRowsOf } from '../../../src/sources/registry/company-documents.ts';
import { expectShortTurns } from '../../support/longest-turn.ts';

interface Row {
  readonly name: string;
}

/** Creates the lookup of a company on a list with rows with a damaged id that print these names. */
function lookupOf(damaged: readonly string[], { nameOf = ({ name }: Row) => name, namesOf = async () => ['FICTICIA S.A.S.'] } = {}) {
  const rows = damaged.map((name, i) => ({ id: String(i), record: { name } }));
  const load = (async (_: unknown, holder: string) => ({
    value: { list: 'MULTAS_SECOP_I', version: {}, entries: holder === unreadableRowsOf('CO') ? rows : [] },
    freshness: { fetchedAt: 0, expiresAt: 0, dataAsOf: null, cached: false, stale: false },
  })) as unknown as Load;
  const lookup = comparedListing({ list: {} as ListLoader<Row>, nameOf }, namesOf);
  return async () => lookup({ country: 'CO', taxId: '9990030011' }, load, {} as never);
}

it('a failed preparation of printed names is a failure of that lookup only, and leaves no rejection unhandled', async () => {
  const state = { fails: true };
  const lookUp = lookupOf(['OBRAS DE MACONDO LTDA', 'OTRA LTDA'], {
    nameOf({ name }) {
      if (state.fails && name === 'OTRA LTDA') throw new Error('a defect');
      return name;
    },
    async namesOf() {
      if (state.fails) throw await delay(5, new Error('a later defect'));
      return ['FICTICIA S.A.S.'];
    },
  });
  await expect(lookUp()).rejects.toThrow('defect');
  await delay(20); // the test run fails for a rejection that nothing has handled by then
  state.fails = false;
  expect((await lookUp()).value.notCleared).toBeUndefined();
});

it('thousands of printed names are prepared in many turns of the event loop', async () => {
  const printed = Array.from({ length: 20_000 }, (_, i) => `OBRAS ${i} DE MACONDO (ANTES CAMINOS ${i} DEL SUR) - VIAS ${i} LTDA`);
  await expectShortTurns('names of a list', lookupOf(printed), 80);
});

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FAULT_MODES, type FaultMode } from '../../../sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts';
import { mercadopublicoSimulator } from '../../../sandbox/upstreams/mercadopublico/api.ts';
import { mercadopublicoBulkSimulator } from '../../../sandbox/upstreams/mercadopublico/bulk.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { mercadopublico } from '../../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { ask, source, unavailable } from './mercadopublico-support.ts';

const TICKET = mercadopublico.settings?.QUIPU_MERCADOPUBLICO_TICKET?.sandbox ?? '';
const search = { country: 'CL', keyword: null, from: null, to: null } as const;
const scenario = (name: string) => ask(chileanByScenario(name).rut);
const tally = (texts: readonly (string | undefined)[]) => new Set(texts);

const openSandbox = async (now = Date.now): Promise<Sandbox> =>
  startSandbox({ simulators: [mercadopublicoSimulator, mercadopublicoBulkSimulator], now });

/** Creates the source on the sandbox, with an index that is not loaded yet. */
async function inSandbox(sandbox: Sandbox, settings: Readonly<Record<string, string>> = {}, db?: TestDb, now?: () => number) {
  const at = (name: string) => sandbox.url + (mercadopublico.addresses[name]?.sandbox ?? '');
  return source({
    api: at('QUIPU_MERCADOPUBLICO_URL'),
    files: at('QUIPU_MERCADOPUBLICO_BULK_URL'),
    origins: { api: 'sandbox', files: 'sandbox' },
    db: db?.knex,
    ...(now && { now }),
    settings: { QUIPU_MERCADOPUBLICO_TICKET: TICKET, QUIPU_TENDERS_MONTHS: '6', ...settings },
  });
}

describe('the simulated marketplace of Chile', () => {
  it('has suppliers with many orders and with none, awards in three currencies, and orders in five states', {
    timeout: 90_000,
  }, async () => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const { mp } = await inSandbox(sandbox);
    expect(await mp.sync()).toMatchObject({ outcome: 'loaded' });
    const [supplier, medium, clean, unnoticed] = (await mp.orders(['cl-supplier', 'cl-medium', 'cl-clean', 'cl-unnoticed'].map(scenario)))
      .pages;
    expect(supplier?.total).toBeGreaterThanOrEqual(40);
    expect(supplier?.total).toBeLessThan(55);
    expect(tally(supplier?.items.map(({ total }) => total?.currency) ?? [])).toEqual(new Set(['CLP', 'CLF']));
    expect(tally(supplier?.items.map(({ status }) => status) ?? [])).toEqual(
      expect.objectContaining(
        new Set(['Aceptada', 'Recepción Conforme', 'Cancelada', 'Pendiente de recepcionar', 'Recepcionada parcialmente']),
      ),
    );
    expect(medium?.total).toBeGreaterThan(3);
    expect(clean?.total).toBeGreaterThan(2);
    expect(unnoticed?.total).toBe(0);
    const [awards, many] = (await mp.awards(['cl-supplier', 'cl-medium'].map(scenario))).pages;
    expect(tally(awards?.items.map(({ total }) => total.currency) ?? [])).toEqual(new Set(['CLP', 'CLF', 'USD']));
    expect(many?.total).toBeGreaterThan(40);
    const again = await mp.sync();
    expect(again).toMatchObject({ outcome: 'unchanged' });
  });

  it('has tenders in every state, and finds words without accents', async () => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const { mp } = await inSandbox(sandbox);
    const open = await mp.search(search);
    expect(open.notices.length).toBeGreaterThan(10);
    expect(tally(open.notices.map(({ status }) => status))).toEqual(new Set(['Publicada']));
    const month = await mp.search({ ...search, from: '2000-01-01' });
    expect(month.notices.length).toBeGreaterThanOrEqual(60);
    expect(tally(month.notices.map(({ status }) => status))).toEqual(
      new Set(['Publicada', 'Cerrada', 'Adjudicada', 'Desierta', 'Revocada', 'Suspendida']),
    );
    expect((await mp.search({ ...search, from: '2000-01-01', keyword: 'MANTENCION arboles' })).notices.length).toBeGreaterThan(0);
  });

  it('returns recent orders of a supplier before the index is loaded', async () => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const { mp } = await inSandbox(sandbox, { QUIPU_MERCADOPUBLICO_LIVE_DAYS: '8' });
    expect((await mp.orders([scenario('cl-supplier')])).pages[0]?.total).toBeGreaterThan(0);
    await expect(mp.orders([scenario('cl-unnoticed')])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect((await mp.awards([scenario('cl-medium')])).pages[0]?.total).toBeGreaterThan(0);
  });

  it('returns the errors of the API for a wrong ticket, simultaneous requests, and unknown parameters or dates', async () => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const base = `${sandbox.url}/mercadopublico/servicios/v1`;
    const say = async (path: string, ticket = TICKET) => {
      const answer = await fetch(`${base}${path}&ticket=${ticket}`);
      return [answer.status, ((await answer.json()) as { Codigo?: number }).Codigo];
    };
    expect(await say('/publico/licitaciones.json?estado=activas', 'other')).toEqual([200, 203]);
    expect(await say('/publico/licitaciones.json?Estado=activas')).toEqual([400, 400]);
    expect(await say('/publico/ordenesdecompra.json?fecha=2026-11-21')).toEqual([500, 10_300]);
    expect(await say('/Publico/Empresas/BuscarProveedor?rutempresaproveedor=67000020-6')).toEqual([500, 500]);
    const both = await Promise.all([1, 2, 3, 4, 5].map(() => say('/publico/licitaciones.json?estado=activas')));
    expect(both).toContainEqual([500, 10_500]);
    expect((await fetch(`${base}/publico/otra.json?ticket=${TICKET}`)).status).toBe(404);
  });

  it('returns other companies for an unknown RUT, and ignores the supplier without a date', async () => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const say = async (path: string) => {
      const answer = await fetch(`${sandbox.url}/mercadopublico/servicios/v1${path}&ticket=${TICKET}`);
      return (await answer.json()) as { Cantidad: number; listaEmpresas?: unknown[] };
    };
    expect((await say('/Publico/Empresas/BuscarProveedor?rutempresaproveedor=99.999.999-9')).listaEmpresas).toHaveLength(2);
    const all = await say('/publico/licitaciones.json?estado=activas');
    expect((await say('/publico/licitaciones.json?estado=activas&CodigoProveedor=1')).Cantidad).toBe(all.Cantidad);
  });
});

/** Modes in which the answer is still correct. */
const HARMLESS: readonly FaultMode[] = ['slow', 'wrong_charset'];
/** Modes that a first load cannot detect, or that last until the download deadline. */
const SLOW_FILES: readonly FaultMode[] = ['shrunk', 'gzip_bomb', 'hung', 'silent_after_headers', 'drip', 'endless_body'];
const broken = FAULT_MODES.filter((mode) => !HARMLESS.includes(mode));

describe('a broken marketplace of Chile', () => {
  let sandbox: Sandbox;
  let db: TestDb;
  beforeAll(async () => {
    [sandbox, db] = await Promise.all([openSandbox(), testDb()]);
    return async () => {
      await sandbox.close();
      await db.close();
    };
  });

  it.each(broken)('UP-03 fails a search in mode %s', async (mode) => {
    const { mp } = await inSandbox(sandbox, {}, db);
    sandbox.faults.set('mercadopublico', { mode });
    onTestFinished(() => sandbox.faults.clear());
    await expect(mp.search(search)).rejects.toMatchObject(unavailable);
  });

  it.each<FaultMode>(['down', 'wrong_shape', 'status_500', 'empty'])(
    'UP-03 fails for orders and awards without an index in mode %s',
    async (mode) => {
      const { mp } = await inSandbox(sandbox, {}, db);
      sandbox.faults.set('mercadopublico', { mode });
      onTestFinished(() => sandbox.faults.clear());
      await expect(mp.orders([scenario('cl-unnoticed')])).rejects.toMatchObject(unavailable);
      await expect(mp.awards([scenario('cl-unnoticed')])).rejects.toMatchObject(unavailable);
    },
  );

  it.each(broken.filter((mode) => !SLOW_FILES.includes(mode)))(
    'UP-03 rejects the load of the index in mode %s, and its orders fail',
    async (mode) => {
      const { mp } = await inSandbox(sandbox, { QUIPU_MERCADOPUBLICO_TICKET: '', QUIPU_TENDERS_MONTHS: '1' }, db);
      sandbox.faults.set('mercadopublico_bulk', { mode });
      onTestFinished(() => sandbox.faults.clear());
      await expect.poll(() => mp.sync()).toMatchObject({ outcome: 'refused' }); // busy while the sync of the test before ends
      await expect(mp.orders([scenario('cl-supplier')])).rejects.toMatchObject(unavailable);
    },
  );

  it('keeps its index when nine of ten rows are missing from a file', { timeout: 60_000 }, async () => {
    const clock = { now: Date.parse('2026-11-21T15:00:00Z') };
    const world = await openSandbox(() => clock.now);
    onTestFinished(() => world.close());
    const { mp } = await inSandbox(world, { QUIPU_TENDERS_MONTHS: '2' }, undefined, () => clock.now);
    await mp.sync();
    const before = await mp.orders([scenario('cl-supplier')]);
    clock.now += 3 * DAY_MS;
    world.faults.set('mercadopublico_bulk', { mode: 'shrunk' });
    expect(await mp.sync()).toMatchObject({ outcome: 'refused', reason: 'shrunk' });
    expect((await mp.orders([scenario('cl-supplier')])).pages[0]?.total).toBe(before.pages[0]?.total);
  });
});

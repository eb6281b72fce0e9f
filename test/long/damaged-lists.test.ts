import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { acordoLenienciaSimulator, effectsFile } from '../../sandbox/upstreams/debarment/acordo-leniencia.ts';
import { bcbProibidosSimulator } from '../../sandbox/upstreams/debarment/bcb-proibidos.ts';
import { cepimSimulator } from '../../sandbox/upstreams/debarment/cepim.ts';
import { ceisSimulator, cnepSimulator } from '../../sandbox/upstreams/debarment/simulators.ts';
import { tcuInidoneosSimulator } from '../../sandbox/upstreams/debarment/tcu-inidoneos.ts';
import { ofacSdnSimulator } from '../../sandbox/upstreams/sanctions/ofac.ts';
import { unConsolidatedSimulator } from '../../sandbox/upstreams/sanctions/un.ts';
import { multasSecopISimulator } from '../../sandbox/upstreams/secop-fines.ts';
import { encode, type Published, type Simulator } from '../../sandbox/upstreams/simulator.ts';
import { taxDebtorsSimulator } from '../../sandbox/upstreams/tax-debtors.ts';
import { trabalhoEscravoSimulator } from '../../sandbox/upstreams/trabalho-escravo.ts';
import { MutableWorld } from '../../sandbox/world/mutable-world.ts';
import { ceis, cnep } from '../../src/modules/debarment/source.ts';
import { acordoLeniencia } from '../../src/modules/debarment/sources/acordo-leniencia.ts';
import { bcbProibidos } from '../../src/modules/debarment/sources/bcb-proibidos.ts';
import { cepim } from '../../src/modules/debarment/sources/cepim.ts';
import { multasSecopI } from '../../src/modules/debarment/sources/multas-secop-i.ts';
import { tcuInidoneos } from '../../src/modules/debarment/sources/tcu-inidoneos.ts';
import { trabalhoEscravo } from '../../src/modules/labor/source.ts';
import { ofacSdn } from '../../src/modules/sanctions/sources/ofac-sdn.ts';
import { unConsolidated } from '../../src/modules/sanctions/sources/un-consolidated.ts';
import { taxDebtors } from '../../src/modules/tax-health/source.ts';
import type { LoadGuard, RegistrySource } from '../../src/sources/registry/registry.ts';
import type { SourceDeps } from '../../src/sources/source.ts';
import { BROWSER, NOW } from '../sources/damage/fakes.ts';
import { testDb } from '../support/db.ts';
import { type Bytes, filesIn, tempFolder, zipOf } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { rounds } from '../support/rounds.ts';
import { type Reply, upstream } from '../support/upstream.ts';

/** A file that the list has beside it: the end of its path, and its content. */
type Companion = readonly [end: string, content: () => Promise<Buffer> | Buffer];

const lists: readonly (readonly [RegistrySource<unknown>, Simulator, path: string, companion?: Companion])[] = [
  [ceis as RegistrySource<unknown>, ceisSimulator, '/20261120'],
  [cnep as RegistrySource<unknown>, cnepSimulator, '/20261120'],
  [cepim as RegistrySource<unknown>, cepimSimulator, '/20261118'],
  [tcuInidoneos as RegistrySource<unknown>, tcuInidoneosSimulator, '/responsaveis-inidoneos'],
  [
    bcbProibidos as RegistrySource<unknown>,
    bcbProibidosSimulator,
    '/odata/QuadroGeralProibidos',
    ['Inabilitados', () => wholeFile(bcbProibidosSimulator, '/odata/QuadroGeralInabilitados')],
  ],
  [acordoLeniencia as RegistrySource<unknown>, acordoLenienciaSimulator, '/20261119', ['Efeitos.csv', effectsFile]],
  [trabalhoEscravo as RegistrySource<unknown>, trabalhoEscravoSimulator, '/cadastro_de_empregadores.csv'],
  [ofacSdn as RegistrySource<unknown>, ofacSdnSimulator, '/SDN.XML'],
  [unConsolidated as RegistrySource<unknown>, unConsolidatedSimulator, '/consolidated.xml'],
  [taxDebtors as RegistrySource<unknown>, taxDebtorsSimulator, '/deudores.csv'],
  [multasSecopI as RegistrySource<unknown>, multasSecopISimulator, '/4n4q-k399.json'],
];

const plain = (body: Bytes, status = 200): Reply => ({ status, headers: { 'content-type': 'application/octet-stream' }, body });

/** Sends a file without its last bytes, and then closes the connection. */
const cutOff =
  (content: Buffer): Reply =>
  (_, response) => {
    response
      .writeHead(200, { 'content-length': String(content.length), connection: 'close' })
      .write(content.subarray(0, content.length - 200));
    setTimeout(() => response.destroy(), 20);
  };

/** Damaged variants of a published list; a version may lose a share of its rows, and some more. */
function variantsOf({ format, rows, frame, renameRequired, charset }: Published, { maxShrink, namedSlack = 0 }: LoadGuard) {
  const file = (some: readonly string[]): Buffer => encode(frame(some), charset);
  const good = file(rows);
  const middle = Math.floor(good.length / 2);
  const zip = () => zipOf({ [`list.${format}`]: good });
  const variants: Readonly<Record<string, () => Reply | Promise<Reply>>> = {
    nothing: () => plain(''),
    'only a byte order mark': () => plain('\uFEFF'),
    'only blanks': () => plain(' \r\n'.repeat(99)),
    'no rows': () => plain(file([])),
    'fewer rows than it may lose': () => plain(file(rows.slice(0, Math.ceil(rows.length * (1 - maxShrink)) - 2 - namedSlack))),
    'half the rows': () => plain(file(rows.slice(0, rows.length / 2))),
    'half the bytes': () => plain(good.subarray(0, middle)),
    'a connection that ends before the file does': () => cutOff(good),
    'a required field under another name': () => plain(encode(renameRequired(frame(rows)), charset)),
    'another table': () => plain('id;nome\r\n1;outra\r\n'),
    'another document': () => plain('<?xml version="1.0"?><other><status>ok</status></other>'),
    'a page of maintenance with status 200': () => plain('<!doctype html>\n<html><body>Em manutenção</body></html>'),
    'an error as JSON with status 200': () => plain('{"erro":"tente mais tarde"}'),
    'status 500': () => plain('x', 500),
    'status 404': () => plain(good, 404),
    'UTF-16 without its mark': () => plain(Buffer.from(frame(rows), 'utf16le')),
    'a PDF': () => plain('%PDF-1.7\n%âãÏÓ\n1 0 obj'),
    'a gzip in place of the file': () => plain(gzipSync(good)),
    'a zip that is cut': async () => plain((await zip()).subarray(0, -30)),
    'a zip with a wrong checksum': async () => plain(Buffer.from(await zip()).fill(0x55, 80, 120)),
    'a zip without a list': async () => plain(await zipOf({ 'LEIAME.md': 'oi' })),
  };
  return { good, variants: Object.entries(variants) };
}

/** Returns the name of the file, from which some readers derive that of the file beside it. */
const nameOf = ({ name }: RegistrySource<unknown>, { format }: Published): string =>
  ({ BCB_PROIBIDOS: 'QuadroGeralProibidos', ACORDO_LENIENCIA: '20261120_Acordos.csv' })[name as string] ?? `20261120.${format}`;

async function wholeFile(simulator: Simulator, path: string): Promise<Buffer> {
  const { rows, frame, charset } = await publishedBy(simulator, path);
  return encode(frame(rows), charset);
}

async function publishedBy(simulator: Simulator, path: string): Promise<Published> {
  const method = simulator === tcuInidoneosSimulator ? 'POST' : 'GET';
  const request = { method, path, query: new URLSearchParams(), headers: BROWSER, now: NOW, world: new MutableWorld() };
  const { body } = await simulator.handle(request);
  if (typeof body === 'string' || Buffer.isBuffer(body)) throw new Error(`${simulator.name} has no document at ${path}`);
  return { ...body, rows: body.rows.slice(0, 400) };
}

it.each(lists.slice(0, rounds(lists.length)).map(([list, ...rest]) => [list.name, list, ...rest] as const))(
  'DB-06 each of 20 damaged variants of %s is refused, logged and reported; the old version answers',
  async (_, list, simulator, path, companion) => {
    const published = await publishedBy(simulator, path);
    const { good, variants } = variantsOf(published, list.spec.guard);
    expect(variants.length).toBeGreaterThanOrEqual(20);
    const db = await testDb();
    onTestFinished(() => db.close());
    const state: { reply: Reply } = { reply: plain(good) };
    const beside = companion ? plain(await companion[1]()) : null;
    const { url } = await upstream((asked) => (beside && asked.endsWith(companion?.[0] ?? '') ? beside : state.reply));
    const { log, lines } = memoryLog();
    const tempDir = await tempFolder();
    const deps: Partial<SourceDeps> = {
      address: () => ({ url: `${url}/${nameOf(list, published)}`, origin: 'given' }),
      setting: () => 'accepted',
      db: db.knex,
      now: () => NOW,
      log,
      tempDir,
    };
    const registry = list.create(deps as SourceDeps);
    expect(await registry.sync()).toMatchObject({ outcome: 'loaded' });
    const served = async () => ({
      version: registry.version(),
      entries: (await db.knex.raw('SELECT md5(string_agg(e::text, chr(10) ORDER BY e::text)), count(*)::int FROM registry_entries e')).rows,
    });
    const before = await served();
    expect(before.entries[0].count).toBeGreaterThan(10);

    for (const [name, make] of variants) {
      state.reply = await make();
      const logged = lines.length;
      const result = await registry.sync();
      expect([name, result.outcome]).toEqual([name, 'refused']);
      const reason = 'reason' in result ? result.reason : '';
      expect([name, await served()]).toEqual([name, before]);
      expect([name, await registry.status()]).toMatchObject([name, { usable: true, lastError: reason, lastErrorAt: NOW }]);
      expect(lines.slice(logged).filter(({ level }) => Number(level) >= 40)).toMatchObject([{ list: list.name, reason }]);
      expect(await filesIn(tempDir)).toEqual([]);
    }
  },
);

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CompanyKey } from '../../src/domain/company.ts';
import { rutCheckDigit } from '../../src/domain/tax-id.ts';
import { createLoaders } from '../../src/loaders/loader.ts';
import { siiTaxpayerLoader, taxpayerLoader } from '../../src/loaders/taxpayer.ts';
import { buildSources } from '../../src/sources/build.ts';
import { createHttpClient } from '../../src/sources/http/client.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { sii } from '../../src/sources/sii/source.ts';
import type { SourceDeps } from '../../src/sources/source.ts';
import { testDb } from '../support/db.ts';
import { tempFolder } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { upstream } from '../support/upstream.ts';

const HEADER =
  'Año comercial\tRUT\tDV\tRazón social\tTramo según ventas\tNúmero de trabajadores dependie\tFecha inicio de actividades vige\tFecha término de giro\tFecha primera inscripción de ac\tTipo término de giro\tTipo de contribuyente\tSubtipo de contribuyente\tTramo capital propio positivo\tTramo capital propio negativo\tRubro económico\tSubrubro económico\tActividad económica\tRegión\tProvincia\tComuna\tR_PRESUNTA\tOTROS_REGIMENES';
const FIRST = 76_000_001;
const numbers = Array.from({ length: 500 }, (_, i) => String(FIRST + i));
const key = (number: string): CompanyKey => ({ country: 'CL', taxId: number + rutCheckDigit(number) });
const CNPJ: CompanyKey = { country: 'BR', taxId: '11222333000181' };
const NIT: CompanyKey = { country: 'CO', taxId: '9009647055' };

/** The yearly file: one row a number, all alike but for the name. */
const nomina = (rows: readonly string[], name = 'FICTICIA'): string =>
  [
    HEADER,
    ...rows.map(
      (number) =>
        `2024\t${number}\t${rutCheckDigit(number)}\t${name} ${number} SPA\t6\t8\t2014-05-12\t\t2014-05-12\t\tPERSONA JURIDICA COMERCIAL\tSOCIEDAD POR ACCIONES\t3\t\tJ - INFORMACION Y COMUNICACIONES\t620 - ACTIVIDADES DE PROGRAMACION INFORMATICA\t620200 - ACTIVIDADES DE CONSULTORIA DE INFORMATICA\tXIII REGION METROPOLITANA\tSANTIAGO\tPROVIDENCIA\t\t`,
    ),
    '',
  ].join('\n');

/** Creates both registries: the Chilean one from a replaceable file, the Brazilian one without companies. */
async function setup(text: string | null) {
  const file = path.join(await tempFolder(), 'PUB_EMPRESAS_PJ_2024.txt');
  if (text !== null) await writeFile(file, text);
  const brazil = await upstream(() => ({ status: 404, body: { message: 'CNPJ 11.222.333/0001-81 não encontrado.' } }));
  const urls: Readonly<Record<string, string>> = { QUIPU_SII_EMPRESAS_URL: pathToFileURL(file).href, QUIPU_RECEITA_URL: brazil.url };
  const db = await testDb();
  const { log } = memoryLog();
  const tempDir = await tempFolder();
  const deps: Partial<SourceDeps> = {
    address: (setting) => ({ url: urls[setting] ?? '', origin: 'given' }),
    http: () => createHttpClient({ source: 'receita_federal', concurrency: 16, now: Date.now, random: () => 0, log }),
    setting: () => 'live',
    db: db.knex,
    now: Date.now,
    random: () => 0,
    log,
    tempDir,
  };
  const sources = buildSources([receitaFederal, sii], () => deps as SourceDeps);
  onTestFinished(async () => {
    await sources.close();
    await db.close();
  });
  const statements: string[] = [];
  db.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  const registry = sources.use(sii);
  await registry.sync();
  statements.length = 0;
  return { registry, statements, brazil, loaders: createLoaders(sources.use, Date.now), rewrite: (next: string) => writeFile(file, next) };
}

const nameOf = ({ value }: { value: { record: unknown } }): unknown => (value.record as { name?: string } | null)?.name;

describe('the tax registries of both countries', () => {
  it('GQ-11 cost one SQL statement for 500 RUTs of one tick, known and unknown', async () => {
    const known = numbers.slice(0, 400);
    const { loaders, statements } = await setup(nomina(known));
    const load = loaders.scope();
    const answers = await Promise.all(numbers.map((number) => load(taxpayerLoader, key(number))));
    expect(statements).toHaveLength(1);
    expect(answers.map(nameOf)).toEqual(numbers.map((number, i) => (i < 400 ? `FICTICIA ${number} SPA` : undefined)));
    expect(new Set(answers.map(({ value }) => value.source))).toEqual(new Set(['sii']));
  });

  it('are queried by country', async () => {
    const { loaders, brazil, statements } = await setup(nomina(numbers));
    const load = loaders.scope();
    expect((await load(taxpayerLoader, CNPJ)).value).toEqual({ source: 'receita_federal', record: null, mirror: null });
    expect([brazil.asked, statements.length]).toEqual([[`/${CNPJ.taxId}`, '/updated'], 0]);
    expect((await load(taxpayerLoader, key(String(FIRST)))).value).toMatchObject({ source: 'sii', record: { salesBracket: 6 } });
    expect([brazil.asked.length, statements.length]).toEqual([2, 1]);
  });

  it('date a Chilean answer by its version, and a Brazilian one not at all where its registry states no date', async () => {
    const { loaders, registry } = await setup(nomina(numbers));
    const load = loaders.scope();
    const { list } = await registry.status();
    const { freshness } = await load(taxpayerLoader, key(String(FIRST)));
    expect(freshness).toMatchObject({ dataAsOf: list?.publishedOn, fetchedAt: list?.checkedAt, cached: false });
    expect((await load(taxpayerLoader, CNPJ)).freshness.dataAsOf).toBeNull();
  });

  it('have cached answers until there is a new version', async () => {
    const { loaders, registry, statements, rewrite } = await setup(nomina(numbers));
    const ask = () => loaders.scope()(siiTaxpayerLoader, key(String(FIRST)));
    await ask();
    expect((await ask()).freshness.cached).toBe(true);
    expect(statements).toHaveLength(1);
    await rewrite(nomina(numbers, 'RENOMBRADA'));
    expect(await registry.sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    const renamed = await ask();
    expect([nameOf(renamed), renamed.freshness.cached]).toEqual([`RENOMBRADA ${FIRST} SPA`, false]);
  });

  it('UP-03 fail for Chile, without answering not_found, until its files are loaded', async () => {
    const { loaders } = await setup(null);
    await expect(loaders.scope()(taxpayerLoader, key(String(FIRST)))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect((await loaders.scope()(taxpayerLoader, CNPJ)).value.record).toBeNull();
  });

  it('are not queried for another country', async () => {
    const { loaders } = await setup(null);
    await expect(loaders.scope()(taxpayerLoader, NIT)).rejects.toMatchObject({ code: 'UNSUPPORTED_COUNTRY' });
  });
});

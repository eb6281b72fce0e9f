import { readFileSync } from 'node:fs';
import path from 'node:path';
import { queryTable, type SodaRow } from '../../../sandbox/upstreams/socrata/soql.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { readCompany } from '../../../src/sources/rues/choose.ts';
import type { RuesCompany, RuesFinding } from '../../../src/sources/rues/company.ts';
import type { RuesRow } from '../../../src/sources/rues/row.ts';
import { rues } from '../../../src/sources/rues/rues.ts';
import { built } from '../../modules/tenders/built.ts';
import { type Reply, upstream } from '../../support/upstream.ts';

/** The day of the sample and of the tests: 6 October 2026, 12:00 UTC. */
export const NOW = Date.UTC(2026, 9, 6, 12);
export const AS_OF = '2026-10-05';

export const BASE = '901700001';
export const nitOf = (base: string): string => base + nitCheckDigit(base);

/** A row of an active company, with changes. */
export const row = (changes: Partial<RuesRow> = {}): RuesRow => ({
  nit: BASE,
  clase_identificacion: 'NIT',
  numero_identificacion: BASE,
  razon_social: 'INVENTADA DIGITAL S.A.S.',
  codigo_camara: '04',
  camara_comercio: 'BOGOTA',
  matricula: '100',
  codigo_categoria_matricula: '01',
  estado_matricula: 'ACTIVA',
  fecha_matricula: '20210415',
  ultimo_ano_renovado: '2026',
  fecha_actualizacion: '2026/08/28 10:15:00.120000000',
  codigo_organizacion_juridica: '16',
  organizacion_juridica: 'SOCIEDADES POR ACCIONES SIMPLIFICADAS SAS',
  cod_ciiu_act_econ_pri: '6201',
  representante_legal: 'PEREZ INVENTADO ANA',
  clase_identificacion_rl: 'CEDULA DE CIUDADANIA',
  ...changes,
});

/** Reads the rows of one company. @throws HttpFailure */
export const readRowsOf = (...rows: readonly Partial<RuesRow>[]): RuesFinding =>
  readCompany(BASE, rows.map(row), { now: NOW, asOf: AS_OF });

/** Reads the rows of a company that the register has. */
export function companyOf(...rows: readonly Partial<RuesRow>[]): RuesCompany {
  const { record } = readRowsOf(...rows);
  if (!record) throw new Error('no company');
  return record;
}

const folder = path.resolve(import.meta.dirname, '../../fixtures/colombia-rues');
export const sample = <T>(name: string): T => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as T;
export const sampleRows = sample<readonly SodaRow[]>('rues_c82u.SYNTHETIC.json');
export const METADATA = sample<unknown>('metadata_c82u.SYNTHETIC.json');

const COLUMNS = [...new Set(sampleRows.flatMap((one) => Object.keys(one)))].concat('sigla', 'ciiu4');

/** Answers a request for the table from these rows, as the portal does, or for its date. */
export function portalReply(url: string, rows: readonly SodaRow[]): Reply {
  const { pathname, searchParams } = new URL(url, 'http://portal');
  if (pathname.startsWith('/api/views')) return { body: METADATA };
  const found = queryTable({ columns: COLUMNS, rows }, searchParams);
  return 'errorCode' in found ? { status: 400, body: { code: found.errorCode, error: true, message: found.message } } : { body: found };
}

/** Builds the source over a portal with these rows, or with its own replies to requests for rows. */
export async function register(
  reply: readonly SodaRow[] | ((url: string, nth: number) => Reply),
  settings: Readonly<Record<string, string>> = {},
) {
  const answer = typeof reply === 'function' ? reply : (url: string) => portalReply(url, reply);
  const portal = await upstream((url, nth) => (url.startsWith('/api/views') ? { body: METADATA } : answer(url, nth)));
  const source = built(rues, { url: portal.url, now: () => NOW, settings });
  const rowCalls = () => portal.asked.filter((url) => url.startsWith('/resource'));
  return { source, portal, rowCalls };
}

/** The finding about one company, or the code of the error. */
export async function findingOf(source: Awaited<ReturnType<typeof register>>['source'], base: string): Promise<RuesFinding | string> {
  const [finding] = await source.companies([nitOf(base)]).then(
    ({ findings }) => findings,
    (error: AppError) => [error],
  );
  return finding instanceof AppError ? finding.code : (finding as RuesFinding);
}

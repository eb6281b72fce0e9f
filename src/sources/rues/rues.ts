import type { Logger } from 'pino';
import { z } from 'zod';
import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { type AppError, sourceUnavailable } from '../../domain/errors.ts';
import { nitCheckDigit, strip } from '../../domain/tax-id.ts';
import { BOGOTA_OFFSET_MS, DAY_MS, isIsoDate, isoDate, SECOND_MS } from '../../domain/time.ts';
import { createDataDate } from '../data-date.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../http/failure.ts';
import { defineLiveSource } from '../live-source.ts';
import { PORTAL_CONCURRENCY, PORTAL_SETTINGS, portalHeaders } from '../socrata/portal.ts';
import { readRows, sodaPath } from '../socrata/soda.ts';
import { type ReadingTime, readCompany } from './choose.ts';
import type { RuesFinding } from './company.ts';
import { type NumberColumn, RUES_ROW, type RuesRow, registrationsOf, rowLimit, TABLE } from './row.ts';
import { hasChinese } from './spelling.ts';
import { disagrees, meaningOf } from './states.ts';

/** NITs per call: their list is 2 kB of URL. */
export const NITS_PER_CALL = 100;
/** Part of the time budget that is reserved for the date of the data. */
const DATE_MS = SECOND_MS;

/** The findings of one call. */
export interface RuesAnswer {
  /** Date of the data set, ISO; null while its page cannot be read. */
  readonly dataAsOf: string | null;
  /** Finding per requested NIT, in order; an error for a company whose rows cannot be read. */
  readonly findings: readonly (RuesFinding | AppError)[];
}

interface RuesCalls {
  /**
   * Looks up companies by bare NIT (with the check digit), at most NITS_PER_CALL, by one call, and by a second one for those that the first
   * does not find. A NIT of fewer than nine digits beside the check digit belongs to a person and is not requested.
   * @throws AppError SOURCE_UNAVAILABLE
   */
  companies(nits: readonly string[]): Promise<RuesAnswer>;
}

/**
 * The commercial register of Colombia (RUES), a data set of datos.gov.co, called live, on the host of SECOP II. It has the legal persons of
 * all chambers of commerce. Identity cards of representatives are never requested.
 */
export const rues = defineLiveSource({
  name: 'rues',
  attribution: 'Confecámaras, Registro Único Empresarial y Social (RUES), on datos.gov.co: open data under Colombian Law 1712.',
  bases: {
    portal: {
      setting: 'QUIPU_RUES_URL',
      live: 'https://www.datos.gov.co',
      sandbox: '/rues',
      description:
        'Colombian commercial register (RUES): base URL of the portal; the service requests {base}/resource/c82u-588k.json and {base}/api/views/metadata/v1/c82u-588k.',
    },
  },
  settings: PORTAL_SETTINGS,
  concurrency: PORTAL_CONCURRENCY,
  sharesHost: true,
  calls({ portal }, { setting, now, log }): RuesCalls {
    const headers = portalHeaders(setting);
    const dataDate = createDataDate(
      { api: portal, path: `/api/views/metadata/v1/${TABLE}`, deadlineMs: DATE_MS, headers, read: (answer) => readDataDate(answer, now()) },
      now,
    );

    /** Returns the rows of these NITs by the given column, by NIT. */
    async function rowsOf(bases: readonly string[], by: NumberColumn, deadlineAt: number): Promise<ReadonlyMap<string, RuesRow[]>> {
      if (bases.length === 0) return new Map();
      return portal.get(`/resource${sodaPath(registrationsOf(bases, by))}`, {
        deadlineMs: deadlineAt - now(),
        headers,
        read: (answer) => groupedRows(readRows(answer, RUES_ROW), bases, by),
      });
    }

    return {
      async companies(nits) {
        const deadlineAt = now() + TIME_BUDGETS.rues - DATE_MS;
        const bases = nits.map((nit) => nit.slice(0, -1));
        const requested = bases.filter(isCompanysLength);
        const byNit = await rowsOf(requested, 'nit', deadlineAt);
        const unknown = requested.filter((base) => !byNit.has(base));
        // The second call may fail where the first did not. Then it fails only the companies that it was made for.
        const byDocument = await rowsOf(unknown, 'numero_identificacion', deadlineAt).catch((error: AppError) => error);
        const { date: dataAsOf } = await dataDate();
        const time = { now: now(), asOf: dataAsOf ?? isoDate(now() + BOGOTA_OFFSET_MS) };
        const rows = new Map([...byNit, ...(byDocument instanceof Error ? [] : byDocument)]);
        countOddities([...rows.values()].flat(), log);
        const findings = bases.map((base) =>
          byDocument instanceof Error && unknown.includes(base) ? byDocument : readOne(base, rows.get(base) ?? [], time, log),
        );
        return { dataAsOf, findings };
      },
    };
  },
});

const COMPANYS_DIGITS = 9;
const isCompanysLength = (base: string): boolean => base.length === COMPANYS_DIGITS;

/** Reads one company. Its failure is returned and logged, so that it does not fail the companies of the same call. */
function readOne(base: string, rows: readonly RuesRow[], time: ReadingTime, log: Logger): RuesFinding | AppError {
  if (!isCompanysLength(base)) return { record: null, absence: 'natural_person' };
  try {
    return readCompany(base, rows, time);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    log.error({ kind: error.kind, err: error }, 'the registrations of a company cannot be read');
    return sourceUnavailable('rues', error);
  }
}

/**
 * Groups rows by the requested NITs. Of rows that are found by their document, those with the NIT of another company are left out, because
 * they are about that company, or about none for certain.
 * @throws HttpFailure for a row that was not requested, because the portal ignored the query, and for an answer that may be incomplete
 */
export function groupedRows(rows: readonly RuesRow[], bases: readonly string[], by: NumberColumn): ReadonlyMap<string, RuesRow[]> {
  if (rows.length >= rowLimit(bases.length))
    throw new HttpFailure('too_many_rows', 'the answer has as many rows as were requested at most');
  const requested = new Set(bases);
  const byBase = new Map<string, RuesRow[]>();
  for (const row of rows) {
    const base = row[by]?.trim() ?? '';
    if (!requested.has(base)) throw new HttpFailure('wrong_company', 'answered for another NIT');
    if (row.clase_identificacion.trim() !== 'NIT') throw new HttpFailure('wrong_company', 'answered with a natural person');
    if (hasOtherNit(row, base)) continue;
    byBase.set(base, [...(byBase.get(base) ?? []), row]);
  }
  return byBase;
}

/** True unless the column of the NIT is empty, has zeros only, or has this NIT in any spelling. */
function hasOtherNit({ nit }: RuesRow, base: string): boolean {
  const digits = strip(nit ?? '').replace(/^0+/, '');
  return digits !== '' && digits !== base && digits !== base + nitCheckDigit(base);
}

/** Logs how many rows have a state and a code that disagree, or a text that cannot be repaired. */
function countOddities(rows: readonly RuesRow[], log: Logger): void {
  const codes = rows.filter(({ estado_matricula: state, codigo_estado_matricula: code }) => {
    const meaning = meaningOf(state ?? '');
    return meaning !== undefined && disagrees(code?.trim() ?? null, meaning);
  }).length;
  const texts = rows.filter((row) => [row.razon_social, row.representante_legal].some((text) => text != null && hasChinese(text))).length;
  if (codes + texts > 0) log.warn({ codes, texts, rows: rows.length }, 'odd rows in the commercial register');
}

const METADATA = z.object({ id: z.literal(TABLE), dataUpdatedAt: z.string() });

/**
 * Reads the date of the data set from its metadata: `2026-09-04T19:15:35+0000`. Null for a date in the future.
 * @throws HttpFailure for anything else
 */
function readDataDate({ status, text }: HttpAnswer, now: number): string | null {
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const got = METADATA.safeParse(parseJson(text));
  const day = got.data?.dataUpdatedAt.slice(0, 10) ?? '';
  if (!isIsoDate(day)) throw new HttpFailure('unknown_shape', 'the date of the data set cannot be read');
  return day <= isoDate(now + DAY_MS) ? day : null;
}

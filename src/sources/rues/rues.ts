import type { Logger } from 'pino';
import { z } from 'zod';
import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { type AppError, sourceUnavailable } from '../../domain/errors.ts';
import { BOGOTA_OFFSET_MS, DAY_MS, isIsoDate, isoDate, SECOND_MS } from '../../domain/time.ts';
import { inSlices } from '../../scheduling/slices.ts';
import { createDataDate } from '../data-date.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../http/failure.ts';
import { defineLiveSource } from '../live-source.ts';
import { PORTAL_CONCURRENCY, PORTAL_SETTINGS, portalHeaders } from '../socrata/portal.ts';
import { readPrintedRows, sodaPath } from '../socrata/soda.ts';
import { type ReadingTime, readCompany } from './choose.ts';
import type { RuesFinding } from './company.ts';
import { isCertain, MAX_REGISTRATIONS, type NumberColumn, RUES_ROW, type RuesRow, registrationsOf, rowLimit, TABLE } from './row.ts';
import { hasChinese, stated } from './spelling.ts';
import { disagrees, meaningOf } from './states.ts';

/** NITs per call: their list is 2 kB of URL. */
export const NITS_PER_CALL = 100;
/** Part of the time budget that is reserved for the date of the data. */
const DATE_MS = SECOND_MS;
/** Age of the data above which the source reports `old_data`, 60 days. They are published every month or two. */
const MAX_DATA_AGE_MS = 60 * DAY_MS;

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
  /** Returns the date of the data set as it was last read, ISO; null if it was not. */
  dataAsOf(): string | null;
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
  dataDate: { of: (calls: RuesCalls) => calls.dataAsOf(), maxAgeMs: MAX_DATA_AGE_MS },
  calls({ portal }, { setting, now, log }): RuesCalls {
    const headers = portalHeaders(setting);
    let lastDate: string | null = null;
    const dataDate = createDataDate(
      {
        api: portal,
        path: `/api/views/metadata/v1/${TABLE}`,
        deadlineMs: DATE_MS,
        headers,
        read: (answer) => readDataDate(answer, now(), log),
      },
      now,
    );

    /** Returns the rows of these NITs by the given column, by NIT. */
    async function rowsOf(bases: readonly string[], by: NumberColumn, deadlineAt: number): Promise<ReadonlyMap<string, RuesRow[]>> {
      if (bases.length === 0) return new Map();
      return portal.get(`/resource${sodaPath(registrationsOf(bases, by))}`, {
        deadlineMs: deadlineAt - now(),
        headers,
        read: (answer) => groupedRows(readPrintedRows(answer, RUES_ROW), bases, by),
      });
    }

    return {
      async companies(nits) {
        const deadlineAt = now() + TIME_BUDGETS.rues - DATE_MS;
        const bases = nits.map((nit) => nit.slice(0, -1));
        const requested = bases.filter(isCompanysLength);
        const byNit = await rowsOf(requested, 'nit', deadlineAt);
        const unknown = requested.filter((base) => !byNit.get(base)?.some((row) => isCertain(row, base)));
        // The second call may fail where the first did not. Then it fails only the companies that it was made for.
        const byDocument = await rowsOf(unknown, 'numero_identificacion', deadlineAt).catch((error: AppError) => error);
        const { date: dataAsOf } = await dataDate();
        lastDate = dataAsOf;
        const time = { now: now(), asOf: dataAsOf ?? isoDate(now() + BOGOTA_OFFSET_MS) };
        const failed = new Map(byDocument instanceof Error ? unknown.map((base) => [base, byDocument]) : []);
        const found = byDocument instanceof Error ? new Map<string, RuesRow[]>() : byDocument;
        const rows = requested
          .filter((base) => !failed.has(base))
          .map((base) => [base, [...(byNit.get(base) ?? []), ...(found.get(base) ?? [])]] as const);
        const read = await inSlices(readEach(rows, time, log));
        const findings = bases.map((base) => failed.get(base) ?? read.get(base) ?? PERSONS);
        return { dataAsOf, findings };
      },
      dataAsOf: () => lastDate,
    };
  },
});

const COMPANYS_DIGITS = 9;
const isCompanysLength = (base: string): boolean => base.length === COMPANYS_DIGITS;
/** The finding about a NIT that is not requested. */
const PERSONS: RuesFinding = { record: null, absence: 'natural_person' };

/** Reads each company, with a yield after it, because the texts of a company of many registrations take milliseconds. */
function* readEach(
  rowsByBase: readonly (readonly [base: string, rows: readonly RuesRow[]])[],
  time: ReadingTime,
  log: Logger,
): Generator<void, ReadonlyMap<string, RuesFinding | AppError>, void> {
  const findings = new Map<string, RuesFinding | AppError>();
  const oddities = { codes: 0, texts: 0, others: 0, rows: 0 };
  for (const [base, rows] of rowsByBase) {
    findings.set(base, readOne(base, rows, time, log));
    countOddities(base, rows, oddities);
    yield;
  }
  if (oddities.codes + oddities.texts + oddities.others > 0) log.warn(oddities, 'odd rows in the commercial register');
  return findings;
}

/** Reads one company. Its failure is returned and logged, so that it does not fail the companies of the same call. */
function readOne(base: string, rows: readonly RuesRow[], time: ReadingTime, log: Logger): RuesFinding | AppError {
  try {
    return readCompany(base, rows, time);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    log.error({ kind: error.kind, err: error }, 'the registrations of a company cannot be read');
    return sourceUnavailable('rues', error);
  }
}

/** Counts rows that have a state and a code that disagree, a text that cannot be repaired, or the number of another company. */
function countOddities(base: string, rows: readonly RuesRow[], counts: Record<'codes' | 'texts' | 'others' | 'rows', number>): void {
  for (const row of rows.slice(0, MAX_REGISTRATIONS)) {
    const meaning = meaningOf(stated(row.estado_matricula) ?? '');
    if (meaning !== undefined && disagrees(row.codigo_estado_matricula?.trim() ?? null, meaning)) counts.codes += 1;
    if ([row.razon_social, row.representante_legal].some((text) => text != null && hasChinese(text))) counts.texts += 1;
    if (!isCertain(row, base)) counts.others += 1;
    counts.rows += 1;
  }
}

/**
 * Groups rows by the requested NITs.
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
    byBase.set(base, [...(byBase.get(base) ?? []), row]);
  }
  return byBase;
}

const METADATA = z.object({ id: z.literal(TABLE), dataUpdatedAt: z.string() });

/**
 * Reads the date of the data set from its metadata: `2026-09-04T19:15:35+0000`. Null for a date in the future. An old one is logged.
 * @throws HttpFailure for anything else
 */
function readDataDate({ status, text }: HttpAnswer, now: number, log: Logger): string | null {
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const got = METADATA.safeParse(parseJson(text));
  const day = got.data?.dataUpdatedAt.slice(0, 10) ?? '';
  if (!isIsoDate(day)) throw new HttpFailure('unknown_shape', 'the date of the data set cannot be read');
  if (now - Date.parse(day) > MAX_DATA_AGE_MS) log.error({ dataAsOf: day }, 'the data of the commercial register are older than 60 days');
  return day <= isoDate(now + DAY_MS) ? day : null;
}

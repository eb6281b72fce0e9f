import { DAY_MS } from '../../../src/domain/time.ts';
import { jsonReply, type SimulatedReply, type Simulator } from '../simulator.ts';
import { contractRecords, type PncpRecord, procurementRecords } from './records.ts';

const BASE = '/api/consulta/v1';
const TOO_WIDE = 'Período inicial e final maior que 365 dias.';
/** Interval of the requests that are refused although their dates are valid. */
const SPURIOUS_EVERY = 40;

interface List {
  readonly records: readonly PncpRecord[];
  readonly largestPage: number;
}

/**
 * PNCP's consultation API: `GET /api/consulta/v1/contratos` and `/contratacoes/publicacao` by days of publication, oldest first. 204 for
 * no records, 400 for an invalid page size or a missing modality, 422 for invalid dates (and for every 40th request). Unknown parameters,
 * such as a supplier's number, are ignored.
 */
export const pncpSimulator: Simulator = {
  name: 'pncp',
  handle({ path, query, now }) {
    if (path === `${BASE}/contratos`) return list({ records: contractRecords(now), largestPage: 500 }, query);
    if (path !== `${BASE}/contratacoes/publicacao`) return problem(404, 'NOT_FOUND', `No static resource ${path.slice(1)}.`);
    const modality = query.get('codigoModalidadeContratacao');
    if (!modality) return problem(400, 'BAD_REQUEST', "Required request parameter 'codigoModalidadeContratacao' is not present.");
    const records = procurementRecords(now).filter(({ modalidadeId }) => String(modalidadeId) === modality);
    return list({ records, largestPage: 50 }, query);
  },
};

let requestCount = 0;

function list({ records, largestPage }: List, query: URLSearchParams): SimulatedReply {
  const from = day(query.get('dataInicial'));
  const to = day(query.get('dataFinal'));
  const page = Number(query.get('pagina'));
  const size = Number(query.get('tamanhoPagina') ?? largestPage);
  requestCount += 1;
  if (!from || !to || !Number.isInteger(page) || page < 1) return problem(400, 'BAD_REQUEST', 'Parâmetros inválidos');
  if (!(size >= 10 && size <= largestPage)) return problem(400, 'BAD_REQUEST', 'Tamanho de página inválido');
  if (from > to) return unprocessable('Data Inicial deve ser anterior ou igual à Data Final');
  if (Date.parse(to) - Date.parse(from) > 365 * DAY_MS || requestCount % SPURIOUS_EVERY === 0) return unprocessable(TOO_WIDE);

  const published = ({ dataPublicacaoPncp: at }: PncpRecord): string => at;
  const found = records
    .filter((record) => published(record) >= from && published(record) <= `${to}T23:59:59`)
    .sort((a, b) => (published(a) < published(b) ? -1 : 1));
  const shown = found.slice((page - 1) * size, page * size);
  return shown.length === 0 ? { status: 204, body: '' } : pageReply(shown, found.length, page, size);
}

/** Parses a day `20261121` to `2026-11-21`; null for any other text. */
function day(text: string | null): string | null {
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(text ?? '') ?? [];
  return year === undefined ? null : `${year}-${month}-${date}`;
}

const problem = (status: number, name: string, message: string): SimulatedReply =>
  jsonReply(status, { message, error: `${status} ${name}` }, 'message');

const unprocessable = (message: string): SimulatedReply => problem(422, 'UNPROCESSABLE_ENTITY', message);

function pageReply(records: readonly PncpRecord[], total: number, page: number, size: number): SimulatedReply {
  const pages = Math.ceil(total / size);
  const envelope = { totalRegistros: total, totalPaginas: pages, numeroPagina: page, paginasRestantes: pages - page, empty: false };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: {
      format: 'json',
      rows: records.map((record) => JSON.stringify(record)),
      frame: (rows) => `{"data":[${rows.join(',')}],${JSON.stringify(envelope).slice(1)}`,
      renameRequired: (text) => text.replaceAll('"numeroControlePNCP":', '"numero_controle_pncp":'),
      charset: 'utf-8',
    },
  };
}

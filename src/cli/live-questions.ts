import { chileanDate, DAY_MS, isoDate } from '../domain/time.ts';
import { readSupplierNumbers } from '../modules/tenders/sources/mercadopublico/documents.ts';
import { contractPage, pageUrl, readPage } from '../modules/tenders/sources/pncp/records.ts';
import { contractId, contractIdsOf } from '../modules/tenders/sources/secopii/records.ts';
import { readShareAddress } from '../sources/copies/web-share.ts';
import { readRegistrant } from '../sources/domains/rdap.ts';
import type { SmallAnswer, SmallRequest } from '../sources/http/ask-once.ts';
import type { HttpAnswer } from '../sources/http/failure.ts';
import { readMinhaReceita } from '../sources/receita-federal/minha-receita.ts';
import { readOpenCnpj } from '../sources/receita-federal/opencnpj.ts';
import { isRegistrySource, type RegistrySpec } from '../sources/registry/registry.ts';
import { addressWith } from '../sources/registry/sync.ts';
import { RUES_ROW, registrationsOf } from '../sources/rues/row.ts';
import { portalHeaders } from '../sources/socrata/portal.ts';
import { readRows, sodaPath } from '../sources/socrata/soda.ts';
import type { Source, SourceInstance } from '../sources/source.ts';

/** Inputs of a question besides the address. */
export interface QuestionContext {
  /** Epoch ms. */
  readonly now: number;
  /** Returns the value of a setting of a source. */
  readonly setting: (name: string) => string;
}

/** A small request to an upstream, and how its format is recognised. */
export interface LiveQuestion {
  /**
   * Returns the requests; a further one is sent if the one before was answered 403 or 404, because a file of that day does not exist. An
   * empty list means that nothing can be asked before the operator has set a credential or accepted terms.
   */
  readonly requests: (base: string, context: QuestionContext) => readonly SmallRequest[];
  /** Reads the answer. @throws Error, or returns false, for an answer of another format */
  readonly recognises: (answer: SmallAnswer) => unknown;
}

/** Banco do Brasil, whose CNPJ is the lowest one, and 3M Colombia: two companies that have been registered for a century and decades. */
const CNPJ = '00000000000191';
const NIT = '8600026935';
/** ChileCompra itself, as its API writes a RUT. */
const RUT = '60.808.000-7';

/** Returns an answer that a reader of a source read, which may be null for absence. It throws for any other format. */
const read =
  (reader: (answer: HttpAnswer) => unknown): LiveQuestion['recognises'] =>
  (answer) => {
    reader(answer);
    return true;
  };

const api = (path: string, recognises: LiveQuestion['recognises']): LiveQuestion => ({
  requests: (base) => [{ url: new URL(base + path) }],
  recognises,
});

const soda = (path: string, recognises: LiveQuestion['recognises']): LiveQuestion => ({
  requests: (base, { setting }) => [{ url: new URL(base + path), headers: portalHeaders(setting) }],
  recognises,
});

const isZip = ({ start }: SmallAnswer): boolean => start.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'));

/** Length of the beginning of a file in which its form is looked for: the header, or a page of text before it. */
const HEADER_CHARACTERS = 20_000;

const hasForm =
  (form: RegExp): LiveQuestion['recognises'] =>
  (answer) =>
    [200, 206].includes(answer.status) && (isZip(answer) || form.test(answer.text.slice(0, HEADER_CHARACTERS)));

const file = (form: RegExp): LiveQuestion => ({
  requests: (address) => [{ url: new URL(address), isFile: true }],
  recognises: hasForm(form),
});

/** Number of days back for which a dated file is requested: as many as a sync tries. */
const DAYS = 15;

/** List → its form, in a zip or not. */
const LIST_FORMS: Readonly<Record<string, RegExp>> = {
  CEIS: /CPF OU CNPJ DO SANCIONADO/i,
  CNEP: /CPF OU CNPJ DO SANCIONADO/i,
  OFAC_SDN: /<sdnList\b|^\s*\d+,"/,
  UN_CONSOLIDATED: /<CONSOLIDATED_LIST\b/,
  TRABALHO_ESCRAVO: /empregador/i,
  TAX_DEBTORS_CL: /^\S{0,3}rut\b/i,
  MULTAS_SECOP_I: /"documento_contratista"/,
  MULTAS_SECOP_II: /"id_proceso"/,
};
/** Form of other lists: JSON, XML, or rows with separators, perhaps after a line of text. A page of HTML begins with its own tag. */
const ANY_LIST = /^\ufeff?\s*(?:[[{]|<\?xml|<(?!!doctype html|html|head|body)[a-z]|[^<\s][^<]{0,500}[,;|\t])/i;

/** Creates the question for a published list. None is sent before the operator has accepted its terms and set its key. */
const listQuestion = ({ name, redirectHosts = [], requestBody, query, terms, credential }: RegistrySpec<unknown>): LiveQuestion => ({
  requests(address, { now, setting }) {
    const key = credential ? setting(credential.setting) : '';
    if ((terms && setting(terms.setting) === '') || (credential && !credential.isOptional && key === '')) return [];
    const dates = Array.from({ length: address.includes('{date}') ? DAYS : 1 }, (_, back) =>
      isoDate(now - back * DAY_MS).replaceAll('-', ''),
    );
    return dates.map((date) => ({
      url: new URL(addressWith(address.replace('{date}', date), query)),
      isFile: true,
      redirectHosts,
      ...(credential && key !== '' && { headers: { [credential.header]: key } }),
      ...(requestBody !== undefined && { method: 'POST' as const, body: requestBody }),
    }));
  },
  recognises: hasForm(LIST_FORMS[name] ?? ANY_LIST),
});

/** Requests the file of one of the two months before, because that of the last month is published some days after its end. */
const monthlyFile: LiveQuestion = {
  requests: (base, { now }) =>
    [1, 2].map((back) => {
      const [year = 0, month = 0] = chileanDate(now).split('-').map(Number);
      const at = new Date(Date.UTC(year, month - 1 - back, 1));
      return { url: new URL(`${base}/oc-da/${at.getUTCFullYear()}-${at.getUTCMonth() + 1}.zip`), isFile: true };
    }),
  recognises: isZip,
};

const marketplace: LiveQuestion = {
  requests(base, { setting }) {
    const ticket = setting('QUIPU_MERCADOPUBLICO_TICKET');
    if (ticket === '') return [];
    const url = new URL(`${base.replace(/\/publico$/i, '')}/Publico/Empresas/BuscarProveedor`);
    url.search = String(new URLSearchParams({ rutempresaproveedor: RUT, ticket }));
    return [{ url }];
  },
  recognises: read(readSupplierNumbers),
};

/** The listing of the monthly folders by WebDAV, as the share of Receita Federal gives it. */
const share: LiveQuestion = {
  requests(address) {
    const { folders, authorization } = readShareAddress(address);
    return [{ url: new URL(folders), method: 'PROPFIND', headers: { authorization, depth: '1' } }];
  },
  recognises: ({ status, text }) => status === 207 && /<[a-z]{0,8}:?multistatus/i.test(text),
};

const publicContracts: LiveQuestion = {
  requests: (base, { now }) => {
    const [from, to] = [isoDate(now - 2 * DAY_MS), isoDate(now - DAY_MS)];
    return [{ url: pageUrl(base, { path: 'contratos', from, to, pageSize: 10 }, 1) }];
  },
  recognises: read((answer) => readPage(answer, contractPage)),
};

/** Header of the files of the tax registry of Chile: tab-separated, with the RUT. */
const NOMINA = /^[^\n]{0,80}\brut\b[^\n]{0,80}\t/i;
/** Question for a file of the owners of Chilean companies. */
const OWNERSHIP = file(/^\ufeff?"?rut sociedad\b/i);

/** Setting of an address of a source that is no list → its question. */
const QUESTIONS: Readonly<Record<string, LiveQuestion>> = {
  QUIPU_RECEITA_URL: api(
    `/${CNPJ}`,
    read((answer) => readMinhaReceita(answer, CNPJ)),
  ),
  QUIPU_RECEITA_FALLBACK_URL: api(
    `/${CNPJ}`,
    read((answer) => readOpenCnpj(answer, CNPJ)),
  ),
  QUIPU_RECEITA_SHARE_URL: share,
  QUIPU_SII_EMPRESAS_URL: file(NOMINA),
  QUIPU_SII_NOMBRES_URL: file(NOMINA),
  QUIPU_SII_ACTIVIDADES_URL: file(NOMINA),
  QUIPU_SII_DOMICILIOS_URL: file(NOMINA),
  QUIPU_CL_OWNERSHIP_URL: OWNERSHIP,
  QUIPU_CL_OWNERSHIP_EARLIER_URL: OWNERSHIP,
  QUIPU_RUES_URL: soda(
    `/resource${sodaPath(registrationsOf([NIT.slice(0, -1)], 'nit'))}`,
    read((answer) => readRows(answer, RUES_ROW)),
  ),
  QUIPU_RDAP_BR_URL: api(
    '/domain/registro.br',
    read((answer) => readRegistrant(answer, 'registro.br')),
  ),
  QUIPU_MERCADOPUBLICO_URL: marketplace,
  QUIPU_MERCADOPUBLICO_BULK_URL: monthlyFile,
  QUIPU_PNCP_URL: publicContracts,
  QUIPU_SECOP_URL: soda(
    sodaPath({ ...contractIdsOf(NIT), limit: 1 }),
    read((answer) => readRows(answer, contractId)),
  ),
};

/** Returns the question for an address of a source; undefined if it has none, which a test finds. */
export const questionOf = (source: Source<SourceInstance>, setting: string): LiveQuestion | undefined =>
  isRegistrySource(source) ? listQuestion(source.spec) : QUESTIONS[setting];

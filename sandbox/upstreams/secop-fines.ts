import { formatNit, nitCheckDigit } from '../../src/domain/tax-id.ts';
import { DAY_MS, isoDate } from '../../src/domain/time.ts';
import { COLOMBIAN_BUYERS, colombianByScenario, colombianCompanies } from '../world/colombia.ts';
import { contractRows } from './secopii/simulator.ts';
import { pick, type SimulatedReply, type SimulatedRequest, type Simulator } from './simulator.ts';
import { INVALID_TOKEN, isToken, refusal, type Table, tableReply } from './socrata/replies.ts';
import type { SodaRow } from './socrata/soql.ts';

const YEAR_DAYS = 365;

/** A fine of SECOP I. */
interface Fine {
  /** Document of the contractor as printed. */
  readonly document: string;
  readonly name: string;
  /** Days before the year began. */
  readonly daysAgo: number;
  readonly amount?: string;
  /** Document of the buyer as printed. */
  readonly buyerDocument?: string;
  /** If true, the table repeats the fine. */
  readonly twice?: boolean;
}

const fined = colombianByScenario('co-fined');
const base = (nit: string): string => nit.slice(0, -1);
const strangerNit = (number: number): string => `9997${String(number).padStart(5, '0')}`;

const FINES: readonly Fine[] = [
  { document: base(fined.nit), name: fined.name, daysAgo: 300, amount: '3797492', twice: true },
  { document: fined.nit, name: 'OBRAS INCUMPLIDAS', daysAgo: 7 * YEAR_DAYS, amount: '0' },
  // the buyer in place of the contractor, and the resolution in place of the name
  { document: '999500001', name: 'RESOLUCION 300 DE 2018', daysAgo: 3_000, buyerDocument: `999500001-${nitCheckDigit('999500001')}` },
  { document: '123456789', name: 'PRUEBA CONTRATISTA', daysAgo: 3_800, amount: '1' },
  ...Array.from({ length: 60 }, (_, i): Fine => {
    const nit = strangerNit(i + 1);
    const whole = nit + nitCheckDigit(nit);
    return { document: pick([nit, whole, formatNit(whole), `0${nit}`], i), name: `CONTRATISTA AJENO ${i + 1} LTDA`, daysAgo: 100 + i * 40 };
  }),
  // people, whom a reader of the table leaves out
  ...Array.from({ length: 60 }, (_, i): Fine => {
    const document = pick([String(1_099_900_100 + i), String(79_900_100 + i)], i);
    return { document, name: `PERSONA INVENTADA ${i + 1}`, daysAgo: 150 + i * 30 };
  }),
];

/**
 * The rows of the table of SECOP I, with the changes of an operator: a company that was added has one fine more, and one that was removed
 * has none.
 */
function secopIRows(now: number, changes: ReadonlyMap<string, boolean>): readonly SodaRow[] {
  const own = FINES.flatMap((fine, i) => {
    if (isRemoved(fine, changes)) return [];
    const row = secopIRow(fine, i + 1, now);
    return fine.twice ? [row, { ...row, fecha_de_cargue: floating(now, 10) }] : [row];
  });
  const added = colombianCompanies.filter(({ nit }) => changes.get(nit) === true);
  return [...own, ...added.map(({ nit, name }) => secopIRow({ document: nit, name, daysAgo: 3 }, serialOf(nit), now))];
}

const isRemoved = ({ document }: Fine, changes: ReadonlyMap<string, boolean>): boolean =>
  changes.get(document) === false || changes.get(document + nitCheckDigit(document)) === false;

/** Serial of the fine that an operator adds, the same whatever else changes. */
const serialOf = (nit: string): number => 1_000 + (Number(base(nit)) % 9_000);

function secopIRow({ document, name, daysAgo, amount, buyerDocument }: Fine, serial: number, now: number): SodaRow {
  const buyer = buyerDocument ? COLOMBIAN_BUYERS[0] : pick(COLOMBIAN_BUYERS, serial);
  const day = floating(now, daysAgo);
  const year = day.slice(0, 4);
  const address = `https://www.contratos.gov.co/consultas/detalleProceso.do?numConstancia=${year}-12-${serial}`;
  return {
    nombre_entidad: buyer.name,
    nit_entidad: buyerDocument ?? buyer.nit,
    nivel: 'TERRITORIAL',
    orden: 'TERRITORIAL MUNICIPAL',
    municipio: buyer.city,
    numero_de_resolucion: `RESOLUCION ${100 + serial} DE ${year}`,
    documento_contratista: document,
    nombre_contratista: name,
    numero_de_contrato: `CTO-${serial}-${year}`,
    valor_sancion: amount ?? String(serial * 125_000),
    fecha_de_publicacion: floating(now, daysAgo - 20),
    fecha_de_firmeza: day,
    fecha_de_cargue: floating(now, daysAgo - 25),
    ruta_de_proceso: serial % 4 === 0 ? address : { url: address },
  };
}

/**
 * A day before the first of January of the year, so that a fine keeps its date: with another date it would be another record, which
 * monitors report.
 */
const floating = (now: number, daysAgo: number): string =>
  `${isoDate(Date.UTC(new Date(now).getUTCFullYear(), 0, 1) - daysAgo * DAY_MS)}T00:00:00.000`;

/** Columns of a fine of SECOP II that differ from the usual ones; null for an absent one. */
type Changes = Readonly<Record<string, string | null>>;

/** The rows of the table of SECOP II, each about a contract of the table of contracts. */
function secopIiRows(now: number): readonly SodaRow[] {
  const contracts = contractRows(now);
  const of = (supplier: string, place = 0): SodaRow => contracts.filter((row) => row.proveedor_adjudicado === supplier)[place] ?? {};
  const [first, second] = [of(fined.name), of(fined.name, 1)];
  const row = (contract: SodaRow, changes: Changes = {}) => secopIiRow(contract, now, changes);
  return [
    row(first, { valor: '1080000' }),
    row(first, { valor: '980000', numero_de_version: '2' }),
    row(first, { numero_de_acto: 'ACTO-9', estado: 'Borrador' }),
    row(second, { id_contrato: 'No definido', tipo_de_sancion: 'Clausula Penal', valor: '5000000' }),
    row(of('PERSONA INVENTADA DE TAL'), { tipo_de_sancion: 'No Definido', descripcion_otro_tipo_de: 'Incumplimiento' }),
    row(of('CONSORCIO VÍAS DE MACONDO')),
  ];
}

function secopIiRow(contract: SodaRow, now: number, changes: Changes): SodaRow {
  const cells = {
    id_proceso: contract.proceso_de_compra,
    referencia_proceso: contract.referencia_del_contrato,
    id_contrato: contract.id_contrato,
    codigo_entidad_creadora: '700500001',
    nombre_entidad_creadora: contract.nombre_entidad,
    as_codigo_proveedor_objeto: contract.codigo_proveedor,
    nombre_proveedor_objeto_de: contract.proveedor_adjudicado,
    valor: '450000',
    valor_pagado: '0',
    fecha_evento: floating(now, 90),
    aplico_garantias: 'No',
    numero_de_acto: 'ACTO-1',
    tipo_de_sancion: 'Multa',
    descripcion_otro_tipo_de: null,
    estado: 'Publicado',
    tipo: 'Multas y sanciones',
    numero_de_version: '1',
    ...changes,
  };
  return Object.fromEntries(Object.entries(cells).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

const CONTRACTS: Table = { rows: contractRows, key: 'id_contrato' };

/** Answers a query for one of the tables, with the time of its last change. */
function answer(request: SimulatedRequest, tables: Readonly<Record<string, Table>>): SimulatedReply {
  if (!isToken(request.headers['x-app-token'])) return INVALID_TOKEN;
  const table = tables[request.path];
  if (!table) return refusal(404, 'dataset.missing', 'Not found');
  const reply = tableReply(table, request);
  if (reply.status !== 200) return reply;
  return { ...reply, headers: { ...reply.headers, 'last-modified': new Date(request.now - DAY_MS).toUTCString() } };
}

/** The contract fines of SECOP I on Socrata: documents of companies and people in one column, a repeated fine, a test. */
export const multasSecopISimulator: Simulator = {
  name: 'MULTAS_SECOP_I',
  handle: (request) =>
    answer(request, {
      '/4n4q-k399.json': {
        rows: (now) => secopIRows(now, request.world.changesOf('MULTAS_SECOP_I')),
        key: 'documento_contratista',
      },
    }),
};

/** The contract fines of SECOP II on Socrata, without tax ids, beside the table of contracts that has them. */
export const multasSecopIiSimulator: Simulator = {
  name: 'MULTAS_SECOP_II',
  handle: (request) => answer(request, { '/it5q-hg94.json': { rows: secopIiRows, key: 'id_proceso' }, '/jbjy-vk9h.json': CONTRACTS }),
};

import { formatNit } from '../../../src/domain/tax-id.ts';
import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { COLOMBIAN_BUYERS, type ColombianCompany, colombianByScenario, colombianCompanies } from '../../world/colombia.ts';
import { jsonReply, pick, type SimulatedReply, type Simulator } from '../simulator.ts';
import { INVALID_TOKEN, isToken, type Table, tableReply } from '../socrata/replies.ts';
import type { SodaRow } from '../socrata/soql.ts';

/** States of signed contracts, in the portal's mixed case. */
const CONTRACT_STATES = [
  'En ejecución',
  'Modificado',
  'terminado',
  'Cerrado',
  'cedido',
  'Activo',
  'Suspendido',
  'Prorrogado',
  'Aprobado',
] as const satisfies readonly [string, ...string[]];
/** States of contracts that were never signed, or were cancelled. */
const UNSIGNED = ['Borrador', 'enviado Proveedor', 'Cancelado'] as const satisfies readonly [string, ...string[]];

const OBJECTS = [
  'PRESTACIÓN DE SERVICIOS DE APOYO A LA GESTIÓN DOCUMENTAL',
  'SUMINISTRO DE PAPELERÍA Y ÚTILES DE OFICINA',
  'MANTENIMIENTO RUTINARIO DE LAS VÍAS DEL MUNICIPIO',
  'SERVICIO DE TRANSPORTE ESPECIAL DE PASAJEROS',
  'DOTACIÓN DE EQUIPOS DE CÓMPUTO PARA LAS INSTITUCIONES EDUCATIVAS',
  'INTERVENTORÍA TÉCNICA, ADMINISTRATIVA Y FINANCIERA DE LA OBRA',
] as const satisfies readonly [string, ...string[]];

/** Fields that differ from the default contract. */
interface Plan {
  readonly supplier: string;
  /** Document as printed; null for a supplier that is a group of companies. */
  readonly document: string | null;
  readonly state?: string;
  /** Age of the signature in days; null for a contract without a date of signature. */
  readonly daysAgo?: number | null;
  readonly value?: string;
  /** If true, the portal repeats the row. */
  readonly twice?: boolean;
}

const base = ({ nit }: ColombianCompany): string => nit.slice(0, -1);

const contractsOf = (scenario: string, ...plans: readonly Partial<Plan>[]): Plan[] => {
  const company = colombianByScenario(scenario);
  return plans.map((plan) => ({ supplier: company.name, document: base(company), ...plan }));
};

const dotted = colombianByScenario('co-supplier-dotted');
/** Spellings of suppliers' numbers, which are typed by hand. */
const dottedSpellings = [
  formatNit(dotted.nit),
  `0${base(dotted)}`,
  base(dotted),
  `${base(dotted)}-${dotted.nit.slice(-1)}`,
  formatNit(dotted.nit).slice(0, -2).replaceAll('.', ' '),
  `NIT ${base(dotted)}`,
];

const PLANS: readonly Plan[] = [
  ...contractsOf('co-supplier', ...Array.from({ length: 36 }, (_, i) => ({ state: pick(CONTRACT_STATES, i), daysAgo: 3 + i * 17 }))),
  ...contractsOf('co-supplier', ...UNSIGNED.map((state) => ({ state }))),
  ...contractsOf(
    'co-supplier-dv',
    ...[20, 90, 200, 400].map((daysAgo) => ({ document: colombianByScenario('co-supplier-dv').nit, daysAgo })),
  ),
  ...contractsOf('co-supplier-dotted', ...dottedSpellings.map((document) => ({ document }))),
  ...contractsOf('co-drafts-only', ...UNSIGNED.map((state) => ({ state }))),
  ...contractsOf('co-typo-value', { value: '7450000000000', daysAgo: 15 }, { value: '7450000000.5', daysAgo: 30 }),
  ...contractsOf('co-doubled', { daysAgo: 40, twice: true }, { daysAgo: 75 }),
  ...contractsOf('co-consortium', { daysAgo: 120 }),
  ...contractsOf('co-undated', { daysAgo: null }, { daysAgo: 60 }),
  ...colombianCompanies
    .filter(({ scenario }) => scenario.startsWith('co-crowd-'))
    .flatMap(({ scenario }, i) =>
      contractsOf(scenario, ...Array.from({ length: 1 + (i % 2) }, (_, n) => ({ daysAgo: 5 + i * 9 + n * 200 }))),
    ),
  { supplier: 'CONSORCIO VÍAS DE MACONDO', document: null },
  { supplier: 'PERSONA INVENTADA DE TAL', document: '1099900001' },
  ...contractsOf('co-fined', { daysAgo: 800 }, { daysAgo: 500, state: 'terminado' }),
];

/** The fictional Colombian contracts, as the portal lists them. Dates are relative to `now`. */
export const contractRows = (now: number): readonly SodaRow[] =>
  PLANS.flatMap((plan, i) => {
    const row = contractRow(1_000_001 + i, plan, now);
    return plan.twice ? [row, row] : [row];
  });

function contractRow(serial: number, plan: Plan, now: number): SodaRow {
  const { supplier, document, state = 'En ejecución', daysAgo = 50, value = String((1 + (serial % 90)) * 1_750_000) } = plan;
  const buyer = pick(COLOMBIAN_BUYERS, serial);
  const object = pick(OBJECTS, serial);
  const day = (days: number): string => isoDate(now - days * DAY_MS);
  return {
    nombre_entidad: buyer.name,
    nit_entidad: buyer.nit,
    departamento: buyer.department,
    ciudad: buyer.city,
    orden: 'Territorial',
    proceso_de_compra: `CO1.BDOS.${serial + 4_000_000}`,
    id_contrato: `CO1.PCCNTR.${serial}`,
    referencia_del_contrato: `CPS-${serial % 1_000}`,
    estado_contrato: state,
    codigo_de_categoria_principal: 'V1.80111600',
    descripcion_del_proceso: object,
    tipo_de_contrato: 'Prestación de servicios',
    modalidad_de_contratacion: pick(['Contratación directa', 'Mínima cuantía', 'Selección abreviada de menor cuantía'], serial),
    ...(daysAgo !== null && {
      fecha_de_firma: `${day(daysAgo)}T00:00:00.000`,
      fecha_de_fin_del_contrato: `${day(daysAgo - 180)}T00:00:00.000`,
    }),
    tipodocproveedor: document === null ? 'No Definido' : 'NIT',
    documento_proveedor: document ?? 'No Definido',
    proveedor_adjudicado: supplier,
    codigo_proveedor: supplierCode(supplier),
    es_grupo: document === null ? 'Si' : 'No',
    es_pyme: 'Si',
    valor_del_contrato: value,
    valor_pagado: '0',
    ...(serial % 5 !== 0 && { urlproceso: link(serial) }),
    nombre_representante_legal: 'No Definido',
    identificaci_n_representante_legal: 'No Definido',
    ultima_actualizacion: `${day(1)}T00:00:00.000`,
    objeto_del_contrato: object,
  };
}

/** Returns the number that the portal has given to a supplier. */
const supplierCode = (supplier: string): string => {
  const place = [...new Set(PLANS.map((plan) => plan.supplier))].indexOf(supplier);
  return String(SUPPLIER_CODES + place);
};
const SUPPLIER_CODES = 713_000_001;

/** Creates a link: an object in most rows, a plain text in some. */
function link(serial: number): SodaRow[string] {
  const url = `https://community.secop.gov.co/Public/Tendering/OpportunityDetail/Index?noticeUID=CO1.NTC.${serial}`;
  return serial % 7 === 0 ? url : { url };
}

const PROCEDURE_STATES = ['Publicado', 'Evaluación', 'Seleccionado', 'Adjudicado', 'Suspendido', 'Cancelado', 'Abierto'] as const;

/** Title and description. */
const SUBJECTS: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Construcción del acueducto veredal', 'Construcción de redes de agua potable para la vereda El Silencio'],
  ['Suministro de medicamentos', 'Suministro de medicamentos e insumos médicos para la red hospitalaria'],
  ['Licencias de software educativo', 'Adquisición de licencias y soporte técnico para los colegios públicos'],
  ['Alimentación escolar', 'Operación del programa de alimentación escolar en zona rural'],
  ['Interventoría de la vía', 'Interventoría técnica y ambiental al mejoramiento de la vía terciaria'],
  ['Aseo y cafetería', 'Prestación del servicio integral de aseo y cafetería'],
];
const PROCEDURES = 60;

/** The fictional Colombian calls for tenders, in every state, one per day. Dates are relative to `now`. */
export const procedureRows = (now: number): readonly SodaRow[] => [
  ...Array.from({ length: PROCEDURES }, (_, i) => procedureRow(i, now)),
  procedureRow(0, now), // the portal repeats a row occasionally
];

function procedureRow(i: number, now: number): SodaRow {
  const buyer = pick(COLOMBIAN_BUYERS, i);
  const [title, description] = pick(SUBJECTS, i);
  const state = pick(PROCEDURE_STATES, i);
  const published = now - i * DAY_MS;
  const year = isoDate(published).slice(0, 4);
  return {
    entidad: buyer.name,
    nit_entidad: buyer.nit,
    departamento_entidad: buyer.department,
    ciudad_entidad: buyer.city,
    id_del_proceso: `CO1.REQ.${5_000_000 - i}`,
    referencia_del_proceso: `LP-${100 + i}-${year}`,
    id_del_portafolio: `CO1.BDOS.${7_000_000 - i}`,
    nombre_del_procedimiento: `${title} ${year}`,
    descripci_n_del_procedimiento: description,
    fase: 'Presentación de oferta',
    fecha_de_publicacion_del: `${isoDate(published)}T00:00:00.000`,
    precio_base: i % 4 === 0 ? '0' : String(12_500_000 * (i + 1)),
    modalidad_de_contratacion: pick(['Licitación pública', 'Mínima cuantía', 'Selección Abreviada de Menor Cuantía'], i),
    ...(state === 'Publicado' && { fecha_de_recepcion_de: `${isoDate(published + 21 * DAY_MS)}T17:00:00.000` }),
    estado_del_procedimiento: state,
    adjudicado: state === 'Adjudicado' ? 'Si' : 'No',
    nombre_del_proveedor: 'No Definido',
    nit_del_proveedor_adjudicado: 'No Definido',
    urlproceso: { url: `https://community.secop.gov.co/Public/Tendering/OpportunityDetail/Index?noticeUID=CO1.NTC.${9_000_000 - i}` },
    estado_resumen: 'Recepcion de ofertas',
  };
}

/** The tables by path. */
const TABLES: Readonly<Record<string, Table>> = {
  '/jbjy-vk9h.json': { rows: contractRows, key: 'id_contrato' },
  '/p6dx-8zbt.json': { rows: procedureRows, key: 'id_del_proceso' },
};

/**
 * SECOP II on Socrata: `GET /<table>.json` with `$select`, `$where` (in, =, >=, <=, is not null, joined by AND), `$group` with `max`,
 * `$q`, `$order`, `$limit` (default 1000) and `$offset`. Rows of texts without their null columns, some of them twice.
 */
export const secopiiSimulator: Simulator = {
  name: 'secopii',
  handle(request) {
    const { path, headers } = request;
    if (!isToken(headers['x-app-token'])) return INVALID_TOKEN;
    const table = TABLES[path];
    if (!table) return refusal(404, 'dataset.missing', `Cannot find view with id ${path.slice(1).replace('.json', '')}`);
    return tableReply(table, request, refusal);
  },
};

const refusal = (status: number, errorCode: string, message: string): SimulatedReply =>
  jsonReply(status, { message, errorCode, data: {} }, 'message');

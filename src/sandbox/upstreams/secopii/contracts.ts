import { formatNit } from '../../../domain/nit.ts';
import { DAY_MS, isoDate } from '../../../domain/time.ts';
import { COLOMBIAN_BUYERS } from '../../world/colombia/buyers.ts';
import { type ColombianCompany, colombianByScenario, colombianCompanies } from '../../world/colombia/world.ts';
import { pick } from '../pick.ts';
import type { SodaRow } from './soql.ts';

/** Every state that a signed contract can be in, in the portal's mixed case. */
const STATES = [
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
/** Those of contracts that were never signed, or called off. */
const UNSIGNED = ['Borrador', 'enviado Proveedor', 'Cancelado'] as const satisfies readonly [string, ...string[]];

const OBJECTS = [
  'PRESTACIÓN DE SERVICIOS DE APOYO A LA GESTIÓN DOCUMENTAL',
  'SUMINISTRO DE PAPELERÍA Y ÚTILES DE OFICINA',
  'MANTENIMIENTO RUTINARIO DE LAS VÍAS DEL MUNICIPIO',
  'SERVICIO DE TRANSPORTE ESPECIAL DE PASAJEROS',
  'DOTACIÓN DE EQUIPOS DE CÓMPUTO PARA LAS INSTITUCIONES EDUCATIVAS',
  'INTERVENTORÍA TÉCNICA, ADMINISTRATIVA Y FINANCIERA DE LA OBRA',
] as const satisfies readonly [string, ...string[]];

/** What tells a contract from the usual one. */
interface Plan {
  readonly supplier: string;
  /** As printed; null where the supplier is no single company. */
  readonly document: string | null;
  readonly state?: string;
  /** Null for a contract without a date of signature. */
  readonly daysAgo?: number | null;
  readonly value?: string;
  /** The portal repeats the row. */
  readonly twice?: boolean;
}

const base = ({ nit }: ColombianCompany): string => nit.slice(0, -1);

const told = (scenario: string, ...plans: readonly Partial<Plan>[]): Plan[] => {
  const company = colombianByScenario(scenario);
  return plans.map((plan) => ({ supplier: company.name, document: base(company), ...plan }));
};

const dotted = colombianByScenario('co-supplier-dotted');
const dottedSpellings = [formatNit(dotted.nit), `0${base(dotted)}`, base(dotted), `${base(dotted)}-${dotted.nit.slice(-1)}`];

const PLANS: readonly Plan[] = [
  ...told('co-supplier', ...Array.from({ length: 36 }, (_, i) => ({ state: pick(STATES, i), daysAgo: 3 + i * 17 }))),
  ...told('co-supplier', ...UNSIGNED.map((state) => ({ state }))),
  ...told('co-supplier-dv', ...[20, 90, 200, 400].map((daysAgo) => ({ document: colombianByScenario('co-supplier-dv').nit, daysAgo }))),
  ...told('co-supplier-dotted', ...dottedSpellings.map((document) => ({ document }))),
  ...told('co-drafts-only', ...UNSIGNED.map((state) => ({ state }))),
  ...told('co-typo-value', { value: '7450000000000', daysAgo: 15 }, { value: '7450000000.5', daysAgo: 30 }),
  ...told('co-doubled', { daysAgo: 40, twice: true }, { daysAgo: 75 }),
  ...told('co-undated', { daysAgo: null }, { daysAgo: 60 }),
  ...colombianCompanies
    .filter(({ scenario }) => scenario.startsWith('co-crowd-'))
    .flatMap(({ scenario }, i) => told(scenario, ...Array.from({ length: 1 + (i % 2) }, (_, n) => ({ daysAgo: 5 + i * 9 + n * 200 })))),
  { supplier: 'CONSORCIO VÍAS DE MACONDO', document: null },
  { supplier: 'PERSONA INVENTADA DE TAL', document: '1099900001' },
];

/** The contracts of the made-up Colombia as the portal lists them; `now` moves their dates. */
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

/** Nearly always an object; a plain text at times. */
function link(serial: number): SodaRow[string] {
  const url = `https://community.secop.gov.co/Public/Tendering/OpportunityDetail/Index?noticeUID=CO1.NTC.${serial}`;
  return serial % 7 === 0 ? url : { url };
}

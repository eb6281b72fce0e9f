import { DAY_MS, isoDate } from '../../../domain/time.ts';
import { COLOMBIAN_BUYERS } from '../../world/colombia/buyers.ts';
import { pick } from '../pick.ts';
import type { SodaRow } from './soql.ts';

const STATES = ['Publicado', 'Evaluación', 'Seleccionado', 'Adjudicado', 'Suspendido', 'Cancelado', 'Abierto'] as const;

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

/** The calls for tenders of the made-up Colombia, in every state, one a day; `now` moves their dates. */
export const procedureRows = (now: number): readonly SodaRow[] => [
  ...Array.from({ length: PROCEDURES }, (_, i) => procedureRow(i, now)),
  procedureRow(0, now), // the portal repeats a row now and then
];

function procedureRow(i: number, now: number): SodaRow {
  const buyer = pick(COLOMBIAN_BUYERS, i);
  const [title, description] = pick(SUBJECTS, i);
  const state = pick(STATES, i);
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

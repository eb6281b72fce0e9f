import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const HEADER =
  'Año comercial\tRUT\tDV\tRazón social\tTramo según ventas\tNúmero de trabajadores dependie\tFecha inicio de actividades vige\tFecha término de giro\tFecha primera inscripción de ac\tTipo término de giro\tTipo de contribuyente\tSubtipo de contribuyente\tTramo capital propio positivo\tTramo capital propio negativo\tRubro económico\tSubrubro económico\tActividad económica\tRegión\tProvincia\tComuna\tR_PRESUNTA\tOTROS_REGIMENES';
const FIRST = 60_000_000;
const LAST = 97_000_000;
const REGIONS = ['I REGION DE TARAPACA', 'V REGION VALPARAISO', 'XIII REGION METROPOLITANA', 'XVI REGION DE ÑUBLE'];
const KINDS = ['SOCIEDAD POR ACCIONES', 'SOCIEDAD DE RESPONSABILIDAD LIMITADA', 'EMPRESA INDIVIDUAL DE RESPONSABILIDAD LIMITADA'];
const CHUNK_ROWS = 2_000;

/** Writes a fictional nómina of one commercial year in the registry's format (Windows-1252, CRLF). The same number of rows gives the same file. */
export const writeNomina = (file: string, rows: number): Promise<void> => pipeline(chunks(rows), createWriteStream(file));

function* chunks(rows: number): Generator<Buffer> {
  const pick = randomNumbers();
  let text = `${HEADER}\r\n`;
  for (let i = 0; i < rows; i += 1) {
    text += row(FIRST + Math.floor((i * (LAST - FIRST)) / rows), pick);
    if (i % CHUNK_ROWS === CHUNK_ROWS - 1 || i === rows - 1) {
      yield Buffer.from(text, 'latin1'); // Windows-1252 and Latin-1 are equal for all characters of the text
      text = '';
    }
  }
}

function row(rut: number, pick: (below: number) => number): string {
  const start = `${1990 + pick(34)}-${two(1 + pick(12))}-${two(1 + pick(28))}`;
  const ended = pick(12) === 0;
  const cells = [2024, rut, checkDigit(rut), `SOCIEDAD DE INVERSIONES ÑANDÚ NUMERO ${rut}`, 1 + pick(13), pick(3) === 0 ? '' : pick(500)];
  const dates = [start, ended ? '2024-03-31' : '', start, ended ? 'TERMINO DE GIRO' : ''];
  const kind = ['PERSONA JURIDICA COMERCIAL', KINDS[pick(KINDS.length)], pick(10), ''];
  const section = 'G - COMERCIO AL POR MAYOR Y AL POR MENOR; REPARACION DE VEHICULOS AUTOMOTORES Y MOTOCICLETAS';
  const activity = `${100_000 + pick(650) * 1_000} - VENTA AL POR MAYOR DE ALGUNA COSA BASTANTE LARGA DE DESCRIBIR`;
  const place = [REGIONS[pick(REGIONS.length)], 'PROVINCIA DE SANTIAGO', `COMUNA DE PEÑA ${pick(346)}`];
  return `${[...cells, ...dates, ...kind, section, '469 - VENTA AL POR MAYOR NO ESPECIALIZADA', activity, ...place, '', ''].join('\t')}\r\n`;
}

const two = (number: number): string => String(number).padStart(2, '0');

function checkDigit(rut: number): string {
  let sum = 0;
  for (let rest = rut, factor = 2; rest > 0; rest = Math.floor(rest / 10), factor = factor === 7 ? 2 : factor + 1)
    sum += (rest % 10) * factor;
  return '0K987654321'[sum % 11] ?? '';
}

/** Returns a deterministic sequence of pseudo-random numbers. */
function randomNumbers(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

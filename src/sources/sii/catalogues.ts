import { readFile } from 'node:fs/promises';

/** Chile's regions: roman numeral at the start of the registry's labels → ISO 3166-2 code without `CL-`, and name. */
const REGIONS: Readonly<Record<string, readonly [code: string, name: string]>> = {
  I: ['TA', 'Tarapacá'],
  II: ['AN', 'Antofagasta'],
  III: ['AT', 'Atacama'],
  IV: ['CO', 'Coquimbo'],
  V: ['VS', 'Valparaíso'],
  VI: ['LI', "Libertador General Bernardo O'Higgins"],
  VII: ['ML', 'Maule'],
  VIII: ['BI', 'Biobío'],
  IX: ['AR', 'La Araucanía'],
  X: ['LL', 'Los Lagos'],
  XI: ['AI', 'Aysén del General Carlos Ibáñez del Campo'],
  XII: ['MA', 'Magallanes y de la Antártica Chilena'],
  XIII: ['RM', 'Metropolitana de Santiago'],
  XIV: ['LR', 'Los Ríos'],
  XV: ['AP', 'Arica y Parinacota'],
  XVI: ['NB', 'Ñuble'],
};

const CODES = new Map(Object.entries(REGIONS).map(([numeral, [code]]) => [numeral, code]));
const NAMES = new Map(Object.values(REGIONS));

/** Converts a numeral to a region code: `XIII` → `RM`; null if the text is not the numeral of a region. */
export const regionCode = (numeral: string): string | null => CODES.get(numeral) ?? null;

/** Converts a region code to a name: `RM` → `Metropolitana de Santiago`. */
export const regionName = (code: string): string | null => NAMES.get(code) ?? null;

/** Subtype codes of legal persons → their names; used for codes that the publisher's catalogue file does not have. */
export const SUBTYPES: ReadonlyMap<string, string> = new Map([
  ['212', 'EMPRESA INDIVIDUAL DE RESPONSABILIDAD LIMITADA'],
  ['213', 'SOCIEDAD ANONIMA'],
  ['214', 'SOCIEDAD DE RESPONSABILIDAD LIMITADA'],
  ['223', 'SOCIEDAD POR ACCIONES'],
  ['611', 'MUNICIPALIDAD'],
  ['811', 'JUNTA DE VECINOS'],
  ['812', 'CLUB DEPORTIVO'],
  ['813', 'FUNDACION'],
  ['816', 'SINDICATO'],
]);

/**
 * Reads the publisher's catalogue of subtypes: code → name. The file is small and its columns are not documented, so the last code of
 * three digits in each row is used, and the cell after it.
 */
export async function readSubtypes(path: string): Promise<ReadonlyMap<string, string>> {
  const bytes = await readFile(path);
  const found = new Map<string, string>();
  for (const line of decoded(bytes).split(/\r?\n/)) {
    const cells = line.split(/[\t;]/).map((cell) => cell.trim());
    const index = cells.findLastIndex((cell) => /^\d{3}$/.test(cell));
    const label = cells[index + 1];
    if (index >= 0 && label) found.set(cells[index] ?? '', label.replaceAll(UNPRINTABLE, ' ').slice(0, MAX_LABEL));
  }
  return found;
}

/** Control characters, and backslashes, which would need escaping for the database. */
const UNPRINTABLE = /[\p{Cc}\\]/gu;
const MAX_LABEL = 100;

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

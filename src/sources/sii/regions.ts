/** Chile's regions by the roman numeral with which the registry's labels begin: ISO 3166-2 code without `CL-`, and name. */
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

/** `XIII` → `RM`; null for what is no region's numeral. */
export const regionCode = (numeral: string): string | null => CODES.get(numeral) ?? null;

/** `RM` → `Metropolitana de Santiago` */
export const regionName = (code: string): string | null => NAMES.get(code) ?? null;

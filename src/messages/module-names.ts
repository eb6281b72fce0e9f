import { type Language, type Row, textIn } from './languages.ts';

/** The names of all modules. */
const MODULE_NAMES = {
  compliance_br: ['Consolidated check (Brazil)', 'Verificación consolidada (Brasil)', 'Verificação consolidada (Brasil)'],
  compliance: [
    'Consolidated check (Chile, Colombia)',
    'Verificación consolidada (Chile, Colombia)',
    'Verificação consolidada (Chile, Colômbia)',
  ],
  enrich: ['Company profiles', 'Perfiles de empresas', 'Perfis de empresas'],
  kyb: ['Registration', 'Situación registral', 'Situação cadastral'],
  owners: ['Owners', 'Socios', 'Quadro societário'],
  debarment: ['Debarment', 'Inhabilitaciones', 'Impedimentos'],
  sanctions: ['Sanctions', 'Sanciones', 'Sanções'],
  labor: ['Forced labour', 'Trabajo forzoso', 'Trabalho escravo'],
  tax_health: ['Tax standing', 'Situación tributaria', 'Situação tributária'],
  tech: ['Technologies of websites', 'Tecnologías de sitios web', 'Tecnologias de sites'],
  tenders: ['Public procurement', 'Contratación pública', 'Contratações públicas'],
  validate: ['Validation of e-mail addresses', 'Validación de correos electrónicos', 'Validação de e-mails'],
  monitor: ['Monitoring of changes', 'Monitoreo de cambios', 'Monitoramento de mudanças'],
  screening: ['Screening of portfolios', 'Evaluación de carteras', 'Avaliação de carteiras'],
} as const satisfies Readonly<Record<string, Row>>;

/** Code of a module that has a name. The catalogue of modules has the same codes. */
export type NamedModule = keyof typeof MODULE_NAMES;

const BY_CODE: ReadonlyMap<string, Row> = new Map(Object.entries(MODULE_NAMES));

/**
 * Returns the name of a module for people.
 * @param code its code in any case, as GraphQL (`KYB`) or REST (`kyb`) writes it. The code of a newer release has no name and is
 * returned in lower case, as keys have it.
 */
export function moduleNameIn(code: string, language: Language): string {
  const name = BY_CODE.get(code.toLowerCase());
  return name ? textIn(name, language) : code.toLowerCase();
}

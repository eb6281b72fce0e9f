import type { FindingCode } from '../../../domain/compliance.ts';
import { type Language, type Row, textIn, translated } from '../../../messages/message.ts';
import { moduleNameIn } from '../../../messages/module-names.ts';

/** Names of columns by their names in the API. */
const COLUMNS: Readonly<Record<string, Row>> = {
  row: ['Row', 'Fila', 'Linha'],
  identifier: ['Tax id', 'Identificador', 'Identificador'],
  country: ['Country', 'País', 'País'],
  company_name: ['Name', 'Nombre', 'Nome'],
  registration_status: ['Registration', 'Situación registral', 'Situação cadastral'],
  risk_level: ['Risk', 'Riesgo', 'Risco'],
  completeness: ['Completeness', 'Completitud', 'Completude'],
  risk_reasons: ['Reasons', 'Motivos', 'Motivos'],
  is_sanctioned: ['Sanctioned', 'Sancionada', 'Sancionada'],
  is_debarred: ['Debarred', 'Inhabilitada', 'Impedida'],
  has_violations: ['Forced labour', 'Trabajo forzoso', 'Trabalho escravo'],
  tax_debtor: ['Tax debtor', 'Deudora de impuestos', 'Devedora de impostos'],
  owner_count: ['Owners and officers', 'Socios y administradores', 'Sócios e administradores'],
  failed_modules: ['Without an answer', 'Sin respuesta', 'Sem resposta'],
  checked_at: ['Checked at', 'Verificada el', 'Verificada em'],
  outcome: ['Outcome', 'Resultado', 'Resultado'],
  reason: ['Reason', 'Motivo', 'Motivo'],
};

/** Words by column and value of the API. */
const YES_NO: Readonly<Record<string, Row>> = { true: ['yes', 'sí', 'sim'], false: ['no', 'no', 'não'] };
const WORDS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  registration_status: {
    active: ['active', 'activa', 'ativa'],
    inactive: ['not active', 'no activa', 'não ativa'],
    not_found: ['not in the registry', 'no está en el registro', 'não consta no cadastro'],
  },
  risk_level: { low: ['low', 'bajo', 'baixo'], medium: ['medium', 'medio', 'médio'], high: ['high', 'alto', 'alto'] },
  completeness: {
    complete: ['complete', 'completo', 'completo'],
    partial: ['partial', 'parcial', 'parcial'],
    insufficient: ['insufficient', 'insuficiente', 'insuficiente'],
  },
  is_sanctioned: YES_NO,
  is_debarred: YES_NO,
  has_violations: YES_NO,
  tax_debtor: YES_NO,
  outcome: {
    answered: ['checked', 'verificada', 'verificada'],
    failed: ['without an answer', 'sin respuesta', 'sem resposta'],
    pending: ['not checked yet', 'aún sin verificar', 'ainda não verificada'],
    invalid: ['wrong', 'errónea', 'errada'],
    duplicate: ['repeated', 'repetida', 'repetida'],
  },
};

/** Reasons of a verdict by their code. */
const REASONS: Readonly<Record<FindingCode, Row>> = {
  match: ['a sanctions list names it', 'figura en una lista de sanciones', 'consta em uma lista de sanções'],
  listed: ['on the forced-labour registry', 'en el registro de trabajo forzoso', 'no cadastro de trabalho escravo'],
  record: ['debarred from public contracts', 'inhabilitada para contratar con el Estado', 'impedida de contratar com o poder público'],
  fine: ['contract fine, which is no ban', 'multa contractual, que no inhabilita', 'multa contratual, que não impede'],
  inactive: ['registration not active', 'situación registral no activa', 'situação cadastral não ativa'],
  tax_debtor: ['tax debtor', 'deudora de impuestos', 'devedora de impostos'],
  not_renewed: ['registration not renewed', 'matrícula no renovada', 'matrícula não renovada'],
  not_found: ['not in the registry', 'no está en el registro', 'não consta no cadastro'],
};

const textOf = (row: Row | undefined, language: Language): string | undefined => row && textIn(row, language);

/** Returns the name of a column; its name in the API without a language. */
export const columnText = (column: string, language: Language | null): string => (language && textOf(COLUMNS[column], language)) ?? column;

/** Returns the word for a value of a column. A value that is no fixed word stays as it is. */
export const wordText = (column: string, value: string, language: Language | null): string =>
  (language && textOf(WORDS[column]?.[value], language)) ?? value;

/** Returns the name of a module; its code without a language. */
export const moduleText = (module: string, language: Language | null): string => (language ? moduleNameIn(module, language) : module);

/** Returns the reason for which a row is not checked. */
export const rejectionText = (reason: string, language: Language | null): string => (language ? translated(reason, language) : reason);

/** Returns the text of a reason, `<check>.<code>: <sentence>`. Without a language, or with a code of a newer release, it stays as it is. */
export function reasonText(reason: string, language: Language | null): string {
  const [, code = ''] = /^\w+\.(\w+):/.exec(reason) ?? [];
  return (language && textOf((REASONS as Readonly<Record<string, Row>>)[code], language)) ?? reason;
}

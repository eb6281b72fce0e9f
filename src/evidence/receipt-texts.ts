import type { Completeness, RiskLevel } from '../domain/compliance.ts';
import type { Language } from '../messages/message.ts';
import type { ReceiptSource } from './receipt.ts';

/** Texts of a printed receipt. Names of sources are printed as the API returns them. */
export interface ReceiptTexts {
  readonly title: string;
  readonly company: string;
  readonly name: string;
  readonly verdict: string;
  readonly levels: Readonly<Record<RiskLevel, string>>;
  readonly completeness: string;
  readonly degrees: Readonly<Record<Completeness, string>>;
  readonly issuedAt: string;
  readonly checkedAt: string;
  readonly receipt: string;
  readonly account: string;
  readonly reasons: string;
  readonly noReasons: string;
  readonly sources: string;
  readonly outcomes: Readonly<Record<ReceiptSource['outcome'], string>>;
  readonly readAt: string;
  readonly dataAsOf: string;
  readonly fileChecksum: string;
  readonly answerDigest: string;
  readonly seal: string;
  readonly contentHash: string;
  readonly previousHash: string;
  readonly firstOfChain: string;
  readonly signature: string;
  readonly key: string;
  readonly note: string;
}

export const RECEIPT_TEXTS: Readonly<Record<Language, ReceiptTexts>> = {
  en: {
    title: 'Receipt of a consolidated check',
    company: 'Company',
    name: 'Legal name',
    verdict: 'Risk level',
    levels: { low: 'Low', medium: 'Medium', high: 'High' },
    completeness: 'Completeness',
    degrees: { complete: 'Complete', partial: 'Partial: not every source could be read', insufficient: 'Insufficient: no source answered' },
    issuedAt: 'Issued at',
    checkedAt: 'Checked at',
    receipt: 'Receipt',
    account: 'Account',
    reasons: 'Reasons',
    noReasons: 'None: the sources that answered have no record.',
    sources: 'Sources',
    outcomes: { answered: 'answered', failed: 'could not be read' },
    readAt: 'read at',
    dataAsOf: 'data as of',
    fileChecksum: 'SHA-256 of the list file',
    answerDigest: 'SHA-256 of the answer',
    seal: 'Seal',
    contentHash: 'Content hash (SHA-256)',
    previousHash: 'Hash of the receipt before',
    firstOfChain: 'none: the first of the chain',
    signature: 'Signature (Ed25519)',
    key: 'Key',
    note: 'This page shows the receipt and is not signed itself. The signed receipt is attached as JSON: check it with "quipu evidence verify". A low level is no regulatory clearance.',
  },
  es: {
    title: 'Comprobante de una verificación consolidada',
    company: 'Empresa',
    name: 'Razón social',
    verdict: 'Nivel de riesgo',
    levels: { low: 'Bajo', medium: 'Medio', high: 'Alto' },
    completeness: 'Completitud',
    degrees: {
      complete: 'Completa',
      partial: 'Parcial: no se pudieron leer todas las fuentes',
      insufficient: 'Insuficiente: ninguna fuente respondió',
    },
    issuedAt: 'Emitido el',
    checkedAt: 'Verificado el',
    receipt: 'Comprobante',
    account: 'Cuenta',
    reasons: 'Motivos',
    noReasons: 'Ninguno: las fuentes que respondieron no tienen registros.',
    sources: 'Fuentes',
    outcomes: { answered: 'respondió', failed: 'no se pudo leer' },
    readAt: 'leída el',
    dataAsOf: 'datos del',
    fileChecksum: 'SHA-256 del archivo de la lista',
    answerDigest: 'SHA-256 de la respuesta',
    seal: 'Sello',
    contentHash: 'Hash del contenido (SHA-256)',
    previousHash: 'Hash del comprobante anterior',
    firstOfChain: 'ninguno: es el primero de la cadena',
    signature: 'Firma (Ed25519)',
    key: 'Clave',
    note: 'Esta página muestra el comprobante y no está firmada. El comprobante firmado está adjunto como JSON: compruébelo con "quipu evidence verify". Un nivel bajo no es una autorización regulatoria.',
  },
  pt: {
    title: 'Comprovante de uma verificação consolidada',
    company: 'Empresa',
    name: 'Razão social',
    verdict: 'Nível de risco',
    levels: { low: 'Baixo', medium: 'Médio', high: 'Alto' },
    completeness: 'Completude',
    degrees: {
      complete: 'Completa',
      partial: 'Parcial: nem todas as fontes puderam ser lidas',
      insufficient: 'Insuficiente: nenhuma fonte respondeu',
    },
    issuedAt: 'Emitido em',
    checkedAt: 'Verificado em',
    receipt: 'Comprovante',
    account: 'Conta',
    reasons: 'Motivos',
    noReasons: 'Nenhum: as fontes que responderam não têm registros.',
    sources: 'Fontes',
    outcomes: { answered: 'respondeu', failed: 'não pôde ser lida' },
    readAt: 'lida em',
    dataAsOf: 'dados de',
    fileChecksum: 'SHA-256 do arquivo da lista',
    answerDigest: 'SHA-256 da resposta',
    seal: 'Selo',
    contentHash: 'Hash do conteúdo (SHA-256)',
    previousHash: 'Hash do comprovante anterior',
    firstOfChain: 'nenhum: é o primeiro da cadeia',
    signature: 'Assinatura (Ed25519)',
    key: 'Chave',
    note: 'Esta página mostra o comprovante e não é assinada. O comprovante assinado está anexado como JSON: confira-o com "quipu evidence verify". Um nível baixo não é uma autorização regulatória.',
  },
};

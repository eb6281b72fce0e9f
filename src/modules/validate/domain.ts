/** A server that accepts mail for a domain. */
export interface MailServer {
  /** Host name, without a trailing dot. */
  readonly host: string;
  /** Preference of the server; the lowest value is tried first. */
  readonly preference: number;
}

/**
 * `malformed`: not an address. `deliverable`: the domain has a mail server (MX) with a public address. `deliverable_fallback`: the domain has no MX but an IP
 * address, to which mail is sent instead (RFC 5321 § 5.1). `undeliverable`: see the reason.
 */
export type EmailVerdict = 'deliverable' | 'deliverable_fallback' | 'undeliverable' | 'malformed';

/** Reasons for which a domain accepts no mail. */
export type UndeliverableReason = (typeof UNDELIVERABLE_REASONS)[number];

export const UNDELIVERABLE_REASONS = [
  'no_such_domain',
  'refuses_mail',
  'no_mail_server',
  'private_address',
  'sends_no_mail',
  'reserved_name',
  'address_literal',
] as const;

/** The mail servers of a domain. */
export interface MailRoute {
  /** Mail servers, sorted by preference; empty if there is a reason. */
  readonly servers: readonly MailServer[];
  /** True when the domain has no MX and its own address receives the mail. */
  readonly fallback: boolean;
  /** The reason for which the domain accepts no mail; null if it accepts mail. */
  readonly reason: UndeliverableReason | null;
}

/** The kind of a mailbox provider. */
export interface Provider {
  /** True for a provider of disposable mailboxes, and for a domain whose mail goes to one. */
  readonly disposable: boolean;
  /** True for a provider of free mailboxes for consumers, and for a domain whose mail goes to one; never for a disposable one. */
  readonly freeProvider: boolean;
}

export interface EmailValidation extends Provider {
  /** The address as given, trimmed and in lower case. */
  readonly email: string;
  /** True if the address is well formed and the domain accepts mail. */
  readonly valid: boolean;
  readonly formatValid: boolean;
  /** True if the domain has a mail server, or an address that receives its mail. */
  readonly mxValid: boolean;
  readonly verdict: EmailVerdict;
  /** Reason; null unless undeliverable. */
  readonly reason: UndeliverableReason | null;
  readonly mailServers: readonly MailServer[];
  /** True if the mailbox belongs to a role (sales@) and not to a person. */
  readonly roleAccount: boolean;
  /** True if the local part is not ASCII, so that only servers with SMTPUTF8 accept it. */
  readonly smtpUtf8: boolean;
  /** The part after the last `@`, in Unicode; empty without an `@`. */
  readonly domain: string;
  /** The domain in ASCII (A-labels); null for an address literal and a malformed address. */
  readonly asciiDomain: string | null;
  /** The domain that was probably meant; null without a suspected typo. */
  readonly suggestion: string | null;
}

/** Creates the route of a domain that accepts no mail. */
export const unroutable = (reason: UndeliverableReason): MailRoute => ({ servers: [], fallback: false, reason });

/** Derives the verdict on a well-formed address from its mail route. */
export function verdictOf({ reason, fallback }: MailRoute): EmailVerdict {
  if (reason !== null) return 'undeliverable';
  return fallback ? 'deliverable_fallback' : 'deliverable';
}

/** Top-level names that are never in the public DNS (RFC 6761, RFC 7686), or not for mail. For other reserved names the DNS answers. */
const RESERVED = new Set(['arpa', 'invalid', 'local', 'localhost', 'onion']);

export const isReservedName = (asciiDomain: string): boolean => RESERVED.has(asciiDomain.slice(asciiDomain.lastIndexOf('.') + 1));

/** Role names in English, Spanish and Portuguese, without hyphens, dots and underscores. */
const ROLES = new Set(
  (
    'abuse accounting accounts admin administracao administracion administrador administrator adquisiciones aprovisionamiento asistencia ' +
    'atencion atencionalcliente atendimento ayuda billing bodega careers central cobranca cobranza cobranzas comercial compras ' +
    'comunicaciones contabilidad contabilidade contact contacto contacts contactus contador contato correo customerservice despacho dte ' +
    'direccion diretoria donotreply email empleo empleos enquiries exportaciones facturacion facturas faturamento feedback finance ' +
    'financeiro finanzas fiscal gerencia gestion hello help helpdesk hola hostmaster hr importaciones info informacion informaciones ' +
    'informatica inquiries investors it jobs juridico legal licitaciones licitacoes logistica mail mailerdaemon marketing media mercadeo ' +
    'news newsletter noc noreply norespond noresponder notificaciones office oficina ofpartes operaciones orders ouvidoria ' +
    'pagos partners pedidos personal postmaster prensa press privacidad privacy proveedores purchasing ' +
    'recepcao recepcion reclamos recrutamento recursoshumanos remuneraciones reservas rh root rrhh sac sales secretaria ' +
    'security seguranca servicio servicioalcliente soporte sugerencias suporte support tecnologia tesoreria ti trabajaconnosotros ' +
    'usenet vendas ventas web webmaster'
  ).split(' '),
);

/** Returns true for the local part of a role mailbox, with or without a `+tag`. */
export const isRoleAccount = (local: string): boolean => ROLES.has((local.split('+', 1)[0] ?? '').replace(/[._-]/g, ''));

/** A server that takes mail for a domain. */
export interface MailServer {
  /** Host name, without the dot at its end. */
  readonly host: string;
  /** Lower is asked first. */
  readonly preference: number;
}

/**
 * `malformed`: no address. `deliverable`: its domain names mail servers. `deliverable_fallback`: it names none, but has an address of
 * its own, which mail goes to in their place (RFC 5321 § 5.1). `undeliverable`: see the reason.
 */
export type EmailVerdict = 'deliverable' | 'deliverable_fallback' | 'undeliverable' | 'malformed';

/** Why no mail gets to a domain. */
export type UndeliverableReason =
  | 'no_such_domain'
  | 'refuses_mail'
  | 'no_mail_server'
  | 'private_address'
  | 'sends_no_mail'
  | 'reserved_name'
  | 'address_literal';

/** Where the mail of a domain goes. */
export interface MailRoute {
  /** Best first; empty where there is a reason. */
  readonly servers: readonly MailServer[];
  /** True when the domain's own address stands in for mail servers that it does not name. */
  readonly fallback: boolean;
  /** Null when it takes mail. */
  readonly reason: UndeliverableReason | null;
}

/** What is known of a domain as a provider of mailboxes. */
export interface Provider {
  /** A known throwaway provider. */
  readonly disposable: boolean;
  /** A known provider of mailboxes for consumers; never a throwaway one. */
  readonly freeProvider: boolean;
}

export interface EmailValidation extends Provider {
  /** As asked, without the blanks around it, in lower case. */
  readonly email: string;
  /** Well formed, and its domain takes mail. */
  readonly valid: boolean;
  readonly formatValid: boolean;
  /** The domain names a mail server, or an address that stands in for one. */
  readonly mxValid: boolean;
  readonly verdict: EmailVerdict;
  /** Null unless undeliverable. */
  readonly reason: UndeliverableReason | null;
  readonly mailServers: readonly MailServer[];
  /** A mailbox of a function, not of a person. */
  readonly roleAccount: boolean;
  /** The local part is not ASCII: only servers with SMTPUTF8 take it. */
  readonly smtpUtf8: boolean;
  /** What is after the last `@`, as people read it; empty where there is none. */
  readonly domain: string;
  /** The domain in ASCII (A-labels); null for an address literal and where malformed. */
  readonly asciiDomain: string | null;
  /** The domain that was probably meant; null where nothing looks wrong. */
  readonly suggestion: string | null;
}

/** A domain that takes no mail, for this reason. */
export const unroutable = (reason: UndeliverableReason): MailRoute => ({ servers: [], fallback: false, reason });

/** Verdict on a well-formed address, by the route of its mail. */
export function verdictOf({ reason, fallback }: MailRoute): EmailVerdict {
  if (reason !== null) return 'undeliverable';
  return fallback ? 'deliverable_fallback' : 'deliverable';
}

/** Names that the public DNS never holds (RFC 6761, RFC 7686), or not for mail. The other reserved ones it answers for itself. */
const RESERVED = new Set(['arpa', 'invalid', 'local', 'localhost', 'onion']);

export const isReservedName = (asciiDomain: string): boolean => RESERVED.has(asciiDomain.slice(asciiDomain.lastIndexOf('.') + 1));

/** Functions, with hyphens, dots and underscores left out. */
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

/** True for the local part of a mailbox that a function has, with or without a `+tag`. */
export const isRoleAccount = (local: string): boolean => ROLES.has(local.replace(/\+.*$/, '').replace(/[._-]/g, ''));

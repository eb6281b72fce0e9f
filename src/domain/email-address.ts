/**
 * Conversion of internationalised domain names (UTS #46). The caller passes it in, because the domain layer imports no packages. Both
 * functions return `''` for an invalid name; `toUnicode` leaves a label that it cannot decode unchanged.
 */
export interface Idna {
  readonly toAscii: (name: string) => string;
  readonly toUnicode: (name: string) => string;
}

/** A well-formed address, in lower case and NFC. */
export interface EmailAddress {
  /** The part before the `@`, quotes included. */
  readonly local: string;
  /** The part after the `@`: a name in Unicode, or an address literal with its brackets. */
  readonly domain: string;
  /** The name in its DNS form (A-labels); null for an address literal. */
  readonly asciiDomain: string | null;
  /** True when the local part is not ASCII, so that only servers with SMTPUTF8 (RFC 6531) accept it. */
  readonly smtpUtf8: boolean;
}

/** Maximum length in octets. A path of 256 octets includes its two angle brackets (RFC 5321 § 4.5.3.1 with erratum 1690). */
const MAX_OCTETS = 254;
const MAX_LOCAL_OCTETS = 64;

/** Invisible or ambiguous characters: controls, zero-width and bidirectional marks, blanks other than the plain space, private use. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/u;
const ATOM = "(?!\\p{M})[\\w!#$%&'*+\\-/=?^`{|}~\\u{80}-\\u{10ffff}]+";
const QUOTED = '"(?:[^"\\\\]|\\\\[ -~])*"';
const SHAPE = new RegExp(`^(${ATOM}(?:\\.${ATOM})*|${QUOTED})@([^@]+)$`, 'u');

/**
 * Parses one mailbox by RFC 5321 § 4.1.2 and RFC 6531: dot-atom or quoted local part, name or address literal. Returns null for any other
 * text. It does not accept the additions of RFC 5322 for message headers (comments, folding, obsolete forms, a display name), and does not
 * trim blanks. The length limits apply in UTF-8 octets for the address as typed, normalised and with A-labels.
 */
export function parseEmailAddress(text: string, idna: Idna): EmailAddress | null {
  if (octets(text) > MAX_OCTETS || HIDDEN.test(text) || !SHAPE.test(text)) return null;
  const [, local = '', name = ''] = SHAPE.exec(text.normalize('NFC').toLowerCase().normalize('NFC')) ?? [];
  const domain = name.startsWith('[') ? readLiteral(name) : readName(name, idna);
  if (!domain || octets(local) > MAX_LOCAL_OCTETS) return null;
  const spellings = [domain.domain, domain.asciiDomain ?? ''];
  if (spellings.some((one) => octets(local) + 1 + octets(one) > MAX_OCTETS)) return null;
  return { local, ...domain, smtpUtf8: !isAscii(local) };
}

type Domain = Pick<EmailAddress, 'domain' | 'asciiDomain'>;

const LDH_LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
/** Labels with hyphens that RFC 5891 § 4.2.3.1 forbids. An A-label that could not be decoded still has its `xn--`. */
const BAD_HYPHENS = /^$|^-|-$|^..--/u;

function readName(name: string, idna: Idna): Domain | null {
  if (/[^a-z\d.\-\u{80}-\u{10ffff}]/u.test(name)) return null;
  const ascii = isAscii(name) ? name : idna.toAscii(name);
  const unicode = isAscii(name) && !/(^|\.)xn--/.test(name) ? name : idna.toUnicode(ascii);
  const labels = ascii.split('.');
  if (!labels.every((label) => LDH_LABEL.test(label)) || unicode.split('.').some((label) => BAD_HYPHENS.test(label))) return null;
  return isTopLevel(labels.at(-1) ?? '', isAscii(name)) ? { domain: isAscii(name) ? ascii : unicode, asciiDomain: ascii } : null;
}

/**
 * Accepts an alphabetic last label or an A-label (RFC 3696 § 2), and a typed label of digits only, which RFC 5321 allows although no
 * such name exists. Rejects digits that normalisation produced: together they would form an IP address.
 */
const isTopLevel = (label: string, typed: boolean): boolean => /[a-z]$|^xn--/.test(label) || (typed && /^\d+$/.test(label));

const OCTET = '(?:25[0-5]|2[0-4]\\d|[01]?\\d?\\d)';
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
const IPV4_LITERAL = new RegExp(`^\\[${IPV4}\\]$`);
const IPV4_TAIL = new RegExp(`(?<=:)${IPV4}$`);

function readLiteral(text: string): Domain | null {
  const [, ipv6] = /^\[ipv6:([^\]]+)\]$/.exec(text) ?? [];
  return IPV4_LITERAL.test(text) || (ipv6 !== undefined && isIpv6(ipv6)) ? { domain: text, asciiDomain: null } : null;
}

/** True for an IPv6 address (RFC 4291 § 2.2). `::` may replace a single group, as older software writes it. */
function isIpv6(text: string): boolean {
  const halves = text.replace(IPV4_TAIL, '0:0').split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const counted = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length <= 7;
  return counted && groups.every((group) => /^[\da-f]{1,4}$/.test(group));
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
const octets = (text: string): number => Buffer.byteLength(text);

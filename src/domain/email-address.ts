/**
 * Internationalised domain names (UTS #46), handed in because this floor knows no packages. Both give `''` for a name that is none;
 * `toUnicode` leaves a label as it is where it cannot be read.
 */
export interface Idna {
  readonly toAscii: (name: string) => string;
  readonly toUnicode: (name: string) => string;
}

/** A well-formed address, in lower case and NFC. */
export interface EmailAddress {
  /** What is before the `@`, quotes included. */
  readonly local: string;
  /** What is after it: a name as people read it, or an address literal in its brackets. */
  readonly domain: string;
  /** The name as the DNS knows it (A-labels); null for an address literal. */
  readonly asciiDomain: string | null;
  /** True when the local part is not ASCII: only servers with SMTPUTF8 (RFC 6531) take it. */
  readonly smtpUtf8: boolean;
}

/** RFC 5321 § 4.5.3.1, as corrected by its erratum 1690: a path of 256 octets holds its two angle brackets. */
const MAX_OCTETS = 254;
const MAX_LOCAL_OCTETS = 64;

/** What no eye sees or no two readers read alike: controls, zero-width and bidirectional marks, blanks but the plain one, private use. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/u;
const ATOM = "(?!\\p{M})[\\w!#$%&'*+\\-/=?^`{|}~\\u{80}-\\u{10ffff}]+";
const QUOTED = '"(?:[^"\\\\]|\\\\[ -~])*"';
const SHAPE = new RegExp(`^(${ATOM}(?:\\.${ATOM})*|${QUOTED})@([^@]+)$`, 'u');

/**
 * One mailbox as RFC 5321 § 4.1.2 and RFC 6531 write it: dot-atom or quoted local part, name or address literal. What RFC 5322 adds
 * for message headers alone (comments, folding, obsolete forms, a display name) is not read, nor are blanks around trimmed.
 * Lengths count in UTF-8 octets, as typed, normalised and with A-labels. Null for anything else.
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
/** RFC 5891 § 4.2.3.1. An A-label still has its `xn--` where it could not be read. */
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
 * A last label is alphabetic or an A-label (RFC 3696 § 2). One of digits alone is RFC 5321 syntax still, though no such name exists;
 * but not where other digits were turned into it, which makes an IP address of them.
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

/** RFC 4291 § 2.2. `::` may stand for a single group, as older writers have it. */
function isIpv6(text: string): boolean {
  const halves = text.replace(IPV4_TAIL, '0:0').split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const counted = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length <= 7;
  return counted && groups.every((group) => /^[\da-f]{1,4}$/.test(group));
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
const octets = (text: string): number => Buffer.byteLength(text);

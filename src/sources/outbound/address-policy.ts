import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Dns, DnsFailure } from '../dns/dns.ts';
import { badUrl, failure } from './outbound.ts';

/** A parsed CIDR network. */
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** True for `10.0.0.0/8` and `fd00::/8`, false for `10/8` and `10.0.0.0/99`. */
export const isNetwork = (text: string): boolean => isIP(text.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(text);

/** @throws Error for an invalid network */
export const readNetwork = (cidr: string): Network => ipaddr.parseCIDR(cidr);

/** Address of Azure's "wire server", which is public but leads into the host's own network. */
const CLOUD_WIRE_SERVER = '168.63.129.16';
/** The only range assigned to IPv6 hosts. All other addresses are reserved, mapped or local. */
const IPV6_UNICAST = ipaddr.parseCIDR('2000::/3');

/** True for a globally routable unicast address; false for an invalid or special-purpose one. */
export function isGloballyRoutable(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv6' ? parsed.match(IPV6_UNICAST) : parsed.toString() !== CLOUD_WIRE_SERVER;
}

export function isWithin(networks: readonly Network[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network));
}

/** Decides which addresses may be connected to for a URL. */
interface AddressPolicy {
  /** Checks without a DNS lookup. @throws OutboundFailure `bad_url`, `blocked_destination` */
  check(url: URL): void;
  /**
   * Resolves the name once and checks every address.
   * @param publicHttp false: plain http is accepted for allowed networks only
   * @throws OutboundFailure also `no_such_name`, `dns_failed`
   */
  admit(url: URL, publicHttp: boolean): Promise<readonly string[]>;
}

const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
const LOOPBACK = ['127.0.0.1', '::1'];

export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

export function createAddressPolicy(dns: Dns, allowed: readonly Network[]): AddressPolicy {
  const isAllowed = (address: string): boolean => isWithin(allowed, address);
  const mayDial = (address: string, port: number): boolean => isAllowed(address) || (isGloballyRoutable(address) && PORTS.has(port));

  function check(url: URL): void {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw badUrl('The address must begin with https:// or http://.');
    if (url.username || url.password) throw badUrl('The address must not contain a user name or password.');
    const host = hostOf(url);
    if (isIP(host) ? isAllowed(host) : allowed.length > 0) return; // names are checked by their addresses
    if (isIP(host) ? !isGloballyRoutable(host) : isLocalName(host)) throw failure('blocked_destination', `${host} is not public`);
    if (!PORTS.has(portOf(url))) throw badUrl(`The port must be one of ${[...PORTS].join(', ')}.`);
  }

  async function addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host)) return [host];
    if (isLocalhost(host)) return LOOPBACK.filter(isAllowed);
    try {
      return (await dns.addresses(host)).records;
    } catch (cause) {
      const known = cause instanceof DnsFailure && cause.kind === 'bad_name';
      throw failure(known ? 'no_such_name' : 'dns_failed', cause);
    }
  }

  return {
    check,
    async admit(url, publicHttp) {
      check(url);
      const host = hostOf(url);
      const addresses = await addressesOf(host);
      if (addresses.length === 0) throw failure(isLocalhost(host) ? 'blocked_destination' : 'no_such_name', `${host} has no address`);
      const refused = addresses.find((address) => !mayDial(address, portOf(url)));
      if (refused) throw failure('blocked_destination', `${host} leads to ${refused}, port ${portOf(url)}`);
      if (url.protocol === 'http:' && !publicHttp && !addresses.every(isAllowed)) throw badUrl('The address must begin with https://.');
      return addresses;
    },
  };
}

/** Returns the host for DNS and sockets, without brackets and final dot. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '');

const isLocalhost = (host: string): boolean => /(^|\.)localhost$/.test(host);
/** True for a name that resolves on the local network only: `localhost`, or a name of a single label. */
const isLocalName = (host: string): boolean => isLocalhost(host) || !host.includes('.');

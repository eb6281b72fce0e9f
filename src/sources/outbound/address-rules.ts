import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A network in CIDR form, read. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** True for `10.0.0.0/8` and `fd00::/8`, false for `10/8` and `10.0.0.0/99`. */
export const isNetwork = (text: string): boolean => isIP(text.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(text);

/** @throws Error for what is no network */
export const readNetwork = (cidr: string): Network => ipaddr.parseCIDR(cidr);

/** The virtual "wire server" of a large cloud: a public number that leads into the host's own network. */
const CLOUD_WIRE_SERVER = '168.63.129.16';
/** All that has been given out for IPv6 hosts; the rest of the space is reserved, mapped or local. */
const IPV6_UNICAST = ipaddr.parseCIDR('2000::/3');

/** True for an address that the whole internet can reach. What cannot be read, or has a special purpose, is not. */
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

import { isIPv6 } from 'node:net';

/** Address of a name server. */
export interface Server {
  readonly host: string;
  readonly port: number;
}

const DNS_PORT = 53;
const BRACKETED = /^\[([^\]]+)\](?::(\d{1,5}))?$/;
const PLAIN = /^([a-z\d][a-z\d.-]*)(?::(\d{1,5}))?$/i;

/** `1.1.1.1`, `dns.local:53`, `[::1]:5353` or `::1` → host and port; null for anything else. */
export function readServer(text: string): Server | null {
  if (isIPv6(text)) return { host: text, port: DNS_PORT };
  const [, host = '', port = DNS_PORT] = BRACKETED.exec(text) ?? PLAIN.exec(text) ?? [];
  const usable = host !== '' && (!text.startsWith('[') || isIPv6(host)) && Number(port) > 0 && Number(port) < 0x10000;
  return usable ? { host, port: Number(port) } : null;
}

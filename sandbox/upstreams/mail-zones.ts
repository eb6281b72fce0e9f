import { domainToASCII } from 'node:url';
import { chileanCompanies } from '../world/chile/world.ts';
import type { DnsRecord, DnsZone } from '../world/dns-zone.ts';
import { sites } from '../world/sites.ts';

const mx = (...hosts: readonly string[]): DnsRecord[] => hosts.map((host, i) => ({ type: 'MX', preference: 10 * (i + 1), host }));
const zone = (name: string, ...records: DnsRecord[]): DnsZone => ({ name, records });

/** Mailbox providers, with the names of their real mail servers. */
const providers: readonly DnsZone[] = [
  zone(
    'gmail.com',
    { type: 'MX', preference: 10, host: 'alt1.gmail-smtp-in.l.google.com' },
    { type: 'MX', preference: 20, host: 'alt2.gmail-smtp-in.l.google.com' },
    { type: 'MX', preference: 5, host: 'gmail-smtp-in.l.google.com' },
  ),
  ...['hotmail.com', 'outlook.com', 'live.com', 'hotmail.cl', 'live.cl', 'hotmail.es', 'hotmail.com.br'].map((name) =>
    zone(name, ...mx(`${name.replaceAll('.', '-')}.olc.protection.outlook.com`)),
  ),
  ...['yahoo.com', 'yahoo.cl', 'yahoo.com.br'].map((name) => zone(name, ...mx('mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net'))),
  ...['icloud.com', 'uol.com.br', 'bol.com.br', 'terra.com.br', 'vtr.net', 'une.net.co'].map((name) => zone(name, ...mx(`mx.${name}`))),
  ...['mailinator.com', 'guerrillamail.com', 'yopmail.com'].map((name) => zone(name, ...mx(`mail.${name}`))),
];

/** One fictional domain for each result of a mail lookup. */
const scenarios: readonly DnsZone[] = [
  zone('sinmx-ficticia.cl', { type: 'A', address: '203.0.113.25' }),
  zone('sinmx-ficticia.com.br', { type: 'AAAA', address: '2001:db8::25' }),
  zone('correonulo-ficticia.cl', { type: 'MX', preference: 0, host: '.' }, { type: 'A', address: '203.0.113.26' }),
  zone('privada-ficticia.cl', { type: 'A', address: '10.0.0.25' }),
  zone('noenvia-ficticia.cl', { type: 'A', address: '203.0.113.27' }, { type: 'TXT', text: 'v=spf1 -all' }),
  zone('vacia-ficticia.cl', { type: 'TXT', text: 'sin correo ni sitio' }),
  zone('mxinexistente-ficticia.cl', { type: 'MX', preference: 10, host: 'correo.noexiste-ficticia.cl' }),
  zone('alias-ficticia.cl', { type: 'CNAME', host: 'gmail.com' }),
  zone('example.com', { type: 'MX', preference: 0, host: '.' }, { type: 'A', address: '203.0.113.28' }),
  { name: 'servfail-ficticia.cl', records: [], failure: 'servfail' },
  { name: 'refused-ficticia.cl', records: [], failure: 'refused' },
  { name: 'timeout-ficticia.cl', records: [], failure: 'silent' },
];

const isMx = ({ type }: DnsRecord): boolean => type === 'MX';
const domains = new Set([
  ...chileanCompanies.flatMap(({ domain }) => (domain === null ? [] : domainToASCII(domain))),
  ...sites.map(({ domain }) => domain),
]);

/** Zones of the websites. Each has mail at one of two providers, unless its site has MX records of its own. */
const companies: readonly DnsZone[] = [...domains]
  .filter((name) => !sites.some(({ domain, records }) => domain === name && records?.some(isMx)))
  .map((name, i) => zone(name, ...mx(i % 2 === 0 ? 'aspmx.l.google.com' : `${name.replaceAll('.', '-')}.mail.protection.outlook.com`)));

const hosts = new Set(
  [...providers, ...companies, ...sites].flatMap(({ records = [] }) => records.flatMap((one) => (one.type === 'MX' ? one.host : []))),
);

/** Zones of the mail servers, each with an address. */
const mailServers: readonly DnsZone[] = [...hosts].map((host) => zone(host, { type: 'A', address: '203.0.113.30' }));

/** Mail zones of the sandbox's name server. Any other name does not exist. */
export const mailZones: readonly DnsZone[] = [...providers, ...scenarios, ...companies, ...mailServers];

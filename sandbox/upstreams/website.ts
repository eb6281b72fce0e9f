import type { DnsZone } from '../world/dns-zone.ts';
import { page, type SandboxPage, type SandboxSite, sites } from '../world/sites.ts';
import type { Published, SimulatedReply, Simulator } from './simulator.ts';

const byDomain = new Map(sites.map((site) => [site.domain, site]));

/** Serves the fictional websites on one port: the first segment of the path is the requested host. */
export const websiteSimulator: Simulator = {
  name: 'website',
  handle({ path }) {
    const [, host = '', rest = ''] = /^\/([^/]*)([\s\S]*)$/.exec(path) ?? [];
    const site = byDomain.get(host.replace(/^www\./, ''));
    if (!site) return { status: 404, headers: { 'content-type': 'text/plain' }, body: `No made-up site is called ${host}.\n` };
    return replyOf(site.pages[rest || '/'] ?? NO_PAGE);
  },
};

const NO_PAGE: SandboxPage = { status: 404, html: page('No encontrada', '<h1>Página no encontrada</h1>') };

function replyOf({ html = '', body, status = 200, headers = {}, charset = 'utf-8' }: SandboxPage): SimulatedReply {
  return { status, headers: { 'content-type': `text/html; charset=${charset}`, ...headers }, body: body ?? published(html, charset) };
}

const published = (html: string, charset: Published['charset']): Published => ({
  format: 'html',
  rows: html.split('\n'),
  frame: (rows) => rows.join('\n'),
  renameRequired: (text) => text.replaceAll('<title', '<titulo').replaceAll('</title', '</titulo'),
  charset,
});

/** Zones of the sites: loopback, each under its own name and under `www.` */
export const siteZones: readonly DnsZone[] = sites.map(({ domain, records = [] }: SandboxSite) => ({
  name: domain,
  records: [{ type: 'A', address: '127.0.0.1' }, { name: `www.${domain}`, type: 'CNAME', host: domain }, ...records],
}));

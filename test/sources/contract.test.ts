import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SourceName, TIME_BUDGETS } from '../../src/domain/catalogue.ts';
import { modules } from '../../src/modules/index.ts';
import type { TenderSearch } from '../../src/modules/tenders/domain.ts';
import { mercadopublico } from '../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../../src/modules/tenders/sources/pncp/pncp.ts';
import { secopii } from '../../src/modules/tenders/sources/secopii/secopii.ts';
import { createDns } from '../../src/sources/dns/client.ts';
import { dns } from '../../src/sources/dns-source.ts';
import { rdap } from '../../src/sources/domains/rdap.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { isRegistrySource } from '../../src/sources/registry/registry.ts';
import { rues } from '../../src/sources/rues/rues.ts';
import { type DnsReply, SERVFAIL, startDnsServer } from '../support/dns-server.ts';
import { memoryLog } from '../support/log.ts';
import { describeUpstreamFaults, FAULTS, type Fault, type Outcome, outcome } from '../support/upstream-faults.ts';
import { type SiteReply, testSites } from './website/sites.ts';

/**
 * The contract of every live source: an upstream that fails, in whatever way, is a failed source. It is never an absence ("no such
 * company", an empty list) and never another error. A live source is tested here, or beside its module by `describeUpstreamFaults`; a
 * source without such a test fails the first test.
 */

/** Copies other than lists, which answer from Postgres and not from the upstream. Their tests damage the files that they load. */
const COPIES: readonly SourceName[] = ['sii', 'cl_ownership', 'known_domains'];

/** Sources that are tested below in their own way, because they are not called by the HTTP client. */
const OTHER_PROTOCOLS: readonly SourceName[] = ['dns', 'website'];

const root = path.resolve(import.meta.dirname, '../..');
const camelCase = (name: string): string => name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const search = (country: TenderSearch['country']): TenderSearch => ({ country, keyword: 'agua', from: null, to: null });

describe('the contract of live sources', () => {
  it('covers every source of every module', () => {
    const tests = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).map((file) =>
      readFileSync(path.join(root, file), 'utf8'),
    );
    const tested = new Set(
      tests.flatMap((text) => [...text.matchAll(/^\s*describeUpstreamFaults\((\w+)/gm)].map(([, constant]) => constant)),
    );
    const live = modules
      .flatMap(({ sources }) => sources)
      .filter((source) => !isRegistrySource(source) && ![...COPIES, ...OTHER_PROTOCOLS].includes(source.name));
    expect(live.map(({ name }) => name)).not.toEqual([]);
    expect(live.map(({ name }) => name).filter((name) => !tested.has(camelCase(name)))).toEqual([]);
    expect(live.map(({ name }) => name).filter((name) => !(name in TIME_BUDGETS))).toEqual([]);
  });

  describeUpstreamFaults(receitaFederal, (source) => source.company('11222333000181'));
  describeUpstreamFaults(rues, (source) => source.companies(['9009647055']));
  describeUpstreamFaults(rdap, (source) => source.registrant('exemplo.com.br'));
  describeUpstreamFaults(secopii, (source) => source.search(search('CO')));
  describeUpstreamFaults(pncp, (source) => source.search(search('BR')));
  describeUpstreamFaults(mercadopublico, (source) => source.search(search('CL')));

  // Apart from the concurrent ones, because their upstreams close when the current test ends.
  it.each(FAULTS)('the name service is a failed source when it %s', { timeout: 30_000 }, async (fault) => {
    expect(await overDns(fault)).toBe('SOURCE_UNAVAILABLE');
  });

  it.each(FAULTS)('a website is not read when it %s', { timeout: 30_000 }, async (fault) => {
    expect(await overWebsite(fault)).toBe('SOURCE_UNAVAILABLE');
  });
});

const DNS_FAULTS: Readonly<Record<Fault, DnsReply>> = {
  'answers 500': { rcode: SERVFAIL },
  // A name server has no 404; a referral to other servers is the reply that is easily taken for an absence.
  'answers a 404 that is no absence': { authorities: [{ type: 'NS', name: 'cl', ttl: 60, data: 'a.nic.cl' }] },
  'sends half a body': Buffer.from([0x81, 0x80, 0, 1, 0, 1]),
  'sends another format': Buffer.from('<html>maintenance</html>'),
  'sends another type': { type: 'query' },
  hangs: 'silence',
};

async function overDns(fault: Fault): Promise<Outcome> {
  const { address, close } = await startDnsServer(() => DNS_FAULTS[fault]);
  const client = createDns({ servers: [address], now: Date.now, log: memoryLog().log });
  const instance = dns.create({ dns: client } as Parameters<typeof dns.create>[0]);
  return outcome(instance.mx('empresa.cl')).finally(close);
}

const SITE_FAULTS: Readonly<Record<Fault, SiteReply>> = {
  'answers 500': { status: 500 },
  'answers a 404 that is no absence': { status: 404, body: 'not here' },
  'sends half a body': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' });
    response.write('<html>', () => response.socket?.destroy());
  },
  'sends another format': { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7' },
  'sends another type': { headers: { 'content-encoding': 'gzip' }, body: 'not gzip' },
  hangs: () => undefined,
};

/** A site's answer is data, so this source returns the fault as the kind of the page's outcome: anything but a page or "no such name". */
async function overWebsite(fault: Fault): Promise<Outcome> {
  const { website } = await testSites({ 'sitio.cl/': SITE_FAULTS[fault] });
  const { entry } = await website.open('sitio.cl');
  return entry.kind === 'page' || entry.kind === 'no_such_name' ? { returned: entry } : 'SOURCE_UNAVAILABLE';
}

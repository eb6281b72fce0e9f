import { describe, expect, it } from 'vitest';
import type { SourceName } from '../../src/domain/catalogue.ts';
import { modules } from '../../src/modules/index.ts';
import type { TenderSearch } from '../../src/modules/tenders/domain.ts';
import { mercadopublico } from '../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../../src/modules/tenders/sources/pncp/pncp.ts';
import { secopii } from '../../src/modules/tenders/sources/secopii/secopii.ts';
import { createDns } from '../../src/sources/dns/client.ts';
import { dns } from '../../src/sources/dns-source.ts';
import { rdap } from '../../src/sources/domains/rdap.ts';
import { createHttpClient } from '../../src/sources/http/client.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import type { Source, SourceInstance } from '../../src/sources/source.ts';
import { type DnsReply, SERVFAIL, startDnsServer } from '../support/dns-server.ts';
import { memoryLog } from '../support/log.ts';
import { type Reply, startUpstream } from '../support/upstream.ts';
import { type SiteReply, testSites } from './website/sites.ts';

/**
 * The contract of every live source: an upstream that fails, in whatever way, is a failed source. It is never an absence ("no such
 * company", an empty list) and never another error. A source without an entry here fails the first test.
 */

/** The ways in which an upstream fails. */
const FAULTS = [
  'answers 500',
  'answers a 404 that is no absence',
  'sends half a body',
  'sends another format',
  'sends another type',
  'hangs',
] as const;
type Fault = (typeof FAULTS)[number];

/** What the caller gets: the code of the error, or the value that was returned in spite of the fault. */
type Outcome = string | { readonly returned: unknown };

const LIVE: Partial<Record<SourceName, (fault: Fault) => Promise<Outcome>>> = {
  receita_federal: overHttp(receitaFederal, (source) => source.company('11222333000181')),
  rdap: overHttp(rdap, (source) => source.registrant('exemplo.com.br')),
  secopii: overHttp(secopii, (source) => source.search(search('CO'))),
  pncp: overHttp(pncp, (source) => source.search(search('BR'))),
  mercadopublico: overHttp(mercadopublico, (source) => source.search(search('CL'))),
  dns: overDns,
};

/** Sources that answer from Postgres, not from the upstream. Their tests damage the files that they load. */
const FROM_POSTGRES: readonly SourceName[] = [
  'sii',
  'known_domains',
  'TAX_DEBTORS_CL',
  'CEIS',
  'CNEP',
  'TRABALHO_ESCRAVO',
  'OFAC_SDN',
  'UN_CONSOLIDATED',
];

describe('the contract of live sources', () => {
  it('covers every source of every module', () => {
    const names = new Set(modules.flatMap(({ sources }) => sources.map(({ name }) => name)));
    expect([...names].sort()).toEqual([...Object.keys(LIVE), 'website', ...FROM_POSTGRES].sort());
  });

  describe.concurrent.each(Object.entries(LIVE))('%s', (_, outcomeOf) => {
    it.each(FAULTS)('is a failed source when its upstream %s', { timeout: 30_000 }, async (fault) => {
      expect(await outcomeOf(fault)).toBe('SOURCE_UNAVAILABLE');
    });
  });

  // Apart from the concurrent ones, because its upstream closes when the current test ends.
  it.each(FAULTS)('a website is not read when it %s', { timeout: 30_000 }, async (fault) => {
    expect(await overWebsite(fault)).toBe('SOURCE_UNAVAILABLE');
  });
});

const search = (country: TenderSearch['country']): TenderSearch => ({ country, keyword: 'agua', from: null, to: null });

const HTTP_FAULTS: Readonly<Record<Fault, Reply>> = {
  'answers 500': { status: 500, body: 'Internal Server Error' },
  'answers a 404 that is no absence': { status: 404, body: '<html><title>404 Not Found</title></html>' },
  'sends half a body': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"cnpj":', () => response.socket?.destroy());
  },
  'sends another format': { headers: { 'content-type': 'text/html' }, body: '<html><title>Maintenance</title></html>' },
  'sends another type': { body: 'null' },
  hangs: () => undefined,
};

/** A source whose URL settings all lead to one faulty upstream. Its clock runs, so that its own deadlines end a call that hangs. */
function overHttp<S extends SourceInstance>(source: Source<S>, call: (instance: S) => Promise<unknown>) {
  return async (fault: Fault): Promise<Outcome> => {
    const { url, close } = await startUpstream(() => HTTP_FAULTS[fault]);
    const { log } = memoryLog();
    const never = (): never => {
      throw new Error('a live call needs no database, no site and no name server');
    };
    const instance = source.create({
      address: () => ({ url, origin: 'given' }),
      setting: (name) => source.settings?.[name]?.sandbox ?? source.settings?.[name]?.fallback ?? '',
      http: ({ concurrency = 16 } = {}) => createHttpClient({ source: source.name, concurrency, now: Date.now, random: () => 0, log }),
      get outbound(): never {
        return never();
      },
      get dns(): never {
        return never();
      },
      db: Object.assign(never, { raw: never }) as never,
      now: Date.now,
      random: () => 0,
      log,
      tempDir: '',
    });
    return outcome(call(instance)).finally(() => Promise.all([instance.close?.(), close()]));
  };
}

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

const outcome = (call: Promise<unknown>): Promise<Outcome> =>
  call.then(
    (returned) => ({ returned }),
    (error: Error & { code?: string }) => error.code ?? String(error),
  );

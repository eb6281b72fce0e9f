import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type SourceName, TIME_BUDGETS } from '../../src/domain/catalogue.ts';
import type { TenderSearch } from '../../src/modules/tenders/domain.ts';
import { mercadopublico } from '../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../../src/modules/tenders/sources/pncp/pncp.ts';
import { secopii } from '../../src/modules/tenders/sources/secopii/secopii.ts';
import { rdap } from '../../src/sources/domains/rdap.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import type { Source, SourceInstance } from '../../src/sources/source.ts';
import { testSites } from '../sources/website/sites.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { type Reply, upstream } from '../support/upstream.ts';
import { createLiveSource, type Outcome, outcome } from '../support/upstream-faults.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const RETRY_DATE = () => new Date(Date.now() + 120_000).toUTCString();

/** Faults of an upstream that answers. */
const ANSWERS: Readonly<Record<string, Reply>> = {
  'silence before headers': () => undefined,
  'silence after headers': (_, response) => response.writeHead(200, JSON_TYPE).flushHeaders(),
  'a byte a second': (_, response) => {
    response.writeHead(200, JSON_TYPE);
    const dripping = setInterval(() => response.write(' '), 1_000);
    response.on('close', () => clearInterval(dripping));
  },
  'a reset of the connection': ({ socket }) => void socket.resetAndDestroy(),
  'a reset in mid-body': ({ socket }, response) => void response.writeHead(200, JSON_TYPE).write('[{"', () => socket.resetAndDestroy()),
  'status 500': { status: 500, body: '' },
  'status 503 with Retry-After': { status: 503, headers: { 'retry-after': '120' }, body: '' },
  'status 429 with seconds': { status: 429, headers: { 'retry-after': '120' }, body: '' },
  'status 429 with a date': (_, response) => void response.writeHead(429, { 'retry-after': RETRY_DATE() }).end(),
  'status 404 with HTML': { status: 404, body: '<html><title>404 Not Found</title></html>' },
  'a maintenance page': { body: '<html><title>Maintenance</title></html>' },
  'a body shorter than Content-Length': ({ socket }, response) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-length': '99' }).write('[{"', () => socket.end()),
  'a body cut inside the JSON': (_, response) => void response.writeHead(200, { ...JSON_TYPE, connection: 'close' }).end('[{"cnpj":'),
  'malformed JSON': { headers: JSON_TYPE, body: '[{]' },
  'JSON of another shape': { headers: JSON_TYPE, body: '{}' },
  'a gzip bomb': { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(200 * MIB)) },
  'corrupt gzip': {
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip', connection: 'close' },
    body: gzipSync('[{"cnpj":"11222333000181"}]').fill(7, 12),
  },
  'a wrong charset': { headers: { 'content-type': 'application/json; charset=utf-8' }, body: Buffer.from('[{"nome":"São"}]', 'utf16le') },
  'an endless body': (_, response) => {
    response.writeHead(200, JSON_TYPE);
    const chunk = ' '.repeat(64 * 1024);
    const pour = (): void => {
      while (response.write(chunk));
      response.once('drain', pour);
    };
    pour();
  },
  'headers of 70 kB': { headers: { ...JSON_TYPE, 'x-long': 'x'.repeat(70_000) }, body: [] },
};

/** Faults of the connection, by the address that has them instead of `url`; and the address of a site that has them. */
const CONNECTIONS: Readonly<Record<string, { readonly source: (url: string) => string; readonly site: string | URL }>> = {
  'a refused connection': { source: () => 'http://127.0.0.1:1', site: new URL('http://127.0.0.2/') },
  'a name that does not resolve': { source: () => 'http://no-such-host.invalid', site: 'no-such-host.cl' },
  'a failed TLS handshake': { source: (url) => url.replace('http:', 'https:'), site: new URL('https://sitio.cl/') },
};

const search = (country: TenderSearch['country']): TenderSearch => ({ country, keyword: 'agua', from: null, to: null });

/** Calls every live source with an HTTP API at one address. */
const callEach = (url: string): readonly Promise<Outcome>[] => [
  call(receitaFederal, url, (source) => source.company('11222333000181')),
  call(rdap, url, (source) => source.registrant('exemplo.com.br')),
  call(secopii, url, (source) => source.search(search('CO'))),
  call(pncp, url, (source) => source.search(search('BR'))),
  call(mercadopublico, url, (source) => source.search(search('CL'))),
];

async function call<S extends SourceInstance>(source: Source<S>, url: string, ask: (instance: S) => Promise<unknown>): Promise<Outcome> {
  const instance = createLiveSource(source, url);
  return withinBudget(source.name, outcome(ask(instance))).finally(() => instance.close?.());
}

/** A wait that is longer than the time budget shows in a full run, which has the machine for itself. */
async function withinBudget<T>(source: SourceName, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  const budgetMs = TIME_BUDGETS[source as keyof typeof TIME_BUDGETS];
  if (isFull) expect(performance.now() - startedAt, source).toBeLessThanOrEqual(budgetMs + 250);
  return result;
}

const FAULTS = [...Object.keys(ANSWERS), ...Object.keys(CONNECTIONS)];
const SOME = FAULTS.slice(0, rounds(FAULTS.length));

describe('UP-01 every source that is called over HTTP', () => {
  it.each(SOME)(
    'UP-01 settles as a failed source, in a full run within its time budget, and leaves no request open, after %s',
    async (fault) => {
      const server = await upstream(() => ANSWERS[fault] ?? { body: [] });
      const address = CONNECTIONS[fault]?.source(server.url) ?? server.url;
      const outcomes = await Promise.all(callEach(address));
      expect(outcomes).toEqual(outcomes.map(() => 'SOURCE_UNAVAILABLE'));
      await expect.poll(server.open, { timeout: 1_000 }).toBe(0);
    },
    60_000,
  );

  it.each(SOME)(
    'UP-01 ends the reading of a website, in a full run within its time budget, after %s',
    async (fault) => {
      const reply = ANSWERS[fault] ?? { body: '' };
      const { website } = await testSites({
        'sitio.cl/':
          typeof reply === 'function'
            ? reply
            : (_, response) => {
                const { status = 200, headers, body } = reply;
                response.writeHead(status, headers).end(Buffer.isBuffer(body) ? body : String(body));
              },
      });
      await withinBudget('website', website.open(CONNECTIONS[fault]?.site ?? 'sitio.cl'));
    },
    60_000,
  );
});

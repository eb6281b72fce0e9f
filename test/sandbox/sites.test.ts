import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/server/server.ts';
import { siteZones, websiteSimulator } from '../../sandbox/upstreams/website.ts';
import { sites } from '../../sandbox/world/sites.ts';
import { createDns } from '../../src/sources/dns/client.ts';
import { createOutboundClient } from '../../src/sources/outbound/client.ts';
import type { OutboundFailure } from '../../src/sources/outbound/outbound.ts';
import { pageText } from '../../src/sources/website/page.ts';
import { memoryLog } from '../support/log.ts';

/** The simulated websites, and a client that reaches them as sandbox mode does. */
async function setup() {
  const { log } = memoryLog();
  const sandbox = await startSandbox({ simulators: [websiteSimulator], zones: siteZones });
  onTestFinished(() => sandbox.close());
  const dns = createDns({ servers: [sandbox.dns], now: Date.now, log });
  const ports = new Map([80, 443].map((port) => [port, Number(new URL(sandbox.url).port)]));
  const client = createOutboundClient({ dns, allow: ['127.0.0.0/8'], log, ports });
  onTestFinished(() => client.close());
  return { sandbox, get: (url: string) => client.request({ url: new URL(url) }) };
}

describe('a made-up website', () => {
  it('answers under its domain and under www., in the charset that it declares', async () => {
    const { get, sandbox } = await setup();
    for (const host of ['pagina-sencilla.cl', 'www.pagina-sencilla.cl']) {
      const answer = await get(`http://${host}/?utm=1`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, ['text/html; charset=windows-1252']]);
      expect(pageText(answer)).toContain('<h1>Ñuñoa en línea</h1>');
      expect(answer.body.includes(0xd1)).toBe(true);
    }
    expect(sandbox.requestsTo('website')).toEqual(['/pagina-sencilla.cl/', '/www.pagina-sencilla.cl/']);
  });

  it('answers 404 with a page for an unknown path, and can redirect to another website', async () => {
    const { get } = await setup();
    const missing = await get('http://pagina-sencilla.cl/nada');
    expect([missing.status, pageText(missing).includes('<title>No encontrada</title>')]).toEqual([404, true]);
    expect((await get('http://mudado-ficticio.cl/')).url.href).toBe('http://pagina-sencilla.cl/');
  });

  it('fails over https with a TLS error', async () => {
    const { get } = await setup();
    expect(await get('https://pagina-sencilla.cl/').catch(({ kind }: OutboundFailure) => kind)).toBe('tls');
  });

  it('is available by path, and answers 404 for an unknown domain', async () => {
    const { sandbox } = await setup();
    const get = async (path: string) => (await fetch(sandbox.url + path)).status;
    expect(await Promise.all(['/website/pagina-sencilla.cl/', '/website/nadie.cl/', '/website/'].map(get))).toEqual([200, 404, 404]);
  });

  it('does not serve the control API', async () => {
    const { get, sandbox } = await setup();
    expect((await get('http://pagina-sencilla.cl/_control/faults')).status).toBe(404);
    expect((await fetch(`${sandbox.url}/_control/faults`)).status).toBe(200);
  });

  it('applies the failure modes to its text and its connections', async () => {
    const { get, sandbox } = await setup();
    const kindOf = (url: string) =>
      get(url).then(
        ({ status }) => status,
        ({ kind }: OutboundFailure) => kind,
      );
    const textUnder = async (mode: 'malformed' | 'wrong_shape' | 'wrong_columns' | 'wrong_charset') => {
      sandbox.faults.set('website', { mode });
      const { body } = await get('http://pagina-sencilla.cl/');
      return body.toString();
    };
    expect(await textUnder('malformed')).toContain('<!--');
    expect(await textUnder('wrong_shape')).toContain('Dominio en venta');
    expect(await textUnder('wrong_columns')).toContain('<titulo>');
    expect(await textUnder('wrong_charset')).toContain('Ñuñoa');
    sandbox.faults.set('website', { mode: 'down', match: '/pagina-sencilla.cl/contacto' });
    expect(await Promise.all([kindOf('http://pagina-sencilla.cl/contacto'), kindOf('http://pagina-sencilla.cl/')])).toEqual([
      'connection',
      200,
    ]);
  });

  it('has a unique domain in lower case without www.', () => {
    const domains = sites.map(({ domain }) => domain);
    expect(new Set(domains).size).toBe(domains.length);
    expect(domains.filter((domain) => domain !== domain.toLowerCase() || domain.startsWith('www.'))).toEqual([]);
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createDns } from '../../../src/sources/dns/client.ts';
import { createOutboundClient } from '../../../src/sources/outbound/client.ts';
import { type Website, website } from '../../../src/sources/website/website.ts';
import { dnsServer, NXDOMAIN, zoneReply } from '../../support/dns-server.ts';
import { memoryLog } from '../../support/log.ts';
import { upstream } from '../../support/upstream.ts';

/** What a site answers: HTML, a status with headers, or full control. */
export type SiteReply = string | SiteAnswer | ((request: IncomingMessage, response: ServerResponse) => void);
export interface SiteAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface TestSites {
  readonly website: Website;
  /** `host/path` of every request, in order. */
  readonly asked: readonly string[];
  /** Of the one port they all live on. */
  readonly port: number;
  readonly dns: string;
}

/**
 * Websites on loopback for one test, by `host/path`, each host known to a name server of the test's own; a path that is not there is
 * 404, a host that is not there does not exist. Plain http only: https fails its handshake, as it does in the sandbox.
 */
export async function testSites(pages: Readonly<Record<string, SiteReply>>): Promise<TestSites> {
  const asked: string[] = [];
  const server = await upstream(() => (request, response) => {
    const name = `${request.headers.host?.replace(/:\d+$/, '')}${request.url}`;
    asked.push(name);
    const reply = pages[name] ?? { status: 404, body: 'no such page' };
    if (typeof reply === 'function') return reply(request, response);
    const { status = 200, headers = {}, body = '' } = typeof reply === 'string' ? { body: reply } : reply;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  const port = Number(new URL(server.url).port);
  const hosts = new Set(Object.keys(pages).map((name) => name.split('/')[0] ?? ''));
  const zone = zoneReply(Object.fromEntries([...hosts].map((host) => [host, [{ type: 'A', data: '127.0.0.1' }]])));
  const dns = await dnsServer((question, nth) => (hosts.has(question.name) ? zone(question, nth) : { rcode: NXDOMAIN }));
  return { website: sourceOn(dns.address, port), asked, port, dns: dns.address };
}

function sourceOn(server: string, port: number): Website {
  const { log } = memoryLog();
  const dns = createDns({ servers: [server], now: Date.now, log });
  const outbound = createOutboundClient({ dns, allow: ['127.0.0.0/8'], log, ports: new Map([80, 443].map((from) => [from, port])) });
  onTestFinished(() => outbound.close());
  const never = (): never => {
    throw new Error('a website needs none of this');
  };
  return website.create({
    address: never,
    setting: never,
    http: never,
    outbound,
    dns,
    get db(): never {
      return never();
    },
    now: Date.now,
    random: () => 0,
    log,
    tempDir: '',
  });
}

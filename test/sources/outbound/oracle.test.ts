import { describe, expect, it } from 'vitest';
import { dnsServer, zoneReply } from '../../support/dns-server.ts';
import { canary, dnsOf, listener, outbound, PRIVATE, PUBLIC } from './support.ts';

describe('SS-06 a refusal', () => {
  it('is reported like any other failure: no address, no state of a port, no banner, no body', async () => {
    const inside = await canary({ host: PRIVATE });
    const banner = await listener((socket) => socket.end('220 mail.internal ESMTP\r\n'));
    const silent = await listener(() => undefined);
    const names = await dnsServer(zoneReply({ 'inside.cl': [{ type: 'A', data: PRIVATE }] }));
    const { get, lines } = outbound({ dns: dnsOf(names.address) });
    const urls = [
      `http://${PRIVATE}:${inside.port}/`, // refused, something listens
      `http://${PRIVATE}:1/`, // refused, nothing listens
      `http://inside.cl:${inside.port}/`,
      'http://no-such-name.cl/',
      `http://${PUBLIC}:1/`, // closed
      `http://${PUBLIC}:${silent.port}/`, // filtered
      `http://${PUBLIC}:${banner.port}/`, // open
      `https://${PUBLIC}:${banner.port}/`,
    ];
    const failures = await Promise.all(urls.map((url) => get(url, { deadlineMs: 3_000 }).then(String, String)));
    expect(new Set(failures)).toEqual(new Set(['OutboundFailure: The address could not be fetched.']));
    expect(inside.contacts()).toBe(0);
    expect(lines.map(({ kind }) => kind).sort()).toEqual([
      'blocked_destination',
      'blocked_destination',
      'blocked_destination',
      'connection',
      'connection',
      'no_such_name',
      'timeout',
      'tls',
    ]);
  });
});

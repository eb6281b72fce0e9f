import { describe, expect, it } from 'vitest';
import { isGloballyRoutable, isNetwork, isWithin, readNetwork } from '../../../src/sources/outbound/address-policy.ts';
import { dnsServer } from '../../support/dns-server.ts';
import { canary, dnsOf, outbound } from './support.ts';

const REFUSED = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1 127.0.1.1 127.255.255.254
169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1
192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::127.0.0.1
::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1
2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:c0a8:1::1 3fff::1 5f00::1
fc00::1 fd00:ec2::254 fd7a:115c:a1e0::1 fe80::1 febf:ffff::1 fec0::1 ff02::1 ff0e::1`.split(/\s+/);

const ROUTABLE = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255
169.255.0.1 172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001::1`.split(/\s+/);

const isV6 = (address: string): boolean => address.includes(':');
const urlOf = (address: string): string => `http://${isV6(address) ? `[${address}]` : address}/`;

describe('SS-01 an address that is not the whole internet’s', () => {
  it('is one of 63, and none of the 20 beside them', () => {
    expect([REFUSED.length, ROUTABLE.length]).toEqual([63, 20]);
    expect(REFUSED.filter(isGloballyRoutable)).toEqual([]);
    expect(ROUTABLE.filter((address) => !isGloballyRoutable(address))).toEqual([]);
  });

  it.each(['', 'example.com', '256.1.1.1', '8.8.8.8/32'])('is anything that is no address: %j', (text) => {
    expect([isGloballyRoutable(text), isWithin([readNetwork('0.0.0.0/0'), readNetwork('::/0')], text)]).toEqual([false, false]);
  });

  it('is refused as a literal without a dial; its neighbours are not', async () => {
    const { port, contacts } = await canary();
    const { client, kindOf } = outbound({ allow: [], ports: new Map([[80, port]]) });
    expect(new Set(await Promise.all(REFUSED.map((address) => kindOf(urlOf(address)))))).toEqual(new Set(['blocked_destination']));
    for (const address of ROUTABLE) expect(() => client.check(new URL(urlOf(address)))).not.toThrow();
    expect(contacts()).toBe(0);
  });

  it('is refused as what a name leads to', async () => {
    const { port, contacts } = await canary();
    const names = await dnsServer(({ name, type }) => {
      const address = REFUSED[Number(name.split('.')[0])] ?? '';
      return { answers: type === (isV6(address) ? 'AAAA' : 'A') ? [{ type, name, ttl: 0, data: address }] : [] };
    });
    const { kindOf } = outbound({ allow: [], dns: dnsOf(names.address), ports: new Map([[80, port]]) });
    for (const i of REFUSED.keys()) expect(await kindOf(`http://${i}.cl/`)).toBe('blocked_destination');
    expect(contacts()).toBe(0);
  });
});

describe('networks that may be dialled all the same', () => {
  it('are those in CIDR form', () => {
    expect(['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'].map(isNetwork)).toEqual([true, true, true]);
    expect(['10/8', '10.0.0.0/33', '10.0.0.1', 'fd00::/129', 'localhost/8', ''].map(isNetwork)).toEqual(new Array(6).fill(false));
  });

  it('hold the addresses of their own kind alone', () => {
    const networks = ['10.0.0.0/8', 'fd00::/8'].map(readNetwork);
    expect(['10.1.2.3', 'fd12::1'].map((one) => isWithin(networks, one))).toEqual([true, true]);
    expect(['11.0.0.1', '::ffff:10.1.2.3', 'fe80::1'].map((one) => isWithin(networks, one))).toEqual([false, false, false]);
  });
});

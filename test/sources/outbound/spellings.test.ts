import { describe, expect, it } from 'vitest';
import { dnsServer, zoneReply } from '../../support/dns-server.ts';
import { canary, dnsOf, outbound } from './support.ts';

const LITERALS = `http://2130706433/ http://0x7f000001/ http://0x7f.1/ http://0177.0.0.1/ http://0177.1/ http://127.1/ http://127.0.1/
http://0/ http://0x0/ http://017700000001/ http://①②⑦.⓪.⓪.①/ http://127。0。0。1/ http://127.0.0.1./ http://0300.0250.1.1/
http://3232235777/ http://0xa9fea9fe/ http://2852039166/ http://0251.0376.0251.0376/ http://[::1]/ http://[::]/
http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[0:0:0:0:0:ffff:a9fe:a9fe]/ http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/
http://[2002:7f00:1::]/ http:127.0.0.1/ http:///127.0.0.1/ http://127.0.0.1#@example.com/
http://169.254.169.254/latest/meta-data/`.split(/\s+/);
const LOCAL_NAMES = ['http://localhost/', 'http://LOCALHOST/', 'http://localhost./', 'http://foo.localhost/'];
const MALFORMED = `http://user:pw@127.0.0.1/ http://example.com@127.0.0.1/ http://127.0.0.1%2f@example.com/ http://example.com:22/
http://example.com:5432/ http://example.com:0/ file:///etc/passwd gopher://127.0.0.1/ ftp://127.0.0.1/ javascript:alert(1)`.split(/\s+/);
const NO_URLS = ['http://[fe80::1%25eth0]/', '//127.0.0.1/', 'http://'];
const BY_DNS = ['http://metadata.google.internal/', 'http://127.0.0.1.nip.io/', 'http://example.com\\@127.0.0.1/'];

/** A client whose every way into this machine leads to the canary. */
async function setup() {
  const { port, contacts } = await canary();
  const names = await dnsServer(
    zoneReply({
      'metadata.google.internal': [{ type: 'A', data: '169.254.169.254' }],
      '127.0.0.1.nip.io': [{ type: 'A', data: '127.0.0.1' }],
      'example.com': [{ type: 'A', data: '127.0.0.1' }],
    }),
  );
  const ports = new Map([80, 443, 22, 5432, 0].map((from) => [from, port]));
  return { ...outbound({ allow: [], dns: dnsOf(names.address), ports }), contacts, names };
}

describe('SS-02 an odd spelling', () => {
  it('is one of fifty', () => {
    expect([LITERALS, LOCAL_NAMES, MALFORMED, NO_URLS, BY_DNS].flat()).toHaveLength(50);
    expect(NO_URLS.filter((text) => URL.canParse(text))).toEqual([]);
  });

  it.each([...[...LITERALS, ...LOCAL_NAMES].map((text) => [text, 'blocked_destination']), ...MALFORMED.map((text) => [text, 'bad_url'])])(
    '%s is refused when given and when dialled, and asks no name server',
    async (text, kind) => {
      const { client, kindOf, contacts, names } = await setup();
      expect(() => client.check(new URL(text))).toThrow(expect.objectContaining({ name: 'OutboundFailure', kind }));
      expect(await kindOf(text)).toBe(kind);
      expect([contacts(), names.asked]).toEqual([0, []]);
    },
  );

  it.each(BY_DNS)('%s passes when given and is refused when dialled', async (text) => {
    const { client, kindOf, contacts, names } = await setup();
    expect(() => client.check(new URL(text))).not.toThrow();
    expect(await kindOf(text)).toBe('blocked_destination');
    expect([contacts(), names.asked.length]).toEqual([0, 2]);
  });

  it('tells what is wrong with the text, and nothing else', async () => {
    const { client } = await setup();
    const said = (text: string) => {
      try {
        client.check(new URL(text));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(['ftp://a.cl/', 'http://u:p@a.cl/', 'http://a.cl:22/', 'http://10.0.0.1:22/'].map(said)).toEqual([
      'The address must begin with https:// or http://.',
      'The address must not contain a user name or password.',
      'The port must be one of 80, 443, 8080, 8443.',
      'The address could not be fetched.',
    ]);
  });

  it.each([80, 443, 8080, 8443])('a port may be %d', async (port) => {
    const { client } = await setup();
    expect(() => client.check(new URL(`https://example.com:${port}/`))).not.toThrow();
  });
});

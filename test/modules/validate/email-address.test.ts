import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmailAddress } from '../../../src/domain/email-address.ts';
import { sampleJson } from '../../support/samples.ts';

const parse = (text: string) => parseEmailAddress(text, { toAscii: domainToASCII, toUnicode: domainToUnicode });
const label = (length: number) => 'a'.repeat(length);

describe('an e-mail address', () => {
  it.each([
    ['Abc@Example.CL', { local: 'abc', domain: 'example.cl', asciiDomain: 'example.cl', smtpUtf8: false }],
    ['"A. \\"B\\" @ C"@example.cl', { local: '"a. \\"b\\" @ c"', domain: 'example.cl', asciiDomain: 'example.cl', smtpUtf8: false }],
    ['ana@VIÑA.cl', { local: 'ana', domain: 'viña.cl', asciiDomain: 'xn--via-8ma.cl', smtpUtf8: false }],
    ['ana@vin\u0303a.cl', { local: 'ana', domain: 'viña.cl', asciiDomain: 'xn--via-8ma.cl', smtpUtf8: false }],
    ['ana@xn--via-8ma.cl', { local: 'ana', domain: 'xn--via-8ma.cl', asciiDomain: 'xn--via-8ma.cl', smtpUtf8: false }],
    ['ana@ｅｘａｍｐｌｅ．ｃｌ', { local: 'ana', domain: 'example.cl', asciiDomain: 'example.cl', smtpUtf8: false }],
    ['JOSE\u0301@example.cl', { local: 'josé', domain: 'example.cl', asciiDomain: 'example.cl', smtpUtf8: true }],
    ['ana@[IPv6:::1]', { local: 'ana', domain: '[ipv6:::1]', asciiDomain: null, smtpUtf8: false }],
  ])('is read in lower case, composed, its domain in both spellings: %s', (text, parts) => {
    expect(parse(text)).toEqual(parts);
  });

  it.each([
    ...[
      'a@b',
      'a@b.cl',
      "!#$%&'*+-/=?^_`{|}~@b.cl",
      'a.b.c@b.cl',
      'a@123.cl',
      'a@b.123',
      'a@192.0.2.1',
      'a@c--n.cl',
      'xn--a@b.cl',
      'a@b.xn--p1ai',
    ],
    ...['""@b.cl', '"a b"@b.cl', '"a\\ b"@b.cl', '"\\\\"@b.cl', '"a..b"@b.cl', '"λ"@b.cl', '❤@b.cl', '我買@例子.tw'],
    ...['a@[192.0.2.1]', 'a@[255.255.255.255]', 'a@[IPv6:1:2:3:4:5:6:7:8]', 'a@[ipv6:1::8]', 'a@[IPv6:1:2:3:4:5:6:7::]', 'a@[IPv6:::]'],
    ...['a@[IPv6:::2:3:4:5:6:7:8]', 'a@[IPv6:1:2:3:4:5:6:192.0.2.1]', 'a@[IPv6:::192.0.2.1]', 'a@[IPv6:1:2:3:4:5::192.0.2.1]'],
  ])('is well formed: %s', (text) => {
    expect(parse(text)).not.toBeNull();
  });

  it.each([
    ...[
      '',
      '@',
      'a',
      'a@',
      '@b.cl',
      'a b@c.cl',
      'a@b c.cl',
      'a@b@c.cl',
      'a\\@b@c.cl',
      '.a@b.cl',
      'a.@b.cl',
      'a..b@c.cl',
      'a,b@c.cl',
      'a@b,cl',
    ],
    ...[
      'a@.cl',
      'a@b..cl',
      'a@b.cl.',
      'a@-b.cl',
      'a@b-.cl',
      'a@b.-cl',
      'a@b_c.cl',
      'a@b/c.cl',
      'a@b.tld-2',
      'a@yy--0.cl',
      'a@xn--0.cl',
      'a@xn--.cl',
    ],
    ...[
      '"a@b.cl',
      'a"@b.cl',
      'a"b"@c.cl',
      '"a"b@c.cl',
      '"a""b"@c.cl',
      '"a".b@c.cl',
      'a."b"@c.cl',
      '"a\\"@b.cl',
      '"a\tb"@c.cl',
      '"a\\\tb"@c.cl',
    ],
    ...['Ana <a@b.cl>', '<a@b.cl>', '(x)a@b.cl', 'a@b.cl(x)', 'a(x)@b.cl', ' a@b.cl', 'a@b.cl ', 'a @b.cl', 'a@ b.cl'],
    ...['a@b.cl\n', 'a@b.cl\r\nBcc: c@d.cl', '\r\na@b.cl', 'a\0@b.cl', 'a\u007f@b.cl', '"a\nb"@c.cl', 'a@b\t.cl', 'a@é\t.cl', 'a@é\n.cl'],
    ...[
      'a\u200bb@c.cl',
      'a@b\u200bc.cl',
      '\u202ea@b.cl',
      'a@\u202eb.cl',
      'a\u00adb@c.cl',
      'a@b\u00adc.cl',
      'a\u2005b@c.cl',
      'a\u3164@b.cl',
      'a\ud800@b.cl',
    ],
    ...['a\ue000@b.cl', 'a\ufdef@b.cl', '\u0301a@b.cl', 'a.\u0301b@c.cl', 'a@\u0301b.cl', '<\u0338a@b.cl', 'a.\u037e@b.cl', 'a@\u037e.cl'],
    ...['a＠b.cl', 'a@é%41.cl', 'a@é-.cl', 'a@-é.cl', 'a@é..cl', 'a@é.cl.', 'a@é_b.cl', 'a@é.123', 'a@１.２', 'a@⒈b.cl', 'a@b.－c.cl'],
    ...[
      'a@[192.0.2]',
      'a@[192.0.2.256]',
      'a@[192.0.2.1.1]',
      'a@[192.0.2.1',
      'a@192.0.2.1]',
      'a@b[192.0.2.1]',
      'a@[tag:text]',
      'a@[]',
      'a@[x]',
    ],
    ...[
      'a@[1:2:3:4:5:6:7:8]',
      'a@[IPv6:]',
      'a@[IPv6:1:2:3:4:5:6:7]',
      'a@[IPv6:1:2:3:4:5:6:7:8:9]',
      'a@[IPv6:1:2:3:4:5:6:7:8G]',
      'a@[IPv6:1::4::8]',
    ],
    ...[
      'a@[IPv6::2:3:4:5:6:7:8]',
      'a@[IPv6:1::2:]',
      'a@[IPv6:1:::8]',
      'a@[IPv6:1:2:3:4:5:6:7::8]',
      'a@[IPv6:1:2:3:4:5:6::192.0.2.1]',
      'a@[IPv6:192.0.2.1]',
    ],
    ...['a@[IPv6:12345::]', 'a@[IPv6:1:2:3:4:5:192.0.2.1]', 'a@[IPv6:::192.0.2.1:1]', 'a@[192.0.2.1](x)'],
  ])('is refused: %j', (text) => {
    expect(parse(text)).toBeNull();
  });

  it.each([
    ['a local part of 64 octets', `${label(64)}@b.cl`, `${label(65)}@b.cl`],
    ['a local part of 64 octets of UTF-8', `${'é'.repeat(32)}@b.cl`, `${'é'.repeat(32)}a@b.cl`],
    ['a quoted local part of 64 octets, quotes included', `"${label(62)}"@b.cl`, `"${label(63)}"@b.cl`],
    ['a label of 63', `a@${label(63)}.cl`, `a@${label(64)}.cl`],
    ['a label of 63 as an A-label', `a@é${label(55)}.cl`, `a@é${label(56)}.cl`],
    ['an address of 254', `a@${`${label(60)}.`.repeat(4)}${label(8)}`, `a@${`${label(60)}.`.repeat(4)}${label(9)}`],
    ['an address of 254 with A-labels', `a@${`é${label(51)}.`.repeat(4)}${label(12)}`, `a@${`é${label(51)}.`.repeat(4)}${label(13)}`],
  ])('may have %s and no more', (_, within, beyond) => {
    expect([parse(within) !== null, parse(beyond)]).toEqual([true, null]);
  });

  it('is the same when read again', () => {
    const ordinary = fc.emailAddress().filter((text) => !/[@.]..--/.test(text)); // labels that only A-labels may look like
    fc.assert(
      fc.property(ordinary, (text) => {
        const once = parse(text);
        expect(once).not.toBeNull();
        expect(parse(`${once?.local}@${once?.domain}`)).toEqual(once);
      }),
    );
  });

  it('never throws, and is never parsed from a text with a line break or without an @', () => {
    const pieces = fc.constantFrom(
      'a',
      '.',
      '@',
      '"',
      '\\',
      '[',
      ']',
      ':',
      '::',
      'IPv6:',
      '-',
      'é',
      '\u0301',
      '\n',
      '\ud800',
      ' ',
      '1',
      'xn--',
      '＠',
      '。',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (some) => {
        const text = some.join('');
        if (/\n/.test(text) || !text.includes('@')) expect(parse(text)).toBeNull();
        else parse(text);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the corpus of is_email', () => {
  it('agrees in every case: VALID, DNSWARN and RFC5321 are well formed, the rest is not', () => {
    const tests: readonly { address: string; acceptable: boolean }[] = sampleJson('email-tech/isemail_odd.json').tests;
    expect(tests.filter(({ address, acceptable }) => (parse(address) !== null) !== acceptable)).toEqual([]);
  });
});

describe('the corpus of python-email-validator', () => {
  /** Differences to the standards by its options. Stricter: IP addresses, reserved names, SMTPUTF8. Wider: one option. */
  const DECIDED: Readonly<Record<string, boolean>> = {
    'me@[127.0.0.1]': true,
    'me@[IPv6:::1]': true,
    'me@anything.arpa': true,
    'me@link.local': true,
    'me@onion.onion.onion': true,
    'λambdaツ@test': true,
    'My Name <me@example.org>': false,
  };
  const cases: readonly { group: string; address: string; expected: unknown }[] = sampleJson('email-tech/email_validator_cases.json').cases;

  it('agrees in every case but those decided otherwise', () => {
    const wrong = cases.filter(({ group, address }) => {
      const text = group === 'email_unsafe_character' ? `a${address}@example.cl` : address;
      return (parse(text) !== null) !== (DECIDED[address] ?? group.startsWith('email_valid'));
    });
    expect(wrong).toEqual([]);
  });

  it('gives the same parts, except for letter case and superfluous quotes', () => {
    const spoken = cases.flatMap(({ address, expected }) => {
      const { local_part, domain, ascii_domain, smtputf8 } = (expected ?? {}) as Record<string, string>;
      return ascii_domain && parse(address) ? [{ address, parts: [local_part?.toLowerCase(), domain, ascii_domain, smtputf8] }] : [];
    });
    expect(
      spoken.map(({ address }) => {
        const { local = '', domain, asciiDomain, smtpUtf8 } = parse(address) ?? {};
        return [local.replace(/^"([^"\\ ]*)"$/, '$1'), domain, asciiDomain, smtpUtf8];
      }),
    ).toEqual(spoken.map(({ parts }) => parts));
  });
});

import { describe, expect, it } from 'vitest';
import { pageText } from '../../../src/sources/website/page.ts';

const TEXT = 'São Ñuñoa ª € “x”';
const CP1252 = Buffer.from('S\xe3o \xd1u\xf1oa \xaa \x80 \x93x\x94', 'latin1');

const textOf = (body: Buffer, type?: string, cut = false): string =>
  pageText({ url: new URL('http://a.cl'), status: 200, headers: type ? { 'content-type': [type] } : {}, latencyMs: 1, body, cut });

describe('UP-05 the text of a page', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['UTF-8 that nobody declared', Buffer.from(TEXT), undefined],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`), undefined],
    ['UTF-8 that calls itself latin-1', Buffer.from(TEXT), 'text/html; charset=ISO-8859-1'],
    ['UTF-8 of a charset nobody knows', Buffer.from(TEXT), 'text/html; charset=klingon'],
    ['Windows-1252 that says so', CP1252, 'text/html; charset=windows-1252'],
    ['Windows-1252 that nobody declared', CP1252, 'text/html'],
    ['Windows-1252 that calls itself UTF-8', CP1252, 'text/html; charset="utf-8"'],
    ['Windows-1252 of a charset nobody knows', CP1252, 'text/html; charset=klingon'],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), undefined],
    ['UTF-16 with a mark, the other way round', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16(), 'text/html; charset=utf-8'],
    ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le'), 'text/html; charset=utf-16'],
  ])('is right from %s', (_, body, type) => expect(textOf(body, type)).toBe(TEXT));

  it.each([
    ['<meta charset="gbk">', 'gbk'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=gbk">', 'gbk'],
    ["<META CHARSET='GBK'>", 'gbk'],
  ])('follows %s where the header is silent', (meta) => {
    expect(textOf(Buffer.concat([Buffer.from(meta), Buffer.from([0xc4, 0xe3, 0xba, 0xc3])]))).toBe(`${meta}你好`);
  });

  it('follows the header rather than the page, and no page that claims UTF-16', () => {
    const hello = Buffer.concat([Buffer.from('<meta charset="gbk">'), Buffer.from([0xbe, 0xc8, 0xb3, 0xe7])]);
    expect(textOf(hello, 'text/html; charset=euc-kr')).toBe('<meta charset="gbk">안녕');
    const claims = Buffer.concat([Buffer.from('<meta charset="utf-16">'), CP1252]);
    expect(textOf(claims)).toBe(`<meta charset="utf-16">${TEXT}`);
  });

  it('falls back where the bytes are not what was declared', () => {
    const broken = Buffer.concat([CP1252, Buffer.from([0xff])]);
    expect(textOf(broken, 'text/html; charset=shift_jis')).toBe(`${TEXT}ÿ`);
  });

  it('may be cut inside a character', () => {
    const bytes = Buffer.from('año');
    expect(textOf(bytes.subarray(0, 2), 'text/html; charset=utf-8', true)).toBe('a');
  });
});

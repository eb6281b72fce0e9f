import { describe, expect, it } from 'vitest';
import { chosenLabel, isHosted, parseDomain, parseOwnerId } from '../../../src/sources/domains/domain.ts';

describe('a domain in the input', () => {
  it.each([
    ['empresa.cl', 'empresa.cl'],
    ['  WWW.Empresa.CL. ', 'empresa.cl'],
    ['tienda.empresa.cl', 'empresa.cl'],
    ['https://www.empresa.com.br/', 'empresa.com.br'],
    ['//empresa.com.br', 'empresa.com.br'],
    ['ventas@empresa.cl', 'empresa.cl'],
    ['mailto:ventas@correo.empresa.cl', 'empresa.cl'],
    ['usp.br', 'usp.br'],
    ['prefeitura.imaginaria.sp.gov.br', 'imaginaria.sp.gov.br'],
    ['ｅｍｐｒｅｓａ．ｃｌ', 'empresa.cl'],
  ])('reads %s as %s, without a start page', (pasted, domain) => {
    expect(parseDomain(pasted)).toEqual({ domain, start: null, written: domain });
  });

  it.each([
    ['http://sitio.cl:8080/x', 'http://sitio.cl:8080/x'],
    ['sitio.cl:8080', 'http://sitio.cl:8080/'],
    ['sitio.cl:8443', 'https://sitio.cl:8443/'],
    ['https://www.sitio.cl/aviso-legal?v=2#arriba', 'https://www.sitio.cl/aviso-legal?v=2'],
    ['sitio.cl/contacto', 'https://sitio.cl/contacto'],
    ['https://tienda.sitio.cl', 'https://tienda.sitio.cl/'],
  ])('reads %s as a start page of the same domain', (pasted, start) => {
    expect(parseDomain(pasted)).toEqual({ domain: 'sitio.cl', start, written: 'sitio.cl' });
  });

  it('is looked up in A-labels and shown as written', () => {
    const ascii = 'xn--viaandu-ficticia-7tbb.cl';
    expect(parseDomain('Viñañandu-ficticia.cl')).toEqual({ domain: ascii, start: null, written: 'viñañandu-ficticia.cl' });
    expect(parseDomain(ascii)).toEqual({ domain: ascii, start: null, written: ascii });
    expect(chosenLabel(ascii)).toBe('viñañandu-ficticia');
  });

  it('is separate for each customer of a shared host, and for the host itself', () => {
    expect(parseDomain('www.loja.simplesite.com.br').domain).toBe('loja.simplesite.com.br');
    expect(parseDomain('simplesite.com.br').domain).toBe('simplesite.com.br');
    expect([isHosted('loja.simplesite.com.br'), isHosted('simplesite.com.br'), isHosted('empresa.com.br')]).toEqual([true, false, false]);
  });

  // https://github.com/john-kurkowski/tldextract/issues/179 and /56: names that are a public suffix and a website at once.
  it.each([
    ...'ac al am ap ba ce df es go ma mg ms mt pa pb pe pi pr rj rn ro rr rs sc se sp to'.split(' ').map((state) => `${state}.gov.br`),
    'gov.br',
    'gob.cl',
    'gov.co',
    'sp.leg.br',
    'blogspot.com',
    'github.io',
  ])('is a public suffix with a site of its own: %s', (name) => {
    const site = { domain: name, start: null, written: name };
    for (const pasted of [name, `http://${name}/`, `https://www.${name}`, `www.${name}`]) {
      expect(parseDomain(pasted, 'domain', null)).toEqual(site);
    }
    expect(parseDomain(`orgao.${name}`, 'domain', null).domain).toBe(`orgao.${name}`);
    expect(isHosted(name)).toBe(false);
  });

  it.each([
    ['', /such as empresa\.cl/],
    ['una empresa', /such as empresa\.cl/],
    ['localhost', /such as empresa\.cl/],
    ['127.0.0.1', /such as empresa\.cl/],
    ['http://[::1]/', /such as empresa\.cl/],
    ['http://2130706433/', /such as empresa\.cl/],
    ['ftp://empresa.cl/', /such as empresa\.cl/],
    ['a..cl', /such as empresa\.cl/],
    [`${'a'.repeat(3000)}.cl`, /such as empresa\.cl/],
    ['com.br', /public suffix/],
    ['co.cl', /public suffix/],
    ['curitiba.br', /public suffix/],
    ['https://user:secret@empresa.cl/', /user name/],
    ['empresa.com', /under \.cl and \.br; for empresa\.com give the tax id/],
    ['empresa.com.co', /under \.cl and \.br/],
    ['misempresa.nobr', /under \.cl and \.br/],
  ])('refuses %s with a helpful message', (pasted, sentence) => {
    expect(() => parseDomain(pasted, 'domain')).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', facts: { field: 'domain' }, message: expect.stringMatching(sentence) }),
    );
  });

  it('may have any top-level domain when the caller allows all', () => {
    expect(() => parseDomain('empresa.com.br', 'domain', ['cl', 'co'])).toThrow(/only by domains under \.cl and \.co;/);
    expect(parseDomain('www.empresa.com', 'url', null)).toEqual({ domain: 'empresa.com', start: null, written: 'empresa.com' });
  });
});

describe('the tax id of an owner', () => {
  it('is a CNPJ by its fourteen characters, and a RUT otherwise', () => {
    expect(parseOwnerId('11.222.333/0001-81')).toEqual({ country: 'BR', taxId: '11222333000181' });
    expect(parseOwnerId('96.505.760-9')).toEqual({ country: 'CL', taxId: '965057609' });
  });

  it('is rejected with the expected check digit', () => {
    expect(() => parseOwnerId('96.505.760-8')).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('9') }),
    );
  });
});

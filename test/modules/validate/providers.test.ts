import { describe, expect, it } from 'vitest';
import { isRoleAccount } from '../../../src/modules/validate/domain.ts';
import {
  disposableDomains,
  freeDomains,
  NOT_FREE_PROVIDERS,
  providerOf,
  SQUATS,
  suggestDomain,
  TYPED_OFTEN,
} from '../../../src/modules/validate/sources/providers.ts';
import { sampleJson } from '../../support/samples.ts';

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
const kindOf = (domain: string, mailServers: readonly string[] = []): string => {
  const { disposable, freeProvider } = providerOf(domain, mailServers);
  return [disposable && 'disposable', freeProvider && 'free'].filter(Boolean).join() || 'corporate';
};

describe('the kind of provider', () => {
  it.each([
    ...['gmail.com', 'yahoo.cl', 'hotmail.cl', 'vtr.net', 'uol.com.br', 'bol.com.br', 'une.net.co', 'hotmail.it', 'live.com.mx'].map(
      (name) => [name, 'free'],
    ),
    ...[
      'mailinator.com',
      'sub.mailinator.com',
      'emailondeck.com',
      'temp-mail.io',
      'a.b.mailinator.com',
      'yopmail.com',
      'guerrillamail.com',
      '33mail.com',
      'any.33mail.com',
    ].map((name) => [name, 'disposable']),
    ...['entel.cl', 'falabella.cl', 'ecopetrol.com.co', 'empresa.com.br', 'cabify.cl', 'mail.gmail.com', 'facebook.com', 'example.com'].map(
      (name) => [name, 'corporate'],
    ),
    ...['live.mdx.ac.uk', 'school.edu.pl', 'io'].map((name) => [name, 'corporate']),
  ])('of %s is %s', (domain, kind) => {
    expect(kindOf(domain ?? '')).toBe(kind);
  });

  // https://github.com/eramitgupta/disposable-email/issues/2 and https://github.com/disposable/disposable/issues/133: ordinary companies stay
  // on a list of throw-away domains for years.
  it.each(['angi.com', 'code.com.br', 'motors.com.br', 'englishforgood.com.br', 'capital-humano.cl', 'cabify.cl'])(
    'of %s is corporate, although one list of throw-away domains has it',
    (domain) => {
      expect(kindOf(domain, [`mx.${domain}`])).toBe('corporate');
    },
  );

  it.each([
    ...['10minutemail.com', 'sharklasers.com', 'maildrop.cc', 'getnada.com', 'trashmail.com', 'yopmail.fr', 'emailtemporario.com.br'],
    ...['temp-mail.org', 'throwawaymail.com', 'dispostable.com', 'mohmal.com', 'discard.email', 'tempr.email', 'burnermail.io'],
  ])('of %s is disposable, because two lists have it', (domain) => {
    expect(kindOf(domain)).toBe('disposable');
  });

  it.each([
    ['xn--gmal-nza.net', 'mx.yopmail.com', 'disposable'], // on one list, and its mail goes to a throw-away provider
    ['empresa.cl', 'mail.mailinator.com', 'disposable'],
    ['hotmail.com.co', 'hotmail-com-co.olc.protection.outlook.com', 'free'],
    ['yahoo.com.uy', 'mta6.am0.yahoodns.net', 'free'],
    ['empresa.cl', 'empresa-cl.mail.protection.outlook.com', 'corporate'],
    ['empresa.cl', 'aspmx.l.google.com', 'corporate'],
    ['empresa.cl', 'mx-biz.mail.am0.yahoodns.net', 'corporate'],
    ['empresa.cl', 'mta6.am0.yahoodns.net.empresa.cl', 'corporate'],
    ['mailinator.com', 'mta6.am0.yahoodns.net', 'disposable'],
  ])('of %s with the mail server %s is %s', (domain, mailServer, kind) => {
    expect(kindOf(domain, [mailServer])).toBe(kind);
  });

  it('is never both: no free provider is disposable, nor the reverse', () => {
    expect([...freeDomains()].filter((name) => providerOf(name, []).disposable)).toEqual([]);
    expect([...disposableDomains()].filter((name) => freeDomains().has(name))).toEqual([]);
  });

  it('comes from lists with the expected domains, in lower case and ASCII where needed', () => {
    expect([disposableDomains().size > 30_000, freeDomains().size > 350, freeDomains().size < 1_000]).toEqual([true, true, true]);
    expect([...freeDomains()].filter((name) => !/^[a-z\d.-]+\.[a-z]+$/.test(name))).toEqual([]);
    expect([...NOT_FREE_PROVIDERS, ...SQUATS].filter((name) => freeDomains().has(name))).toEqual([]);
  });

  it('agrees with the cases of the reference', () => {
    const cases: readonly [string, string][] = sampleJson('email-tech/provider_class.json').cases;
    expect(cases.map(([address]) => [address, kindOf(domainOf(address))])).toEqual(cases);
    expect(sampleJson('email-tech/provider_class.json').roleAccounts.filter((local: string) => !isRoleAccount(local))).toEqual([]);
  });
});

describe('a role account', () => {
  it.each(['ventas', 'no-reply', 'no_reply', 'noreply', 'do.not.reply', 'contato', 'sales+chile', 'atencion.al.cliente', 'rr.hh'])(
    'is %s',
    (local) => {
      expect(isRoleAccount(local)).toBe(true);
    },
  );
  it.each(['ana', 'ana.ventas', 'ventasana', 'infoana', '"ventas"', 'j.perez+ventas'])('is not %s', (local) => {
    expect(isRoleAccount(local)).toBe(false);
  });
});

describe('a suggestion', () => {
  it.each([
    ...[
      'gmail.co',
      'gmail.con',
      'gnail.con',
      'gmial.com',
      'gmai.co',
      'gmaill.com',
      'gmail.cm',
      'gmail.ocm',
      '#gmail.com',
      'gmail,com',
      'gmail..com',
    ].map((typed) => [typed, 'gmail.com']),
    ...['homail.con', 'hotmal.com', 'hotmail.comm', 'hotnail.com'].map((typed) => [typed, 'hotmail.com']),
    ['outlok.com', 'outlook.com'],
    ['yajoo.com', 'yahoo.com'],
    ['yahoo.con.br', 'yahoo.com.br'],
    ['hotmial.cl', 'hotmail.cl'],
    ['une.nte.co', 'une.net.co'],
    ['empresa.con', 'empresa.com'],
    ['con-artists.cmo', 'con-artists.com'],
  ])('is made for %s: %s', (typed, meant) => {
    expect(suggestDomain(typed ?? '', false)).toBe(meant);
  });

  it.each([
    ...['gmail.com', 'hotmail.cl', 'yahoo.cl', 'uol.com.br', 'yahoo.com.co', 'outlook.pt', 'hotmail.de', ''],
    ...[
      'empresa.cl',
      'empresa.co',
      'empresa.com.co',
      'empresa.com.br',
      'gmail.cl',
      'gmail.com.br',
      'gmail.com.co',
      'live.com.co',
      'hotmail.pt',
    ],
    ...['entel.cl', 'falabella.cl', 'itau.com.br', 'nike.com', 'sii.cl', 'kicksend.com', 'gmx.fr', 'yahoo.co.uk', 'xn--gmal-nza.com'],
  ])('is not made for %j', (domain) => {
    expect(suggestDomain(domain, false)).toBeNull();
  });

  it('is not made for a domain with mail servers, except for a known look-alike and an invalid suffix', () => {
    const asked = ['tol.com.br', 'line.com', 'gmial.com', 'gmail.co', 'hotmail.con'];
    expect(asked.map((domain) => suggestDomain(domain, false))).toEqual([
      'uol.com.br',
      'live.com',
      'gmail.com',
      'gmail.com',
      'hotmail.com',
    ]);
    expect(asked.map((domain) => suggestDomain(domain, true))).toEqual([null, null, 'gmail.com', 'gmail.com', 'hotmail.com']);
  });

  it('is itself a known provider, and every look-alike is corrected to one', () => {
    expect(TYPED_OFTEN.filter((name) => !freeDomains().has(name))).toEqual([]);
    expect(SQUATS.filter((name) => suggestDomain(name, true) === null)).toEqual([]);
  });

  it('agrees with the cases of the reference, whatever the DNS says', () => {
    const { suggest, mustNotSuggest }: { suggest: { address: string; domain: string }[]; mustNotSuggest: string[] } =
      sampleJson('email-tech/typo_cases.json');
    for (const hasMailServers of [true, false]) {
      expect(suggest.map(({ address }) => suggestDomain(domainOf(address), hasMailServers))).toEqual(suggest.map(({ domain }) => domain));
      expect(mustNotSuggest.filter((address) => suggestDomain(domainOf(address), hasMailServers) !== null)).toEqual([]);
    }
  });
});

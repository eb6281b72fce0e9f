import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { formatTaxId } from '../../../src/domain/company.ts';
import { createDomainStore } from '../../../src/sources/domains/store.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const DAY = 86_400_000;
let app: TestApp;
let later = 0;
beforeAll(async () => {
  app = await testApp({ now: () => Date.now() + later });
}, 120_000);
afterAll(() => app.close());
afterEach(() => app.sandbox?.faults.clear());

const rut = (scenario: string) => formatTaxId({ country: 'CL', taxId: chileanByScenario(scenario).rut });
const cnpj = (scenario: string) => formatTaxId({ country: 'BR', taxId: companyByScenario(scenario).cnpj });
const enrich = (body: object) => app.post('/v1/enrich', body);
const asked = (source: string) => app.sandbox?.requestsTo(source).length;

const OWNER = `query ($domain: String!) { domainOwner(domain: $domain) {
  domain company { formattedIdentifier } confidence method reason evidence { url snippet kind } candidates { confidence company { identifier } evidence { kind } } freshness { cached }
} }`;
const owner = async (domain: string) => (await app.query(OWNER, { domain })).body;

describe('the company of a domain', () => {
  it('is a company like any other', async () => {
    const { body } = await app.query(
      '{ companyByDomain(domain: "marraqueta-ficticia.cl") { formattedIdentifier profile { companyName } } }',
    );
    expect(body.data.companyByDomain).toEqual({
      formattedIdentifier: rut('cl-clean'),
      profile: { companyName: 'PANADERIA LA MARRAQUETA FICTICIA SPA' },
    });
  });

  it.each([
    ['aguascalmas-ficticia.cl', 'DOMAIN_NOT_RESOLVED'],
    ['caido-ficticio.cl', 'SOURCE_UNAVAILABLE'],
    ['empresa.com', 'INVALID_INPUT'],
  ])('is null beside an error for %s', async (domain, code) => {
    const { body } = await app.query(`{ companyByDomain(domain: "${domain}") { id } }`);
    expect(body).toMatchObject({ data: { companyByDomain: null }, errors: [{ extensions: { code } }] });
  });

  it('comes with its page, and the other companies named there', async () => {
    expect((await owner('cuatrovientos-ficticia.cl')).data.domainOwner).toEqual({
      domain: 'cuatrovientos-ficticia.cl',
      company: { formattedIdentifier: rut('cl-medium') },
      confidence: 0.95,
      method: 'SITE',
      reason: null,
      evidence: {
        url: 'http://cuatrovientos-ficticia.cl/',
        snippet: `Constructora Cuatro Vientos Ltda R.U.T. ${rut('cl-medium')}`,
        kind: 'FOOTER',
      },
      candidates: [
        { confidence: 0.95, company: { identifier: chileanByScenario('cl-medium').rut }, evidence: { kind: 'FOOTER' } },
        { confidence: 0.5, company: { identifier: chileanByScenario('cl-agency').rut }, evidence: { kind: 'FOOTER' } },
      ],
      freshness: { cached: false },
    });
  });

  it('comes with the reason when there is none', async () => {
    expect((await owner('aguascalmas-ficticia.cl')).data.domainOwner).toMatchObject({
      company: null,
      confidence: 0,
      method: 'SITE',
      reason: 'NOT_NAMED',
      evidence: null,
    });
  });

  it('is the registrant’s for .br, by name', async () => {
    expect((await owner('vagalume-ficticia.com.br')).data.domainOwner).toMatchObject({
      confidence: 0.95,
      method: 'RDAP',
      evidence: { url: null, snippet: 'ENERGIA DO VAGALUME SA', kind: 'REGISTRANT' },
    });
  });

  it('UP-10 is stored in the table: the site is not read again, and the registry of domains is called once a day', async () => {
    await owner('insumosdelsur-ficticia.cl');
    await owner('nuvembaixa-ficticia.com.br');
    const before = [asked('website'), asked('rdap')];
    later += 60_000;
    await owner('insumosdelsur-ficticia.cl');
    await owner('nuvembaixa-ficticia.com.br');
    expect([asked('website'), asked('rdap')]).toEqual(before);
    later += DAY;
    await owner('insumosdelsur-ficticia.cl');
    await owner('nuvembaixa-ficticia.com.br');
    expect([asked('website'), asked('rdap')]).toEqual([before[0], (before[1] ?? 0) + 1]);
  });

  it('UP-11 is searched again within an hour when none was found', async () => {
    await owner('semnome-ficticia.com.br');
    const before = asked('rdap');
    later += 59 * 60_000;
    await owner('semnome-ficticia.com.br');
    expect(asked('rdap')).toBe(before);
    later += 60_001;
    await owner('semnome-ficticia.com.br');
    expect(asked('rdap')).toBe((before ?? 0) + 1);
  });

  it('is the company that an operator sets, within a minute', async () => {
    expect((await owner('aguascalmas-ficticia.cl')).data.domainOwner.company).toBeNull();
    const company = { country: 'CL', taxId: chileanByScenario('cl-no-rut-on-site').rut } as const;
    await createDomainStore(app.db, Date.now).set([{ domain: 'aguascalmas-ficticia.cl', company }], 'command');
    later += 31_000;
    expect((await owner('aguascalmas-ficticia.cl')).data.domainOwner).toMatchObject({
      company: { formattedIdentifier: rut('cl-no-rut-on-site') },
      confidence: 1,
      method: 'KNOWN',
      evidence: null,
    });
    expect(await enrich({ domain: 'aguascalmas-ficticia.cl' })).toMatchObject({
      status: 200,
      body: { company_name: 'HIDROELECTRICA AGUAS CALMAS S.A.' },
    });
  });

  it('is answered without the registry when the site is clear, for a day only', async () => {
    for (const mirror of ['receita_federal', 'opencnpj']) app.sandbox?.faults.set(mirror, { mode: 'down' });
    expect((await owner('marshmallow-ficticia.com.br')).data.domainOwner).toMatchObject({
      company: { formattedIdentifier: cnpj('clean-sa-closed') },
      confidence: 0.6,
    });
    app.sandbox?.faults.clear();
    later += DAY + 60_000;
    expect((await owner('marshmallow-ficticia.com.br')).data.domainOwner).toMatchObject({ confidence: 0.8 });
  });
});

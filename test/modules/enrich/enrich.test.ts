import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatTaxId } from '../../../src/domain/company.ts';
import { createDomainStore } from '../../../src/sources/domains/store.ts';
import { chileanByStory } from '../../../src/sources/sandbox/chile/world.ts';
import { companyByStory } from '../../../src/sources/sandbox/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const DAY = 86_400_000;
let app: TestApp;
let later = 0;
beforeAll(async () => {
  app = await testApp({ now: () => Date.now() + later });
}, 120_000);
afterAll(() => app.close());
afterEach(() => app.sandbox?.faults.clear());

const rut = (story: string) => formatTaxId({ country: 'CL', taxId: chileanByStory(story).rut });
const cnpj = (story: string) => formatTaxId({ country: 'BR', taxId: companyByStory(story).cnpj });
const enrich = (body: object, key?: string) => app.post('/v1/enrich', body, key);
const asked = (source: string) => app.sandbox?.asked(source).length;

const OWNER = `query ($domain: String!) { domainOwner(domain: $domain) {
  domain company { formattedIdentifier } confidence method reason evidence { url snippet kind } candidates { confidence company { identifier } evidence { kind } } freshness { cached }
} }`;
const owner = async (domain: string) => (await app.query(OWNER, { domain })).body;

describe('POST /v1/enrich', () => {
  it('gives a Chilean company by tax id, field for field', async () => {
    const identifier = ` ${rut('cl-large')} `;
    expect(await enrich({ identifier })).toMatchObject({ status: 200 });
    expect((await enrich({ identifier })).body).toEqual({
      domain: null,
      company_name: 'MINERA PICO DE ORO INVENTADA S.A.',
      identifier: rut('cl-large'),
      activity: 'EXTRACCION Y PROCESAMIENTO DE COBRE',
      activity_code: '040000',
      size: 'large',
      employees_range: '1000+',
      region: 'Antofagasta',
      founded_year: 1993,
      status: 'active',
      tech_stack: null,
      emails: null,
      country: 'CL',
      source: 'sii',
      data_as_of: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });

  it('gives a Brazilian company by tax id, field for field', async () => {
    expect((await enrich({ identifier: companyByStory('clean').cnpj })).body).toEqual({
      domain: null,
      company_name: 'PADARIA LUA DE PAPEL LTDA',
      identifier: companyByStory('clean').cnpj,
      activity: 'Fabricação de produtos de padaria e confeitaria com predominância de produção própria',
      activity_code: '1091102',
      size: 'large',
      employees_range: null,
      region: 'SP',
      founded_year: 2012,
      status: 'active',
      tech_stack: null,
      emails: null,
      country: 'BR',
      source: 'receita_federal',
      data_as_of: null,
    });
  });

  it.each([
    ['marraqueta-ficticia.cl', 'marraqueta-ficticia.cl', () => rut('cl-clean')],
    ['https://www.picodeoro-inventada.cl/', 'picodeoro-inventada.cl', () => rut('cl-large')],
    ['ventas@viñañandu-ficticia.cl', 'viñañandu-ficticia.cl', () => rut('cl-accents')],
    ['CACHAREO-ficticia.cl', 'cachareo-ficticia.cl', () => rut('cl-shop')],
    ['luadepapel-ficticia.com.br', 'luadepapel-ficticia.com.br', () => cnpj('clean')],
    ['letras-ficticia.com.br', 'letras-ficticia.com.br', () => cnpj('alphanumeric')],
    ['imaginaria.sp.gov.br', 'imaginaria.sp.gov.br', () => cnpj('clean-town-hall')],
    ['tressorrisos-ficticia.com.br', 'tressorrisos-ficticia.com.br', () => cnpj('clean-small')],
  ])('finds the company behind %s', async (pasted, domain, identifier) => {
    expect(await enrich({ domain: pasted })).toMatchObject({ status: 200, body: { domain, identifier: identifier() } });
  });

  it('looks at the tax id alone where both are given', async () => {
    const { status, body } = await enrich({ domain: 'no domain at all', identifier: rut('cl-clean') });
    expect({ status, domain: body.domain, identifier: body.identifier }).toEqual({
      status: 200,
      domain: null,
      identifier: rut('cl-clean'),
    });
  });

  it.each([
    ['cl-not-informed', { size: 'unknown', employees_range: null, status: 'active' }],
    ['cl-micro', { size: 'small', employees_range: '0' }],
    ['cl-ended', { status: 'inactive', founded_year: 2001 }],
    ['cl-never-started', { status: 'inactive', activity: '', activity_code: '', employees_range: null }],
  ])('says what the registry knows of %s', async (story, facts) => {
    expect((await enrich({ identifier: rut(story) })).body).toMatchObject(facts);
  });

  it.each([
    ['neither', {}, 'domain'],
    ['nothing in either', { domain: null, identifier: null }, 'domain'],
    ['a wrong type', { domain: 7 }, 'domain'],
    ['no domain', { domain: 'una empresa' }, 'domain'],
    ['another family of domains', { domain: 'empresa.com' }, 'domain'],
    ['a malformed tax id', { identifier: '67.000.001-1' }, 'identifier'],
    ['a Colombian tax id', { identifier: '900.964.705-5' }, 'identifier'],
    ['an empty tax id', { identifier: ' ' }, 'identifier'],
  ])('answers 422 to %s', async (_, body, field) => {
    expect(await enrich(body)).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ field }] } });
  });

  it.each([
    ['cl-unknown', () => ({ identifier: rut('cl-unknown') })],
    ['unknown', () => ({ identifier: cnpj('unknown') })],
    ['naoconsta', () => ({ domain: 'naoconsta-ficticia.com.br' })],
  ])('answers 404 company_not_found for %s', async (_, body) => {
    expect(await enrich(body())).toMatchObject({ status: 404, body: { code: 'company_not_found' } });
  });

  it.each([
    ['aguascalmas-ficticia.cl', /name no company/],
    ['no-existe-ficticio.cl', /no address in the DNS/],
    ['no-existe-ficticio.com.br', /registry has no such domain/],
    ['fulano-ficticio.com.br', /a person holds it/],
    ['sin-robots-ficticio.cl', /asks robots/],
    ['mudado-ficticio.cl', /name no company/],
    ['folleto-ficticio.cl', /name no company/],
  ])('answers 404 domain_not_resolved for %s, with the reason', async (domain, reason) => {
    expect(await enrich({ domain })).toMatchObject({
      status: 404,
      body: { code: 'domain_not_resolved', detail: expect.stringMatching(reason) },
    });
  });

  it.each(['caido-ficticio.cl', 'muralla-ficticia.cl', 'bloqueado-ficticio.com.br', 'apressado-ficticio.com.br'])(
    'UP-03 answers 503 for %s, whose site or registry cannot be read',
    async (domain) => {
      const { status, headers, body } = await enrich({ domain });
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'source_unavailable' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
    },
  );

  it('answers 403 to a key without the module', async () => {
    expect(await enrich({ identifier: rut('cl-clean') }, await app.keyFor('kyb'))).toMatchObject({
      status: 403,
      body: { code: 'module_not_enabled' },
    });
  });
});

describe('the profile of a company', () => {
  it('is answered through GraphQL, with its age', async () => {
    const { body } = await app.query(`{ company(identifier: "${rut('cl-medium')}", country: CL) { profile {
      companyName activity activityCode size employeesRange region foundedYear status country source freshness { dataAsOf stale } } } }`);
    expect(body.data.company.profile).toEqual({
      companyName: 'CONSTRUCTORA CUATRO VIENTOS LTDA',
      activity: 'CONSTRUCCION DE EDIFICIOS PARA USO RESIDENCIAL',
      activityCode: '410010',
      size: 'LARGE',
      employeesRange: '50-199',
      region: 'Biobío',
      foundedYear: 2014,
      status: 'ACTIVE',
      country: 'CL',
      source: 'SII',
      freshness: { dataAsOf: expect.any(String), stale: false },
    });
  });

  it.each([
    ['a company that the registry does not have', () => rut('cl-unknown'), 'CL', 'COMPANY_NOT_FOUND'],
    ['a Colombian company', () => '900.964.705-5', 'CO', 'UNSUPPORTED_COUNTRY'],
  ])('is null beside an error for %s', async (_, identifier, country, code) => {
    const { body } = await app.query(`{ company(identifier: "${identifier()}", country: ${country}) { id profile { status } } }`);
    expect(body).toMatchObject({ data: { company: { id: expect.any(String), profile: null } }, errors: [{ extensions: { code } }] });
  });
});

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

  it('is told with the page it stands on, and the others that are named there', async () => {
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
        { confidence: 0.95, company: { identifier: chileanByStory('cl-medium').rut }, evidence: { kind: 'FOOTER' } },
        { confidence: 0.5, company: { identifier: chileanByStory('cl-agency').rut }, evidence: { kind: 'FOOTER' } },
      ],
      freshness: { cached: false },
    });
  });

  it('is told with the reason where there is none', async () => {
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

  it('UP-10 is kept in the table: the site is not asked again, and the registry of domains once a day', async () => {
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

  it('UP-11 is looked for anew within the hour where there was none', async () => {
    await owner('semnome-ficticia.com.br');
    const before = asked('rdap');
    later += 59 * 60_000;
    await owner('semnome-ficticia.com.br');
    expect(asked('rdap')).toBe(before);
    later += 60_001;
    await owner('semnome-ficticia.com.br');
    expect(asked('rdap')).toBe((before ?? 0) + 1);
  });

  it('is what an operator says within the minute', async () => {
    expect((await owner('aguascalmas-ficticia.cl')).data.domainOwner.company).toBeNull();
    const company = { country: 'CL', taxId: chileanByStory('cl-no-rut-on-site').rut } as const;
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

  it('stands without the registry where the site says it clearly, for a day only', async () => {
    app.sandbox?.faults.set('receita_federal', { mode: 'down' });
    expect((await owner('marshmallow-ficticia.com.br')).data.domainOwner).toMatchObject({
      company: { formattedIdentifier: cnpj('clean-sa-closed') },
      confidence: 0.6,
    });
    app.sandbox?.faults.clear();
    later += DAY + 60_000;
    expect((await owner('marshmallow-ficticia.com.br')).data.domainOwner).toMatchObject({ confidence: 0.8 });
  });
});

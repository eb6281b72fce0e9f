import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { formatTaxId } from '../../../src/domain/company.ts';
import { type TestApp, testApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
}, 120_000);
afterAll(() => app.close());

const rut = (scenario: string) => formatTaxId({ country: 'CL', taxId: chileanByScenario(scenario).rut });
const cnpj = (scenario: string) => formatTaxId({ country: 'BR', taxId: companyByScenario(scenario).cnpj });
const enrich = (body: object, key?: string) => app.post('/v1/enrich', body, key);

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
    expect((await enrich({ identifier: companyByScenario('clean').cnpj })).body).toEqual({
      domain: null,
      company_name: 'PADARIA LUA DE PAPEL LTDA',
      identifier: companyByScenario('clean').cnpj,
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

  it('uses the tax id only when both are given', async () => {
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
  ])('says what the registry knows of %s', async (scenario, facts) => {
    expect((await enrich({ identifier: rut(scenario) })).body).toMatchObject(facts);
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

  it.each([['a company that the registry does not have', () => rut('cl-unknown'), 'CL', 'COMPANY_NOT_FOUND']])(
    'is null beside an error for %s',
    async (_, identifier, country, code) => {
      const { body } = await app.query(`{ company(identifier: "${identifier()}", country: ${country}) { id profile { status } } }`);
      expect(body).toMatchObject({ data: { company: { id: expect.any(String), profile: null } }, errors: [{ extensions: { code } }] });
    },
  );
});

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { minhaReceitaJson } from '../../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { upstream } from '../../support/upstream.ts';
import { call } from '../monitor/api-requests.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
}, 120_000);
afterAll(() => app.close());

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const get = (id: string, country = 'BR', key?: string) => call(app, 'GET', `/v1/companies/${country}/${id}/registration`, key);

const FIELDS = `companyName tradeName legalNature { code text } size capital isCapitalRounded openedOn status statusText statusSince
  statusReason { code text } isBranch mainActivity { code text } otherActivities { code text }
  address { street number complement district municipality region postalCode foreignCity foreignCountry }
  simples { isMember since until } mei { isMember since until } federativeEntity specialSituation specialSituationSince
  source mirror freshness { dataAsOf }`;
const ask = (identifier: string, key?: string) =>
  app.query(`query ($identifier: String!) { company(identifier: $identifier) { id registration { ${FIELDS} } } }`, { identifier }, key);

const NO_REGIME = { isMember: null, since: null, until: null };
const ADDRESS = {
  street: 'RUA DOS EXEMPLOS',
  number: 'S/N',
  complement: null,
  district: 'BAIRRO INVENTADO',
  municipality: 'MAZAGAO',
  region: 'AP',
  postalCode: '68940999',
  foreignCity: null,
  foreignCountry: null,
};

describe('Company.registration', () => {
  it('has the whole record of a Brazilian company', async () => {
    const { body } = await ask(cnpj('activity-leading-zero'));
    expect(body).toEqual({
      data: {
        company: {
          id: expect.any(String),
          registration: {
            companyName: 'CASTANHAS DO NORTE INVENTADO LTDA',
            tradeName: null,
            legalNature: { code: '2062', text: 'Sociedade Empresária Limitada' },
            size: 'DEMAIS',
            capital: '100000',
            isCapitalRounded: false,
            openedOn: '2012-03-14',
            status: 'ACTIVE',
            statusText: 'ATIVA',
            statusSince: '2012-03-14',
            statusReason: null,
            isBranch: false,
            mainActivity: { code: '0220903', text: 'Coleta de castanha-do-pará em florestas nativas' },
            otherActivities: [
              { code: '0210108', text: expect.any(String) },
              { code: '8299799', text: expect.any(String) },
            ],
            address: ADDRESS,
            simples: NO_REGIME,
            mei: NO_REGIME,
            federativeEntity: null,
            specialSituation: null,
            specialSituationSince: null,
            source: 'RECEITA_FEDERAL',
            mirror: 'MINHA_RECEITA',
            freshness: { dataAsOf: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) },
          },
        },
      },
      extensions: expect.anything(),
    });
  });

  it.each([
    ['status-irregular', { status: 'ACTIVE', statusText: 'ATIVA NÃO REGULAR', statusSince: '2024-02-19' }],
    ['status-unfit', { status: 'INACTIVE', statusText: 'INAPTA', statusReason: { code: '63', text: 'OMISSAO DE DECLARACOES' } }],
    ['status-date-null', { statusSince: null }],
    ['activities-null', { otherActivities: null }],
    ['clean', { tradeName: 'LUA DE PAPEL', otherActivities: [] }],
    [
      'clean-branch',
      {
        isBranch: true,
        openedOn: '2019-05-02',
        address: { ...ADDRESS, municipality: 'RIO DE JANEIRO', region: 'RJ', postalCode: '20000999' },
      },
    ],
    ['clean-mixed-economy', { federativeEntity: 'MATO GROSSO', capital: '450000000', isCapitalRounded: true }],
    ['clean-town-hall', { federativeEntity: 'LUGAR NENHUM - AP', capital: '0' }],
    ['judicial-recovery', { specialSituation: 'RECUPERACAO JUDICIAL', specialSituationSince: '2024-06-10' }],
    [
      'simples-left',
      { simples: { isMember: false, since: '2012-03-14', until: '2020-12-31' }, mei: { isMember: false, since: null, until: null } },
    ],
    [
      'clean-domiciled-abroad',
      { size: null, address: expect.objectContaining({ municipality: null, region: null, postalCode: null, foreignCity: 'LUXEMBOURG' }) },
    ],
    ['false-404', { mirror: 'OPENCNPJ', capital: '100000', legalNature: { code: '2062', text: 'Sociedade Empresária Limitada' } }],
  ])('of %s has %j', async (scenario, registration) => {
    expect((await ask(cnpj(scenario))).body.data.company).toMatchObject({ registration });
  });

  it('has what the Chilean registry publishes, and null for the rest', async () => {
    const { body } = await ask(rut('cl-large'));
    expect(body.data.company.registration).toEqual({
      companyName: 'MINERA PICO DE ORO INVENTADA S.A.',
      tradeName: null,
      legalNature: { code: null, text: 'SOCIEDAD ANONIMA CERRADA' },
      size: null,
      capital: null,
      isCapitalRounded: false,
      openedOn: '1993-01-01',
      status: 'ACTIVE',
      statusText: 'INICIO DE ACTIVIDADES',
      statusSince: null,
      statusReason: null,
      isBranch: false,
      mainActivity: { code: '040000', text: 'EXTRACCION Y PROCESAMIENTO DE COBRE' },
      otherActivities: null,
      address: {
        street: null,
        number: null,
        complement: null,
        district: null,
        municipality: 'CALAMA',
        region: 'Antofagasta',
        postalCode: null,
        foreignCity: null,
        foreignCountry: null,
      },
      simples: null,
      mei: null,
      federativeEntity: null,
      specialSituation: null,
      specialSituationSince: null,
      source: 'SII',
      mirror: null,
      freshness: { dataAsOf: expect.any(String) },
    });
    expect((await ask(rut('cl-ended'))).body.data.company.registration).toMatchObject({ status: 'INACTIVE', statusSince: '2019-08-31' });
  });

  it('is null beside an error for a company that the registry does not have', async () => {
    for (const unknown of [cnpj('unknown'), rut('cl-unknown'), '900123456-8']) {
      const { body } = await ask(unknown);
      expect(body).toMatchObject({ data: { company: { registration: null } }, errors: [{ extensions: { code: 'COMPANY_NOT_FOUND' } }] });
    }
  });

  it('needs the module kyb', async () => {
    const { body } = await ask(cnpj('clean'), await app.keyFor('enrich'));
    expect(body).toMatchObject({ data: { company: { registration: null } }, errors: [{ extensions: { code: 'MODULE_NOT_ENABLED' } }] });
  });
});

describe('GET /v1/companies/{country}/{id}/registration', () => {
  it('answers with the same record', async () => {
    const { status, body } = await get(cnpj('activity-leading-zero'), 'br');
    expect(status).toBe(200);
    expect(body).toEqual({
      identifier: cnpj('activity-leading-zero'),
      country: 'BR',
      company_name: 'CASTANHAS DO NORTE INVENTADO LTDA',
      trade_name: null,
      legal_nature: { code: '2062', text: 'Sociedade Empresária Limitada' },
      size: 'DEMAIS',
      capital: '100000',
      is_capital_rounded: false,
      opened_on: '2012-03-14',
      status: 'active',
      status_text: 'ATIVA',
      status_since: '2012-03-14',
      status_reason: null,
      is_branch: false,
      main_activity: { code: '0220903', text: 'Coleta de castanha-do-pará em florestas nativas' },
      other_activities: [
        { code: '0210108', text: expect.any(String) },
        { code: '8299799', text: expect.any(String) },
      ],
      address: {
        street: 'RUA DOS EXEMPLOS',
        number: 'S/N',
        complement: null,
        district: 'BAIRRO INVENTADO',
        municipality: 'MAZAGAO',
        region: 'AP',
        postal_code: '68940999',
        foreign_city: null,
        foreign_country: null,
      },
      simples: { is_member: null, since: null, until: null },
      mei: { is_member: null, since: null, until: null },
      federative_entity: null,
      special_situation: null,
      special_situation_since: null,
      chamber_registrations: null,
      last_renewed_year: null,
      not_renewed_since: null,
      source: 'receita_federal',
      mirror: 'minha_receita',
      data_as_of: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });

  it.each([
    ['an unknown company', () => get(cnpj('unknown')), 404, 'company_not_found'],
    ['a wrong check digit', () => get('99010001000185'), 422, 'invalid_input'],
    ['another country', () => get('9001234568', 'PE'), 422, 'unsupported_country'],
    ['a key without the module', async () => get(cnpj('clean'), 'BR', await app.keyFor('enrich')), 403, 'module_not_enabled'],
  ])('refuses %s', async (_, answer, status, code) => {
    expect(await answer()).toMatchObject({ status, body: { code } });
  });

  it('accepts a CNPJ with its punctuation, encoded', async () => {
    expect(await get('99.010.001%2F0001-84')).toMatchObject({ status: 200, body: { company_name: 'PADARIA LUA DE PAPEL LTDA' } });
  });
});

describe('the call of the registry', () => {
  /** A service over a single mirror. */
  async function over(reply: { readonly status?: number; readonly body: unknown }) {
    const mirror = await upstream((path) => (path === '/updated' ? { body: { message: '2026-10-14' } } : reply));
    const service = await testApp({ env: { QUIPU_RECEITA_URL: mirror.url, QUIPU_RECEITA_FALLBACK_URL: '' }, listsTried: false });
    onTestFinished(() => service.close());
    return { service, mirror };
  }
  const BOTH = 'query ($id: String!) { company(identifier: $id) { kyb { status } registration { capital } profile { size } } }';

  it('is made once for registration, kyb and profile', async () => {
    const { service, mirror } = await over({ body: minhaReceitaJson(companyByScenario('clean')) });
    const { body } = await service.query(BOTH, { id: cnpj('clean') });
    expect(body.data.company).toMatchObject({ kyb: { status: 'ACTIVE' }, registration: { capital: '100000' } });
    expect(mirror.asked.filter((path) => path !== '/updated')).toEqual([`/${cnpj('clean')}`]);
  });

  it.each([
    ['is down', { status: 503, body: { message: 'x' } }],
    ['answers in another shape', { body: { ...minhaReceitaJson(companyByScenario('clean')), cep: {} } }],
  ])('UP-03 makes the record an error, never empty, where the mirror %s', async (_, reply) => {
    const { service } = await over(reply);
    const { body } = await service.query(BOTH, { id: cnpj('clean') });
    expect(body.data.company.registration).toBeNull();
    expect(body.errors).toContainEqual(
      expect.objectContaining({
        path: ['company', 'registration'],
        extensions: expect.objectContaining({ code: 'SOURCE_UNAVAILABLE' }),
      }),
    );
    expect(await call(service, 'GET', `/v1/companies/BR/${cnpj('clean')}/registration`)).toMatchObject({
      status: 503,
      body: { code: 'source_unavailable' },
    });
  });
});

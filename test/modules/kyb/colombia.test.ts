import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { PERSONS_NIT } from '../../../sandbox/world/colombian-register.ts';
import { foreignCompanyByScenario } from '../../../sandbox/world/foreign-companies.ts';
import { nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call } from '../monitor/api-requests.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
}, 120_000);
afterAll(() => app.close());

const nit = (scenario: string): string => colombianByScenario(scenario).nit;
const DAY = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);

const KYB = `status verified companyName registration foundedYear endDate isBranch specialSituation absence renewalsMissed lastRenewedYear notRenewedSince source
  mirror freshness { dataAsOf }`;
const kybOf = async (identifier: string, key?: string) => {
  const { body } = await app.query(
    `query ($id: String!) { company(identifier: $id, country: CO) { kyb { ${KYB} } } }`,
    { id: identifier },
    key,
  );
  return { kyb: body.data.company.kyb, errors: body.errors };
};

describe('Company.kyb of a Colombian company', () => {
  it('is the registration at its chamber of commerce, at the date of the data', async () => {
    const { kyb } = await kybOf(nit('co-several-rows'));
    expect(kyb).toEqual({
      status: 'ACTIVE',
      verified: true,
      companyName: 'FABRICA DE TRES CAMARAS S.A.',
      registration: 'ACTIVA',
      foundedYear: 1972,
      endDate: null,
      isBranch: false,
      specialSituation: null,
      absence: null,
      lastRenewedYear: expect.any(Number),
      notRenewedSince: null,
      renewalsMissed: null,
      source: 'RUES',
      mirror: null,
      freshness: { dataAsOf: DAY },
    });
  });

  it.each([
    ['co-cancelled', { status: 'INACTIVE', verified: false, registration: 'MATRÍCULA CANCELADA POR FUSIÓN', endDate: '2019-06-30' }],
    ['co-not-renewed', { status: 'ACTIVE', verified: true, notRenewedSince: expect.any(Number) }],
    ['co-branch-left', { status: 'ACTIVE', verified: false, isBranch: true }],
    ['co-consortium', { status: 'NOT_FOUND', verified: false, absence: 'NOT_IN_REGISTER', companyName: null, registration: null }],
    ['co-never-registered', { status: 'NOT_FOUND', absence: 'NOT_REGISTERED', companyName: null }],
  ])('states of %s what the register states', async (scenario, expected) => {
    expect((await kybOf(nit(scenario))).kyb).toMatchObject(expected);
  });

  it('shows nothing of a person', async () => {
    expect((await kybOf(PERSONS_NIT)).kyb).toMatchObject({ status: 'NOT_FOUND', absence: 'NOT_IN_REGISTER', companyName: null });
    expect((await kybOf(`7912345-${nitCheckDigit('7912345')}`)).kyb).toMatchObject({
      status: 'NOT_FOUND',
      absence: 'NATURAL_PERSON',
      companyName: null,
    });
  });

  it('UP-03 is null beside an error for a state that is not known, and while the register fails', async () => {
    expect(await kybOf(nit('co-unknown-state'))).toMatchObject({
      kyb: null,
      errors: [{ extensions: { code: 'SOURCE_UNAVAILABLE', source: 'RUES' } }],
    });
    app.sandbox?.faults.set('rues', { mode: 'html_200' });
    onTestFinished(() => app.sandbox?.faults.clear());
    expect(await kybOf(nit('co-crowd-1'))).toMatchObject({ kyb: null, errors: [{ extensions: { code: 'SOURCE_UNAVAILABLE' } }] });
  });

  it('needs the module, and is counted for it', async () => {
    expect((await kybOf(nit('co-supplier'), await app.keyFor('sanctions'))).errors).toMatchObject([
      { extensions: { code: 'MODULE_NOT_ENABLED' } },
    ]);
    const { body } = await app.query(`{ company(identifier: "${nit('co-supplier')}") { kyb { status } name } }`);
    expect(body.extensions.cost.counted).toEqual({ KYB: 1 });
  });

  it('GQ-11 costs one call for 50 companies', async () => {
    const companies = Array.from({ length: 16 }, (_, i) => nit(`co-crowd-${i + 1}`));
    const before = app.sandbox?.requestsTo('rues').filter((path) => path.startsWith('/resource')).length ?? 0;
    const { body } = await app.query(
      'query ($ids: [String!]!) { companies(identifiers: $ids) { kyb { status } registration { status } profile { status } } }',
      {
        ids: companies.slice(1),
      },
    );
    expect(body.data.companies.every(({ kyb }: { kyb: { status: string } }) => kyb.status === 'ACTIVE')).toBe(true);
    expect((app.sandbox?.requestsTo('rues').filter((path) => path.startsWith('/resource')).length ?? 0) - before).toBe(1);
  });
});

describe('Company.registration of a Colombian company', () => {
  const REGISTRATION = `companyName tradeName legalNature { code text } openedOn status statusText statusSince isBranch mainActivity { code text }
    otherActivities { code text } address { municipality region } lastRenewedYear notRenewedSince source mirror
    chamberRegistrations { chamber number state category registeredOn lastRenewedYear cancelledOn isChosen }`;

  it('has all its registrations, the chosen one first', async () => {
    const { body } = await app.query(`{ company(identifier: "${nit('co-several-rows')}") { registration { ${REGISTRATION} } } }`);
    expect(body.data.company.registration).toMatchObject({
      companyName: 'FABRICA DE TRES CAMARAS S.A.',
      tradeName: 'FATRECA',
      legalNature: { code: null, text: 'SOCIEDAD ANONIMA' },
      openedOn: '1972-09-05',
      status: 'ACTIVE',
      statusText: 'ACTIVA',
      statusSince: null,
      mainActivity: { code: '4669', text: null },
      otherActivities: [{ code: '4690', text: null }],
      address: { municipality: null, region: 'BOGOTA' },
      source: 'RUES',
      chamberRegistrations: [
        { chamber: 'BOGOTA', state: 'ACTIVA', category: 'MAIN', registeredOn: '1972-09-05', isChosen: true },
        { chamber: 'BARRANQUILLA', state: 'CANCELADA', category: 'OTHER', cancelledOn: '2013-06-12', isChosen: false },
        { chamber: 'CALI', state: 'NO ASIGNADO', category: 'OTHER', registeredOn: null, isChosen: false },
      ],
    });
  });

  it('is an error that names the date for a NIT that is not registered', async () => {
    const { body } = await app.query(`{ company(identifier: "${nit('co-consortium')}") { registration { status } } }`);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(/^The commercial register of \d{4}-\d\d-\d\d has no company with this NIT\. The state, consortia/),
      extensions: { code: 'COMPANY_NOT_FOUND' },
    });
  });

  it('is the same over REST', async () => {
    const { status, body } = await call(app, 'GET', `/v1/companies/CO/${nit('co-moved')}/registration`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      country: 'CO',
      company_name: 'TRASLADOS DEL VALLE LTDA',
      status: 'active',
      opened_on: '2007-09-04',
      chamber_registrations: [
        { chamber: 'BOGOTA', category: 'main', is_chosen: true },
        { chamber: 'CALI', state: 'MATRÍCULA CANCELADA POR TRASLADO DE DOMICILIO', is_chosen: false },
      ],
      source: 'rues',
      mirror: null,
      data_as_of: DAY,
    });
    expect(await call(app, 'GET', `/v1/companies/CO/${nit('co-consortium')}/registration`)).toMatchObject({ status: 404 });
  });
});

describe('Company.profile and Company.name of a Colombian company', () => {
  it('are read from the register', async () => {
    const { body } = await app.query(
      `{ company(identifier: "${nit('co-mojibake')}") { name profile { companyName activity activityCode size employeesRange region foundedYear status country source } } }`,
    );
    expect(body.data.company).toEqual({
      name: 'COMPAÑÍA NARIÑENSE DE CAFÉ S.A.S.',
      profile: {
        companyName: 'COMPAÑÍA NARIÑENSE DE CAFÉ S.A.S.',
        activity: null,
        activityCode: '6201',
        size: 'UNKNOWN',
        employeesRange: null,
        region: 'PASTO',
        foundedYear: 2012,
        status: 'ACTIVE',
        country: 'CO',
        source: 'RUES',
      },
    });
  });

  it('names a consortium by its contracts, and nobody for a key without kyb and tenders', async () => {
    const query = `{ company(identifier: "${nit('co-consortium')}") { name } }`;
    expect((await app.query(query)).body.data.company.name).toBe('CONSORCIO PUENTES DE PAPEL');
    expect((await app.query(query, {}, await app.keyFor('kyb'))).body.data.company.name).toBeNull();
    const { body } = await app.query(query, {}, await app.keyFor('sanctions'));
    expect([body.data.company.name, body.errors]).toEqual([null, undefined]);
  });
});

describe('Company.owners of a Colombian company', () => {
  const OWNERS = `companyKnown partnersPublished companyName count source mirror
    owners { name role entityType identifier entryDate company { id } screening { candidates { entryName } listsChecked } }`;
  const ownersOf = async (scenario: string, key?: string) => {
    const { body } = await app.query(`{ company(identifier: "${nit(scenario)}", country: CO) { owners { ${OWNERS} } } }`, {}, key);
    return { owners: body.data.company.owners, errors: body.errors };
  };

  it('has the legal representative as an officer, by name alone, and says that partners are not published', async () => {
    expect(await ownersOf('co-supplier')).toEqual({
      owners: {
        companyKnown: true,
        partnersPublished: false,
        companyName: 'SOLUCIONES LA FICCION S.A.S.',
        count: 1,
        source: 'RUES',
        mirror: null,
        owners: [
          {
            name: 'PEREZ INVENTADO ANA',
            role: 'Representante legal',
            entityType: 'INDIVIDUAL',
            identifier: null,
            entryDate: null,
            company: null,
            screening: { candidates: [], listsChecked: ['OFAC_SDN', 'UN_CONSOLIDATED'] },
          },
        ],
      },
      errors: undefined,
    });
  });

  it.each([
    [
      'co-company-representative',
      { count: 1, owners: [{ name: 'REPRESENTANTE IMAGINARIA S.A.S.', entityType: 'COMPANY', company: null }] },
    ],
    ['co-cancelled', { companyKnown: true, partnersPublished: false, count: 0, owners: [] }],
    ['co-consortium', { companyKnown: false, partnersPublished: false, companyName: null, count: 0, owners: [] }],
  ])('of %s', async (scenario, expected) => {
    expect((await ownersOf(scenario)).owners).toMatchObject(expected);
  });

  it('is counted for owners, and not for a company that is not registered; /v1/owners serves Brazil only', async () => {
    const { body } = await app.query(`query ($ids: [String!]!) { companies(identifiers: $ids) { owners { count } } }`, {
      ids: [nit('co-supplier'), nit('co-consortium')],
    });
    expect(body.extensions.cost.counted).toEqual({ OWNERS: 1 });
    expect(await app.post('/v1/owners', { identifier: nit('co-supplier'), country: 'CO' })).toMatchObject({ status: 422 });
  });
});

describe('the endpoints of the contract', () => {
  it.each([
    ['/v1/kyb', { identifier: foreignCompanyByScenario('co-clean').taxId, country: 'CO' }, 'KYB is available for BR, CL only.'],
    ['/v1/enrich', { identifier: foreignCompanyByScenario('co-clean').taxId }, null],
  ])('%s still serves Brazil and Chile only', async (path, body, message) => {
    const reply = await app.post(path, body);
    expect(reply.status).toBe(422);
    if (message) expect(JSON.stringify(reply.body)).toContain(message);
  });
});

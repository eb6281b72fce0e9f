import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { formatRut } from '../../../src/domain/tax-id.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithChile } from '../tax-health/chile.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const [BEFORE, AFTER] = ['2025-11-25', '2026-11-25'];
const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const nameOf = (scenario: string): string => chileanByScenario(scenario).name;

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile({ now: () => NOW });
}, 120_000);
afterAll(() => app.close());

const HISTORY = `query ($id: String!, $first: Int, $after: String, $fields: [RegistryField!]) { company(identifier: $id, country: CL) {
  history(first: $first, after: $after, fields: $fields) {
    nodes { id field before after extractFrom extractTo establishment { identifier } partner { name identifier entityType role share } }
    fields coveredFrom coveredTo coverage coverageCode freshness { dataAsOf } pageInfo { hasNextPage endCursor }
  } } }`;

async function history(scenario: string, variables: object = {}, key = app.key) {
  const { body } = await app.query(HISTORY, { id: rut(scenario), ...variables }, key);
  return { found: body.data?.company?.history, error: body.errors?.[0]?.extensions, counted: body.extensions?.cost?.counted };
}

async function get(path: string, language = 'en') {
  const answer = await app.server.inject({ method: 'GET', url: path, headers: { 'x-api-key': app.key, 'accept-language': language } });
  return { status: answer.statusCode, body: answer.json() };
}

const OWNERS = `query ($id: String!, $asOf: Date) { company(identifier: $id, country: CL, asOf: $asOf) { asOf
  owners { companyKnown composition { status complete coverage coverageCode } freshness { dataAsOf }
    owners { name entityType identifier share { percent asOf } } } kyb { status } } }`;

describe('the history of a Chilean company', () => {
  it('has, of the two years of the sandbox, an owner that left and a share that changed', async () => {
    const { found, counted } = await history('cl-large');
    expect(found).toMatchObject({
      fields: ['PARTNER_JOINED', 'PARTNER_LEFT', 'PARTNER_SHARE', 'REGISTERED', 'REMOVED'],
      coveredFrom: BEFORE,
      coveredTo: AFTER,
      coverageCode: 'coverage.ownersFiles',
      coverage: expect.stringContaining(
        'once a year. Files from 2025-11-25 to 2026-11-25 were compared; nothing is known about the time before',
      ),
      freshness: { dataAsOf: AFTER },
      pageInfo: { hasNextPage: false },
    });
    const dates = { extractFrom: BEFORE, extractTo: AFTER, establishment: null };
    const partner = (scenario: string, share: string) => ({
      name: nameOf(scenario),
      identifier: rut(scenario),
      entityType: 'COMPANY',
      role: 'Socio',
      share,
    });
    expect(found.nodes).toHaveLength(2);
    expect(found.nodes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          field: 'PARTNER_LEFT',
          before: nameOf('cl-crowd-3'),
          after: null,
          partner: partner('cl-crowd-3', '10.5'),
          ...dates,
        }),
        expect.objectContaining({ field: 'PARTNER_SHARE', before: '60', after: '70.5', partner: partner('cl-crowd-1', '70.5'), ...dates }),
      ]),
    );
    expect(counted).toEqual({ KYB: 1 });
  });

  it('names natural persons as one owner, without a name', async () => {
    const { found } = await history('cl-medium', { fields: ['PARTNER_SHARE'] });
    expect(found.nodes).toMatchObject([
      { before: '66.67', after: '33.34', partner: { name: '', identifier: null, entityType: 'NATURAL_PERSONS', share: '33.34' } },
    ]);
  });

  it('begins with the first file that has the owners of the company', async () => {
    const { found } = await history('cl-agency');
    expect(found.nodes).toMatchObject([{ field: 'REGISTERED', before: null, after: null, partner: null }]);
  });

  it('is empty for a company that did not change, also for one that is in neither file', async () => {
    for (const scenario of ['cl-crowd-2', 'cl-municipality'])
      expect((await history(scenario)).found).toMatchObject({ nodes: [], coveredFrom: BEFORE, coveredTo: AFTER });
  });

  it('is an error for a company that neither the files nor the registry have', async () => {
    expect(await history('cl-unknown')).toMatchObject({ found: null, error: { code: 'COMPANY_NOT_FOUND' } });
  });

  it('has no owners for a key without their module', async () => {
    const key = await app.keyFor('kyb');
    expect((await history('cl-large', {}, key)).found).toMatchObject({ fields: ['REGISTERED', 'REMOVED'], nodes: [] });
    expect(await history('cl-large', { fields: ['PARTNER_LEFT'] }, key)).toMatchObject({ error: { code: 'MODULE_NOT_ENABLED' } });
  });

  it('is read by REST, page by page and in Spanish and Portuguese', async () => {
    const path = `/v1/companies/CL/${rut('cl-large')}/history`;
    const { status, body } = await get(`${path}?limit=1`, 'es');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      country: 'CL',
      covered_from: BEFORE,
      covered_to: AFTER,
      coverage: expect.stringContaining('nada se sabe del tiempo anterior'),
      coverage_code: 'coverage.ownersFiles',
      changes: [{ partner: { entity_type: 'company', share: expect.stringMatching(/^(70|10)\.5$/) } }],
      has_more: true,
    });
    const next = await get(`${path}?limit=1&after=${body.next_after}`, 'pt');
    expect(next.body).toMatchObject({
      changes: [{}],
      has_more: false,
      coverage: expect.stringContaining('nada se sabe do tempo anterior'),
    });
  });
});

describe('the owners of a Chilean company at an earlier date', () => {
  const ownersAt = async (scenario: string, asOf: string | null) => {
    const { body } = await app.query(OWNERS, { id: rut(scenario), asOf });
    return {
      owners: body.data?.company?.owners,
      kyb: body.data?.company?.kyb,
      errors: body.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code),
    };
  };

  it('are those of the last file up to that day, whose date is that of the answer', async () => {
    const { owners, kyb, errors } = await ownersAt('cl-large', '2026-11-24');
    expect(owners).toMatchObject({
      companyKnown: true,
      composition: {
        status: 'PUBLISHED',
        complete: true,
        coverageCode: 'coverage.ownersFile',
        coverage: expect.stringContaining('once a year; this file is of 2025-11-25'),
      },
      freshness: { dataAsOf: BEFORE },
      owners: [
        { name: nameOf('cl-crowd-1'), share: { percent: '60', asOf: BEFORE } },
        { share: { percent: '29.5' } },
        { name: nameOf('cl-crowd-3'), share: { percent: '10.5' } },
      ],
    });
    expect([kyb, errors]).toEqual([null, ['AS_OF_NOT_SUPPORTED']]);
  });

  it('are those of today on the day of the newest file', async () => {
    const [then, today] = [await ownersAt('cl-large', AFTER), await ownersAt('cl-large', null)];
    expect(then.owners).toEqual(today.owners);
    expect(then.owners.owners).toHaveLength(2);
  });

  it('are not published for a company that the file of that year did not have', async () => {
    expect((await ownersAt('cl-agency', '2026-01-01')).owners).toMatchObject({ composition: { status: 'NOT_PUBLISHED' }, owners: [] });
  });

  it('are found again by the id of the company at that date', async () => {
    const query = 'query ($id: String!) { company(identifier: $id, country: CL, asOf: "2026-01-01") { id } }';
    const { id } = (await app.query(query, { id: rut('cl-large') })).body.data.company;
    const again = 'query ($id: ID!) { node(id: $id) { ... on Company { asOf owners { freshness { dataAsOf } } } } }';
    const { body } = await app.query(again, { id });
    expect(body.data.node).toEqual({ asOf: '2026-01-01', owners: { freshness: { dataAsOf: BEFORE } } });
  });

  it('are not known before the first file', async () => {
    const { body } = await app.query(OWNERS, { id: rut('cl-large'), asOf: '2025-11-24' });
    const problem = body.errors?.find(({ path }: { path: string[] }) => path.includes('owners'));
    expect(body.data?.company?.owners).toBeNull();
    expect(problem).toMatchObject({
      message: `The Chilean tax registry publishes the owners of companies once a year. What the service knows of those of this company begins with the file of ${BEFORE}.`,
      extensions: { code: 'NO_RECORD_THEN' },
    });
  });

  it('say in the language of the request that the file is yearly', async () => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'x-api-key': app.key, 'accept-language': 'pt' },
      payload: { query: OWNERS, variables: { id: formatRut(rut('cl-large')), asOf: null } },
    });
    expect(answer.json().data.company.owners.composition.coverage).toContain('uma vez por ano; este arquivo é de 2026-11-25');
  });
});

import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { formatTaxId } from '../../src/domain/company.ts';
import { formatRut } from '../../src/domain/tax-id.ts';
import { appWithChile } from '../modules/tax-health/chile.ts';
import type { TestApp } from '../support/app.ts';
import { COPY_MODE, loadSandboxCopy } from '../support/registry-copy.ts';

/** The tools of the company graph, called by the client of the SDK over HTTP. It compares every result with the schema of the tool. */

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await appWithChile({ env: COPY_MODE });
  await loadSandboxCopy(app);
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.server.address() as AddressInfo;
  client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'X-API-Key': app.key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit }));
  await client.listTools();
}, 120_000);
afterAll(async () => {
  await client?.close();
  await app.close();
});

const chilean = (scenario: string): string => formatRut(chileanByScenario(scenario).rut);
const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const shown = (scenario: string) => ({ formattedIdentifier: formatTaxId({ country: 'BR', taxId: cnpj(scenario) }) });

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
async function call(name: string, args: Record<string, unknown>): Promise<any> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  expect([isError ?? false, structuredContent]).toEqual([false, expect.not.objectContaining({ errors: expect.anything() })]);
  return structuredContent;
}

describe('the tools of the company graph', () => {
  it('have the companies of a group, and those that a company owns', async () => {
    const { data, extensions } = await call('company_group', { identifier: cnpj('group-leaf'), depth: '2' });
    const nodes = ['group-leaf', 'group-middle', 'group-cellar', 'debarred-both'].map((one) =>
      expect.objectContaining({ company: shown(one) }),
    );
    expect(data.company.group.nodes).toEqual(nodes);
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
    const owned = await call('company_holdings', { identifier: cnpj('debarred-both') });
    expect(owned.data.company.owns.nodes).toMatchObject([{ company: shown('group-middle') }]);
  });

  it('have the owners of a company, and its record, of today and of an earlier day', async () => {
    const { data, extensions } = await call('company_owners', { identifier: cnpj('clean') });
    expect(data.company.owners).toMatchObject({
      companyKnown: true,
      owners: expect.arrayContaining([expect.objectContaining({ entityType: 'INDIVIDUAL' })]),
    });
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
    const { dataAsOf: asOf } = data.company.owners.freshness;
    const then = await call('company_owners', { identifier: cnpj('clean'), asOf });
    expect(then.data.company.owners).toMatchObject({ owners: data.company.owners.owners, freshness: { dataAsOf: asOf } });
    const record = await call('company_registration', { identifier: cnpj('clean'), asOf });
    expect(record.data.company.registration).toMatchObject({ status: 'ACTIVE', freshness: { dataAsOf: asOf } });
  });

  it('have the debarred company of a group, with the path to it', async () => {
    const { data, extensions } = await call('company_group_findings', { identifier: cnpj('group-cellar') });
    const { findings, complete } = data.company.groupFindings;
    expect(complete).toBe(true);
    expect(findings.length).toBeGreaterThan(0);
    for (const finding of findings) expect(finding).toMatchObject({ company: shown('debarred-both'), relation: 'OWNER', depth: 3 });
    expect(findings[0].path.map(({ owner }: { owner: object }) => owner)).toEqual(
      ['group-leaf', 'group-middle', 'debarred-both'].map(shown),
    );
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
  });

  it('have the natural persons above a company, without a figure that the registry does not have', async () => {
    const { data } = await call('company_beneficial_owners', { identifier: cnpj('owners-level-1'), minShare: '50' });
    expect(data.company.beneficialOwners).toMatchObject({ complete: true, notSeen: [] });
    expect(data.company.beneficialOwners.owners[1]).toMatchObject({
      registeredIn: shown('owners-top'),
      share: { percent: null, basis: 'NOT_FILED' },
    });
  });

  it('have the listed company of a Chilean group, by a RUT', async () => {
    const { data } = await call('company_group_findings', { identifier: chilean('cl-listed-owner'), country: 'CL' });
    expect(data.company.groupFindings).toMatchObject({
      findings: [{ company: { formattedIdentifier: chilean('cl-sanctioned') }, relation: 'OWNER', list: 'OFAC_SDN' }],
      listsNotChecked: ['CEIS', 'CNEP', 'TRABALHO_ESCRAVO'].map((list) => ({ list, reason: 'NO_TAX_ID' })),
    });
  });

  it('have the natural persons of Chilean companies together, with their share', async () => {
    const { data } = await call('company_beneficial_owners', { identifier: chilean('cl-large'), country: 'CL' });
    expect(data.company.beneficialOwners.owners).toMatchObject([
      { name: '', isAggregate: true, registeredIn: { formattedIdentifier: chilean('cl-crowd-1') }, share: { percent: '28.2' } },
      { name: '', isAggregate: true, registeredIn: { formattedIdentifier: chilean('cl-crowd-2') }, share: { percent: '42.3' } },
    ]);
  });

  it('have the other companies of each owner, and on what the identity of a person rests', async () => {
    const { data, extensions } = await call('company_owners_companies', { identifier: cnpj('group-leaf'), first: 5 });
    const { owners } = data.company.owners;
    expect(owners).toContainEqual(
      expect.objectContaining({
        name: 'ELISA PEREIRA ALHURES',
        identity: { identifier: '***000082**', name: 'ELISA PEREIRA ALHURES', namesakes: 1, expectedOthers: 0 },
        otherCompanies: expect.objectContaining({ nodes: [expect.objectContaining({ company: shown('group-neighbour') })] }),
      }),
    );
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 + owners.length });
  });

  it('have a path between two companies', async () => {
    const { data } = await call('company_connection', { from: cnpj('group-cellar'), to: cnpj('group-neighbour') });
    expect(data.connection).toMatchObject({ status: 'FOUND', length: 3 });
  });
});

import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { dataFolder, run } from '../support/process.ts';

const BANNER = /Quipu answers at (\S+)[\s\S]*Data: (.*)\n[\s\S]*Demo key: (\S+)[\s\S]*Explorer:\n\S+\n/;
/** The mode that a person gets who sets nothing. */
const ALONE = { PORT: '0', LOG_LEVEL: 'info', QUIPU_RECEITA_MODE: '' };

/** Starts the service, and returns functions that ask it with the demo key. */
async function start(folder: string, env: Readonly<Record<string, string>> = {}) {
  const server = run('src/main.ts', [], { ...ALONE, QUIPU_DATA_DIR: folder, ...env });
  const [, url = '', loaded = '', key = ''] = await server.printed(BANNER);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const read = async (answer: Response) => ({ status: answer.status, body: (await answer.json()) as Record<string, unknown> });
  return {
    server,
    loaded,
    post: async (path: string, body: object) => read(await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })),
    get: async (path: string) => read(await fetch(`${url}${path}`, { headers })),
    imports: () => [...server.err().matchAll(/"outcome":"(\w+)","extractedOn":"(\d{4}-\d\d)-14"/g)].map(([, ...facts]) => facts),
  };
}

const cnpjOf = (scenario: string) => companyByScenario(scenario).cnpj;
const company = (scenario: string) => ({ identifier: cnpjOf(scenario), country: 'BR' });

/** The changes of the company that a partner left, as the dashboard reads them. */
const CHANGES = `{ changes(first: 100, identifiers: ["${cnpjOf('clean-school')}"]) { nodes { changedFields { field from to } } } }`;

describe('npm start alone', () => {
  it('answers from two months of the Brazilian registry, and reports a partner who left as a change', async () => {
    const folder = await dataFolder();
    const { server, loaded, post, get, imports } = await start(folder);
    expect(loaded).toMatch(/^(\d+) of \1 lists and copies loaded$/);
    expect(server.out()).toContain('the newest one is loaded in about a minute');
    expect((await get('/readyz')).body).toMatchObject({ details: [`${loaded}.`, expect.stringMatching(/^The own copy of .* older/)] });

    const { name, cnpj } = companyByScenario('clean');
    const found = await post('/v1/search', { name, country: 'BR' });
    expect(found).toMatchObject({
      status: 200,
      body: { results: expect.arrayContaining([expect.objectContaining({ identifier: cnpj })]) },
    });
    const holdings = await get(`/v1/companies/BR/${cnpjOf('group-leaf')}/holdings`);
    expect([holdings.status, JSON.stringify(holdings.body)]).toEqual([200, expect.stringContaining(cnpjOf('group-cellar'))]);
    const findings = await post('/v1/group-findings', { ...company('group-cellar'), depth: 3 });
    expect([findings.status, JSON.stringify(findings.body)]).toEqual([
      200,
      expect.stringContaining(companyByScenario('debarred-both').name),
    ]);
    const ends = { from: company('group-cellar'), to: company('group-neighbour') };
    expect(await post('/v1/connection', ends)).toMatchObject({ status: 200 });

    const left = async () => JSON.stringify((await post('/graphql', { query: CHANGES })).body);
    expect(await left()).not.toContain('OWNERS');
    await expect.poll(left, { timeout: 120_000, interval: 1_000 }).toMatch(/"field":"OWNERS","from":"[^"]+ \(\*{3}\d{6}\*{2}\)","to":null/);
    expect(imports().map(([outcome]) => outcome)).toEqual(['loaded', 'loaded']);
    const history = await get(`/v1/companies/BR/${cnpjOf('clean-school')}/history`);
    expect([history.status, JSON.stringify(history.body)]).toEqual([200, expect.stringContaining('partner_left')]);

    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const again = await start(folder);
    expect(again.loaded).toBe(loaded);
    expect(again.server.out()).not.toContain('the newest one');
    await expect.poll(again.imports, { timeout: 30_000 }).toEqual([['unchanged', imports()[1]?.[1]]]);
  }, 240_000);
});

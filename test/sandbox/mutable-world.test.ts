import { afterEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/server/server.ts';
import { changingCompanies } from '../../sandbox/world/brazil/companies/changing.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { SECOND_MS } from '../../src/domain/time.ts';
import { USER_AGENT } from '../../src/sources/http/message.ts';
import { porteOf } from '../../src/sources/receita-federal/company.ts';
import { bytesOf, cp1252, NOON, simulators, unzip } from './support.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A separate sandbox, whose clock has the last value given to `at`. */
async function world() {
  let now = NOON;
  const sandbox = await startSandbox({ simulators, now: () => now });
  closing.push(() => sandbox.close());
  const get = (path: string, init?: RequestInit) =>
    fetch(sandbox.url + path, { ...init, headers: { 'user-agent': USER_AGENT, ...init?.headers } });
  const json = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>;
  return {
    at: (ms: number) => {
      now = ms;
    },
    get,
    /** Status, size and activity; both registries must agree on them. */
    async registered(cnpj: string) {
      const minha = await json(`/receita_federal/${cnpj}`);
      const open = await json(`/opencnpj/${cnpj}`);
      const activity = String(minha.cnae_fiscal).padStart(7, '0');
      expect([String(open.situacao_cadastral).toUpperCase(), open.cnae_principal]).toEqual([minha.descricao_situacao_cadastral, activity]);
      expect(porteOf(String(open.porte_empresa))).toBe(porteOf(String(minha.porte)));
      return { status: minha.descricao_situacao_cadastral, size: minha.porte, activity, since: minha.data_situacao_cadastral };
    },
    async call(method: string, path: string, body?: unknown) {
      const answer = await get(`/_control/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
      return { status: answer.status, body: answer.status === 204 ? null : ((await answer.json()) as Record<string, unknown>) };
    },
    /** The CEIS rows that name a CNPJ. */
    async listed(list: 'ceis' | 'cnep', cnpj: string) {
      const files = await unzip(await bytesOf(await get(`/${list}/20261121`)));
      const lines = cp1252([...files.values()][0] as Buffer).split('\r\n');
      return lines.filter((line) => line.includes(`"${cnpj}"`));
    },
  };
}

const { cnpj: CLEAN } = companyByScenario('clean');

describe('a company with a schedule of changes', () => {
  it.each([
    ['living-status', 'status'],
    ['living-size', 'size'],
    ['living-activity', 'activity'],
  ] as const)('%s changes only its %s, and changes it back', async (scenario, field) => {
    const { cnpj, schedule } = companyByScenario(scenario);
    const sandbox = await world();
    const seen = [];
    for (let turn = 0; turn < 4; turn += 1) {
      sandbox.at(NOON + turn * (schedule?.everyMs ?? 0));
      const { since: _, ...registered } = await sandbox.registered(cnpj);
      seen.push(registered);
    }
    const [first, second, third, fourth] = seen;
    expect([third, fourth]).toEqual([first, second]);
    expect({ ...second, [field]: first?.[field] }).toEqual(first);
    expect(second?.[field]).not.toBe(first?.[field]);
  });

  it('living-all changes in status, size and activity at once', async () => {
    const { cnpj, schedule } = companyByScenario('living-all');
    const sandbox = await world();
    const before = await sandbox.registered(cnpj);
    sandbox.at(NOON + (schedule?.everyMs ?? 0));
    const after = await sandbox.registered(cnpj);
    for (const field of ['status', 'size', 'activity'] as const) expect(after[field]).not.toBe(before[field]);
  });

  it('is equal in two sandboxes with equal clocks and changes within 30 seconds, each company at a different second', async () => {
    const [one, other] = [await world(), await world()];
    const turns: number[] = [];
    for (const { cnpj } of changingCompanies) {
      const history: string[] = [];
      for (let second = 0; second <= 30; second += 1) {
        one.at(NOON + second * SECOND_MS);
        other.at(NOON + second * SECOND_MS);
        history.push(JSON.stringify(await one.registered(cnpj)));
        expect(JSON.stringify(await other.registered(cnpj))).toBe(history.at(-1));
      }
      turns.push(history.findIndex((registered) => registered !== history[0]));
    }
    expect(turns).not.toContain(-1);
    expect(new Set(turns).size).toBe(changingCompanies.length);
  });
});

describe('changing a company through the control API', () => {
  it('applies to both registries until it is reverted, with a formatted or unformatted CNPJ', async () => {
    const sandbox = await world();
    const before = await sandbox.registered(CLEAN);
    const changed = await sandbox.call('PATCH', `companies/${formatCnpj(CLEAN)}`, {
      status: 'baixada',
      size: 'MICRO EMPRESA',
      activity: '5510-8/01',
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { scenario: 'clean', cnpj: CLEAN, status: 'BAIXADA', size: 'MICRO EMPRESA', activity: '5510801' },
    });
    expect(await sandbox.registered(CLEAN)).toEqual({ status: 'BAIXADA', size: 'MICRO EMPRESA', activity: '5510801', since: '2026-11-21' });
    expect((await sandbox.call('GET', `companies/${encodeURIComponent(formatCnpj(CLEAN))}`)).body).toEqual(changed.body);
    expect((await sandbox.call('DELETE', `companies/${CLEAN}`)).body).toMatchObject({ status: before.status });
    expect(await sandbox.registered(CLEAN)).toEqual(before);
  });

  it('combines with earlier changes and stops the schedule only for the given fields', async () => {
    const { cnpj, schedule } = companyByScenario('living-all');
    const sandbox = await world();
    await sandbox.call('PATCH', `companies/${cnpj}`, { size: 'DEMAIS' });
    await sandbox.call('PATCH', `companies/${cnpj}`, { status: 'INAPTA' });
    const one = await sandbox.registered(cnpj);
    sandbox.at(NOON + (schedule?.everyMs ?? 0));
    const other = await sandbox.registered(cnpj);
    expect([one, other]).toMatchObject([
      { status: 'INAPTA', size: 'DEMAIS' },
      { status: 'INAPTA', size: 'DEMAIS' },
    ]);
    expect(other.activity).not.toBe(one.activity);
  });

  it('does not affect another sandbox', async () => {
    const [one, other] = [await world(), await world()];
    await one.call('PATCH', `companies/${CLEAN}`, { status: 'SUSPENSA' });
    expect(await other.registered(CLEAN)).toMatchObject({ status: 'ATIVA' });
  });

  it.each([
    { what: 'no CNPJ', path: 'companies/123', body: { status: 'ATIVA' }, status: 400, error: /A CNPJ has 12 letters or digits/ },
    { what: 'a company of no scenario', path: 'companies/11222333000181', body: { status: 'ATIVA' }, status: 404, error: /has this CNPJ/ },
    { what: 'an unknown status', body: { status: 'OPEN' }, status: 400, error: /no status "OPEN".*NULA, ATIVA, SUSPENSA/ },
    { what: 'an unknown size', body: { size: 7 }, status: 400, error: /no size "7".*MICRO EMPRESA/ },
    { what: 'an unknown activity', body: { activity: '9999999' }, status: 400, error: /no activity "9999999".*5510801/ },
    { what: 'an unknown field', body: { phone: 'X' }, status: 400, error: /no field "phone".*status, size, activity/ },
    { what: 'a negative capital', body: { capital: -1 }, status: 400, error: /accepts no capital "-1"/ },
    { what: 'too many partners', body: { owners: 10 }, status: 400, error: /accepts no owners "10"/ },
    { what: 'nothing', body: {}, status: 400, error: /The body changes nothing/ },
    { what: 'a list', body: ['status'], status: 400, error: /is a JSON object/ },
  ])('refuses $what with $status and an error message', async ({ path = `companies/${CLEAN}`, body, status, error }) => {
    const sandbox = await world();
    const before = await sandbox.registered(CLEAN);
    expect(await sandbox.call('PATCH', path, body)).toEqual({ status, body: { error: expect.stringMatching(error) } });
    expect(await sandbox.registered(CLEAN)).toEqual(before);
  });
});

describe('changing a list through the control API', () => {
  it('publishes a version with one more entry, and then a version without it', async () => {
    const sandbox = await world();
    expect(await sandbox.listed('ceis', CLEAN)).toHaveLength(0);
    const put = await sandbox.call('PUT', `lists/ceis/${formatCnpj(CLEAN)}`);
    expect(put).toMatchObject({ status: 200, body: { list: 'CEIS', cnpj: CLEAN, listed: true } });
    expect(await sandbox.listed('ceis', CLEAN)).toEqual([expect.stringContaining('PADARIA LUA DE PAPEL LTDA')]);
    expect(await sandbox.listed('cnep', CLEAN)).toHaveLength(0);
    await sandbox.call('DELETE', `lists/CEIS/${CLEAN}`);
    expect(await sandbox.listed('ceis', CLEAN)).toHaveLength(0);
  });

  it('removes an original entry and restores it, and adds an entry to CNEP', async () => {
    const { cnpj } = companyByScenario('debarred-both');
    const sandbox = await world();
    const before = await sandbox.listed('cnep', cnpj);
    await sandbox.call('DELETE', `lists/CNEP/${cnpj}`);
    expect(await sandbox.listed('cnep', cnpj)).toHaveLength(0);
    await sandbox.call('PUT', `lists/CNEP/${cnpj}`);
    expect(await sandbox.listed('cnep', cnpj)).toEqual(before);
    await sandbox.call('PUT', `lists/CNEP/${CLEAN}`);
    expect(await sandbox.listed('cnep', CLEAN)).toEqual([expect.stringContaining('"0,00"')]);
  });

  it.each([
    ['lists/OFAC_SDN/99010001000184', 404, /"OFAC_SDN" cannot be changed. There are: CEIS, CNEP, MULTAS_SECOP_I/],
    ['lists/CEIS/99010001000185', 400, /check digits/],
    ['lists/CEIS', 400, /A CNPJ has/],
    ['lists', 404, /There is no PUT/],
  ])('refuses %s with %d and an error message', async (path, status, error) => {
    expect(await (await world()).call('PUT', path)).toEqual({ status, body: { error: expect.stringMatching(error) } });
  });
});

describe('a webhook address of the sandbox', () => {
  it('answers 204 and lists the received headers and body under its name', async () => {
    const sandbox = await world();
    const body = '{"note": "São Paulo ☕"}\n';
    const sent = await sandbox.get('/_control/webhooks/demo', { method: 'POST', body, headers: { 'webhook-id': 'evt_1' } });
    expect([sent.status, await sent.text()]).toEqual([204, '']);
    expect((await sandbox.call('GET', 'webhooks/demo')).body).toEqual({
      name: 'demo',
      requests: [{ received_at: '2026-11-21T12:00:00+00:00', headers: expect.objectContaining({ 'webhook-id': 'evt_1' }), body }],
    });
    expect((await sandbox.call('GET', 'webhooks/other')).body).toEqual({ name: 'other', requests: [] });
  });

  it('keeps the last 100 requests', async () => {
    const sandbox = await world();
    for (let i = 0; i < 102; i += 1) await sandbox.call('POST', 'webhooks/busy', i);
    const { requests } = (await sandbox.call('GET', 'webhooks/busy')).body as { requests: { body: string }[] };
    expect([requests.length, requests[0]?.body, requests[99]?.body]).toEqual([100, '2', '101']);
  });
});

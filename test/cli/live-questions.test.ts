import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { liveFindings, sourceAddresses } from '../../src/cli/live-findings.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { startUpstream } from '../support/upstream.ts';

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({ simulators, now: Date.now });
});
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const findings = async (config: Config = readConfig({}), timeoutMs = 20_000) => {
  const found = await liveFindings(config, sandbox.url, { now: Date.now, timeoutMs });
  return new Map(found.findings.map((one) => [/\((QUIPU_\w+)\)$/.exec(one.check)?.[1] ?? one.check, one]));
};

describe('the questions of quipu doctor --live', () => {
  it('are one for each address of a source', () => {
    expect(sourceAddresses().filter(({ question }) => question === undefined)).toEqual([]);
  });

  it('are answered by every simulator in the format that the source reads', async () => {
    const found = await findings();
    expect([...found.values()].filter(({ state }) => state !== 'ok')).toEqual([]);
    for (const { found: text } of found.values()) expect(text).toMatch(/^answers (?:20\d|404) in \d+ ms, format recognised$/);
  });

  it.each([
    ['down', 'rues', 'QUIPU_RUES_URL', /^does not answer \(/, /firewall/],
    ['html_200', 'secopii', 'QUIPU_SECOP_URL', /^answers 200 in \d+ ms, format not recognised$/, /page of a proxy/],
    ['wrong_columns', 'pncp', 'QUIPU_PNCP_URL', /format not recognised$/, /new format/],
    ['html_200', 'CEIS', 'QUIPU_CEIS_URL', /format not recognised$/, /browser/],
    ['wrong_shape', 'UN_CONSOLIDATED', 'QUIPU_UN_URL', /format not recognised$/, /browser/],
    ['html_404', 'OFAC_SDN', 'QUIPU_OFAC_SDN_URL', /^answers 404 in \d+ ms, format not recognised$/, /going-live/],
    ['rate_limited', 'receita_federal', 'QUIPU_RECEITA_URL', /^answers 429 in/, /token or ticket/],
    ['status_500', 'pncp', 'QUIPU_PNCP_URL', /^answers 500 in/, /publisher fails/],
  ] as const)(
    'say of an address with the fault %s at %s what was measured, and what to do',
    async (mode, source, setting, found, advice) => {
      sandbox.faults.set(source, { mode });
      const all = await findings();
      expect(all.get(setting)).toMatchObject({
        state: 'problem',
        found: expect.stringMatching(found),
        advice: expect.stringMatching(advice),
      });
      expect([...all.values()].filter(({ state }) => state === 'problem')).toHaveLength(1);
    },
  );

  it.each(['hung', 'slow', 'silent_after_headers'] as const)(
    'give up an address that is %s after the time for one answer',
    async (mode) => {
      sandbox.faults.set('rdap', { mode, ms: 60_000 });
      const all = await findings(readConfig({}), 1_000);
      expect(all.get('QUIPU_RDAP_BR_URL')).toMatchObject({ state: 'problem', found: 'does not answer (timeout)' });
    },
  );

  it.each([
    ['the header of the file', 'Rut Sociedad;DV Sociedad;Tipo Sociedad\r\n', 'ok'],
    ['a line of text', 'Servicio no disponible; intente más tarde.', 'problem'],
    ['a fragment of a page', '<script>location = "/portal"</script>', 'problem'],
  ])('find in %s, where the owners of Chile are requested: %s', async (_, body, state) => {
    const upstream = await startUpstream(() => (__, response) => void response.writeHead(200).end(body));
    const found = await findings(readConfig({ QUIPU_CL_OWNERSHIP_URL: `${upstream.url}/composicion_sociedades.csv` }));
    expect(found.get('QUIPU_CL_OWNERSHIP_URL')?.state).toBe(state);
    await upstream.close();
  });

  it('name an address that cannot be used, and go on with the others', async () => {
    const found = await findings(readConfig({ QUIPU_RECEITA_SHARE_URL: `${sandbox.url}/no-share` }));
    expect([...found.values()].filter(({ state }) => state !== 'ok')).toMatchObject([
      {
        state: 'problem',
        found: 'its address cannot be used: The address of the share does not end with /s/ and a token.',
        advice: 'correct QUIPU_RECEITA_SHARE_URL',
      },
    ]);
  });

  it('send no question without the ticket that it needs, and none to an address that is off', async () => {
    const live = { ...readConfig({ QUIPU_SOURCES: 'live', QUIPU_RECEITA_FALLBACK_URL: '' }) };
    const found = await findings(live);
    expect(found.get('QUIPU_MERCADOPUBLICO_URL')).toMatchObject({ state: 'off', found: expect.stringContaining('credential') });
    expect(found.get('QUIPU_RECEITA_FALLBACK_URL')).toMatchObject({ state: 'off', found: 'its address is switched off' });
  });

  it('follow a redirect on the same host and none to another, with the login of the address on the own host only', async () => {
    const seen: (string | undefined)[] = [];
    const other = await startUpstream(() => (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200).end('<CONSOLIDATED_LIST/>');
    });
    const own = await startUpstream((path) => (_, response) => {
      response.writeHead(302, { location: path === '/elsewhere.xml' ? `${other.url}/x.xml` : '/elsewhere.xml' }).end();
    });
    const address = own.url.replace('http://', 'http://user:word@');
    const found = await findings(readConfig({ QUIPU_UN_URL: `${address}/first.xml` }));
    expect(found.get('QUIPU_UN_URL')).toMatchObject({ state: 'problem', found: 'does not answer (redirected)' });
    expect(JSON.stringify(found.get('QUIPU_UN_URL'))).not.toContain('word');
    expect(seen).toEqual([]);
    await Promise.all([own.close(), other.close()]);
  });
});

describe('docs/going-live.md', () => {
  it('lists the addresses of the sources, and no other', async () => {
    const page = await readFile('docs/going-live.md', 'utf8');
    const rows = [...page.matchAll(/^\| `(QUIPU_\w+_URL)` \| `?([^`|]+?)`? \|/gm)].map(([, setting, host]) => [setting, host]);
    const hostOf = (live: string) => (live === '' ? 'your own' : new URL(live.replace('{date}', '')).host);
    expect(rows.sort()).toEqual(
      sourceAddresses()
        .map(({ setting, spec }) => [setting, hostOf(spec.live)])
        .sort(),
    );
  });
});

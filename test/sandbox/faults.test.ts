import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FAULT_MODES, type Fault } from '../../sandbox/server/faults.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { NOON, parts, rawGet, sandboxForFile, simulators } from './support.ts';

const server = sandboxForFile();
const PATH = `/receita_federal/${companyByScenario('clean').cnpj}`;

/** The bytes that a raw socket receives for a company under a fault. */
function seen(fault: Fault, waitMs?: number) {
  server.sandbox.faults.set('receita_federal', fault);
  return rawGet(server.sandbox.url + PATH, waitMs);
}
const healthy = async (): Promise<Buffer> => Buffer.from(await (await server.get(PATH)).arrayBuffer());

describe('a fault of the connection', () => {
  it('in mode down resets the connection before a response', async () => {
    expect(await seen({ mode: 'down' })).toEqual({ bytes: Buffer.alloc(0), end: 'reset' });
  });

  it('in mode slow delays the correct response', async () => {
    const whole = await healthy();
    const started = performance.now();
    server.sandbox.faults.set('receita_federal', { mode: 'slow', ms: 300 });
    expect(await healthy()).toEqual(whole);
    expect(performance.now() - started).toBeGreaterThan(295);
  });

  it('in mode hung sends no bytes and keeps the connection open', async () => {
    expect(await seen({ mode: 'hung' }, 300)).toEqual({ bytes: Buffer.alloc(0), end: 'open' });
  });

  it('in mode silent_after_headers sends the headers, no body, and keeps the connection open', async () => {
    const whole = await healthy();
    const answer = await seen({ mode: 'silent_after_headers' }, 300);
    const { head, body } = parts(answer);
    expect([answer.end, body.length]).toEqual(['open', 0]);
    expect(head).toContain('200 ok');
    expect(head).toContain(`content-length: ${whole.length}`);
  });

  it('in mode drip sends the correct body slowly', async () => {
    const whole = await healthy();
    const { body } = parts(await seen({ mode: 'drip', ms: 50 }, 320));
    expect(body.length).toBeGreaterThanOrEqual(3);
    expect(body.length).toBeLessThanOrEqual(7);
    expect(whole.subarray(0, body.length)).toEqual(body);
  });

  it('in mode reset_mid_body resets the connection after half the body', async () => {
    const whole = await healthy();
    const answer = await seen({ mode: 'reset_mid_body' });
    expect(answer.end).toBe('reset');
    expect(parts(answer).body).toEqual(whole.subarray(0, whole.length / 2));
  });

  it.each(['truncated', 'short_body'] as const)('in mode %s sends half the bytes that Content-Length declares', async (mode) => {
    const whole = await healthy();
    const answer = await seen({ mode });
    const { head, body } = parts(answer);
    expect(answer.end).toBe('fin');
    expect(head).toContain(`content-length: ${whole.length}`);
    expect(body).toEqual(whole.subarray(0, whole.length / 2));
    await expect(server.get(PATH).then((one) => one.text())).rejects.toThrow();
  });

  it('in mode cut_json sends half the body without Content-Length', async () => {
    const whole = await healthy();
    const answer = await seen({ mode: 'cut_json' });
    const { head, body } = parts(answer);
    expect([answer.end, body]).toEqual(['fin', whole.subarray(0, whole.length / 2)]);
    expect(head).not.toMatch(/content-length|chunked/);
    const text = await (await server.get(PATH)).text();
    expect(() => JSON.parse(text)).toThrow();
  });

  it('in mode corrupt_gzip sends a gzip body that cannot be decompressed', async () => {
    const answer = await seen({ mode: 'corrupt_gzip' });
    const { head, body } = parts(answer);
    expect([answer.end, head.includes('content-encoding: gzip'), head.includes('content-length')]).toEqual(['fin', true, false]);
    expect(() => gunzipSync(body)).toThrow();
    await expect(server.get(PATH, { signal: AbortSignal.timeout(2_000) }).then((one) => one.text())).rejects.toThrow();
  });

  it('in mode endless_body sends more than 1 MB and keeps the connection open', async () => {
    const answer = await seen({ mode: 'endless_body' }, 300);
    expect(answer.end).toBe('open');
    expect(answer.bytes.length).toBeGreaterThan(1_000_000);
  });

  it('in mode big_headers sends more than 70 kB of headers before the correct body', async () => {
    const { head, body } = parts(await seen({ mode: 'big_headers' }));
    expect(head.length).toBeGreaterThan(70_000);
    expect(JSON.parse(body.toString())).toMatchObject({ razao_social: companyByScenario('clean').name });
    await expect(server.get(PATH)).rejects.toThrow();
  });

  it('in mode gzip_bomb sends about 204 kB that decompress to 200 MiB', async () => {
    const { head, body } = parts(await seen({ mode: 'gzip_bomb' }, 15_000));
    expect(head).toContain('content-encoding: gzip');
    expect(body.length).toBeGreaterThan(190_000);
    expect(body.length).toBeLessThan(220_000);
    expect(gunzipSync(body).length).toBe(200 * 1_048_576);
  }, 30_000);
});

describe('a fault of the response', () => {
  const answer = async (fault: Fault) => {
    server.sandbox.faults.set('receita_federal', fault);
    const response = await server.get(PATH);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it.each([
    { mode: 'rate_limited', status: 429, retryAfter: '30', type: 'text/plain', text: /^Too Many Requests$/ },
    { mode: '429', ms: 5_000, status: 429, retryAfter: '5', type: 'text/plain', text: /^Too Many Requests$/ },
    {
      mode: 'rate_limited_date',
      ms: 60_000,
      status: 429,
      retryAfter: new Date(NOON + 60_000).toUTCString(),
      type: 'text/plain',
      text: /^Too Many/,
    },
    { mode: 'status_500', status: 500, retryAfter: null, type: 'application/json', text: /AxiosError/ },
    { mode: 'status_503_retry_after', status: 503, retryAfter: '30', type: null, text: /temporariamente indisponível/ },
    { mode: 'html_404', status: 404, retryAfter: null, type: 'text/html; charset=utf-8', text: /<h1>Not Found/ },
    { mode: 'html_200', status: 200, retryAfter: null, type: 'text/html; charset=utf-8', text: /Em manutenção/ },
    { mode: 'empty', status: 200, retryAfter: null, type: 'application/json', text: /^$/ },
    { mode: 'wrong_shape', status: 200, retryAfter: null, type: 'application/json', text: /^\{\}$/ },
  ] as const)('in mode $mode has status $status', async ({ status, retryAfter, type, text, ...fault }) => {
    const got = await answer(fault);
    expect([got.status, got.headers.get('retry-after'), got.headers.get('content-type')]).toEqual([status, retryAfter, type]);
    expect(got.text).toMatch(text);
  });

  it('in mode malformed is not JSON, and in modes wrong_columns and shrunk is JSON without some fields', async () => {
    const malformed = await answer({ mode: 'malformed' });
    expect(() => JSON.parse(malformed.text)).toThrow();
    const renamed = JSON.parse((await answer({ mode: 'wrong_columns' })).text);
    expect([renamed.situacao_cadastral, renamed.outro_situacao_cadastral]).toEqual([undefined, 2]);
    expect(Object.keys(JSON.parse((await answer({ mode: 'shrunk' })).text))).toHaveLength(5);
  });

  it('in mode wrong_charset is Windows-1252 and not UTF-8', async () => {
    const { body } = parts(await seen({ mode: 'wrong_charset' }));
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow();
    expect(new TextDecoder('windows-1252').decode(body)).toContain('Fabricação de produtos');
  });

  it('keeps the status 404 of an unknown company and damages its body', async () => {
    server.sandbox.faults.set('receita_federal', { mode: 'malformed' });
    const missing = await server.get(`/receita_federal/${companyByScenario('unknown').cnpj}`);
    expect(missing.status).toBe(404);
    await expect(missing.json()).rejects.toThrow();
  });
});

describe('a sandbox with broken upstreams', () => {
  it('closes within a second while requests are open', async () => {
    const errors: unknown[] = [];
    const log = { debug: () => undefined, error: (error: unknown) => errors.push(error) };
    const sandbox = await startSandbox({ simulators, log: log as never });
    const modes = ['hung', 'slow', 'drip', 'silent_after_headers', 'endless_body', 'reset_mid_body'] as const;
    const asked = modes.map(async (mode) => {
      sandbox.faults.set('receita_federal', { mode, times: 1 });
      return rawGet(sandbox.url + PATH);
    });
    await expect.poll(() => sandbox.requestsTo('receita_federal').length).toBe(modes.length);
    const started = performance.now();
    await sandbox.close();
    expect(performance.now() - started).toBeLessThan(1_000);
    expect((await Promise.all(asked)).map(({ end }) => end)).not.toContain('open');
    expect(errors).toEqual([]);
    await sandbox.close();
  });

  it('answers all upstreams again after every mode except gzip_bomb', async () => {
    const paths = [
      PATH,
      '/opencnpj/99010001000184',
      '/ceis/20261121',
      '/cnep/20261121',
      '/trabalho_escravo/cadastro_de_empregadores.txt',
      '/ofac_sdn/ALT.CSV',
      '/un_consolidated/consolidated.xml',
    ];
    for (const mode of FAULT_MODES.filter((one) => one !== 'gzip_bomb')) {
      for (const source of ['receita_federal', 'opencnpj', 'CEIS', 'CNEP', 'TRABALHO_ESCRAVO', 'OFAC_SDN', 'UN_CONSOLIDATED']) {
        server.sandbox.faults.set(source, { mode, ms: 10 });
      }
      await Promise.all(paths.map((one) => rawGet(server.sandbox.url + one, 60)));
    }
    server.sandbox.faults.clear();
    for (const one of paths) expect((await server.get(one)).status).toBe(200);
  });
});

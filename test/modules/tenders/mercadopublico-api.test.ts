import { describe, expect, it, onTestFinished } from 'vitest';
import { createApi, type MercadoPublicoApi } from '../../../src/modules/tenders/sources/mercadopublico/api.ts';
import { createHttpClient } from '../../../src/sources/http/client.ts';
import { createThrottle, type ThrottleOptions } from '../../../src/sources/http/throttle.ts';
import { memoryLog } from '../../support/log.ts';
import { type Reply, type Upstream, upstream } from '../../support/upstream.ts';
import { companies, complaint, listing, sample, stub, TICKET, unavailable } from './mercadopublico-support.ts';

const NOON = Date.parse('2026-11-21T15:00:00Z');
const soon = () => performance.now() + 10_000;

interface ApiSetup {
  readonly api: MercadoPublicoApi;
  readonly server: Upstream;
  readonly clock: { now: number };
  readonly logged: () => string;
  /** Query of the nth request, without the ticket. */
  readonly query: (nth: number) => Record<string, string>;
}

async function setup(
  reply: (path: string, nth: number) => Reply,
  { pauseMs = 0, quota, base = '/servicios/v1/publico/' }: { pauseMs?: number; quota?: ThrottleOptions['quota']; base?: string } = {},
): Promise<ApiSetup> {
  const server = await upstream(reply);
  const { log, lines } = memoryLog();
  const clock = { now: NOON };
  const http = createHttpClient({ source: 'mercadopublico', concurrency: 1, now: () => clock.now, random: () => 0, log });
  const throttle = createThrottle({ of: [TICKET], pauseMs, quota, limits: undefined });
  const api = createApi({ base: server.url + base, ticket: TICKET, throttle, http, now: () => clock.now });
  onTestFinished(() => api.close());
  const query = (nth: number) => {
    const { ticket, ...rest } = Object.fromEntries(new URL(server.asked[nth] ?? '', server.url).searchParams);
    expect(ticket).toBe(TICKET);
    return rest;
  };
  return { api, server, clock, logged: () => JSON.stringify(lines), query };
}

const empty: Reply = { body: listing() };

describe('the API of Mercado Público', () => {
  it('is called with the paths and parameter spellings that it requires', async () => {
    const { api, server, query } = await setup((path) => (path.includes('Buscar') ? { body: companies('71284') } : empty));
    await api.tenders('2026-11-20', null, soon());
    await api.tenders('2026-11-20', '71284', soon());
    await api.openTenders(soon());
    await api.tender('1509-5-LE26', soon());
    await api.orderCodes('2026-01-02', '71284', soon());
    await api.order('2097-241-SE26', soon());
    expect(await api.supplierNumbers('965057609', soon())).toEqual(['71284']);
    expect(await api.supplierNumbers('10000130', soon())).toEqual(['71284']);
    expect(server.asked.map((path) => path.split('?')[0])).toEqual([
      ...Array(4).fill('/servicios/v1/publico/licitaciones.json'),
      ...Array(2).fill('/servicios/v1/publico/ordenesdecompra.json'),
      ...Array(2).fill('/servicios/v1/Publico/Empresas/BuscarProveedor'),
    ]);
    expect(server.asked.map((_, nth) => query(nth))).toEqual([
      { fecha: '20112026' },
      { fecha: '20112026', CodigoProveedor: '71284' },
      { estado: 'activas' },
      { codigo: '1509-5-LE26' },
      { fecha: '02012026', CodigoProveedor: '71284' },
      { codigo: '2097-241-SE26' },
      { rutempresaproveedor: '96.505.760-9' },
      { rutempresaproveedor: '01.000.013-0' },
    ]);
  });

  it('gets one request at a time, with a pause between requests', async () => {
    const times: number[] = [];
    const { api } = await setup(
      () => (_, response) => {
        times.push(performance.now());
        setTimeout(() => response.writeHead(200).end(JSON.stringify(listing())), 30);
      },
      { pauseMs: 100 },
    );
    await Promise.all(['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => api.tenders(day, null, soon())));
    expect(times).toHaveLength(3);
    for (const [i, at] of times.slice(1).entries()) expect(at - (times[i] ?? 0)).toBeGreaterThanOrEqual(125);
  });

  it('gets a retry after the pause, too', async () => {
    const times: number[] = [];
    const { api } = await setup(
      (_, nth) => (_request, response) => {
        times.push(performance.now());
        response.writeHead(nth === 1 ? 500 : 200).end(JSON.stringify(listing()));
      },
      { pauseMs: 400 },
    );
    await api.openTenders(soon());
    expect(times).toHaveLength(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(395);
  });

  it('gets no request beyond the quota of the day, retries included, and again on the next day', async () => {
    let day = 'a';
    const { api, server, clock } = await setup((_, nth) => (nth === 2 ? { status: 500, body: 'oops' } : empty), {
      quota: { perDay: 3, today: () => day },
    });
    await api.tender('1-1-LE26', soon());
    await api.tender('1-2-LE26', soon());
    await expect(api.tender('1-3-LE26', soon())).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: 300 } });
    expect(api.health().lastError).toBe('quota_used');
    expect(server.asked).toHaveLength(3);
    day = 'b';
    clock.now += 300_000;
    expect(await api.tender('1-3-LE26', soon())).toBeNull();
  });

  it('UP-09 gets one request for simultaneous callers, and another only when the answer is old', async () => {
    const { api, server, clock } = await setup((path) => ({ body: listing(stub(path.includes('fecha') ? '1-1-LE26' : '1-2-LE26')) }));
    const ask = (day: string) => api.tenders(day, null, soon());
    await Promise.all([ask('2026-11-20'), ask('2026-11-20'), ask('2026-11-21')]);
    expect(server.asked).toHaveLength(2);
    clock.now += 16 * 60_000;
    await Promise.all([ask('2026-11-20'), ask('2026-11-21')]);
    expect(server.asked).toHaveLength(3);
    clock.now += 24 * 3_600_000;
    await ask('2026-11-20');
    expect(server.asked).toHaveLength(4);
  });

  it('UP-11 caches an absence for an hour, and does not cache a failure', async () => {
    const { api, server, clock } = await setup((_, nth) => (nth === 1 ? { status: 404, body: '{}' } : empty));
    await expect(api.tender('1-1-LE26', soon())).rejects.toMatchObject(unavailable);
    expect(await api.tender('1-1-LE26', soon())).toBeNull();
    expect(await api.tender('1-1-LE26', soon())).toBeNull();
    expect(server.asked).toHaveLength(2);
    clock.now += 3_600_001;
    expect(await api.tender('1-1-LE26', soon())).toBeNull();
    expect(server.asked).toHaveLength(3);
  });

  it('UP-01 settles at the deadline, also while a request waits behind one that hangs', async () => {
    const { api, server } = await setup(() => () => undefined);
    const latest = performance.now() + 800;
    // The one that waits ends first: after the failure of the other it would be refused by the back-off instead.
    const answers = await Promise.allSettled([api.openTenders(latest), api.tender('1-1-LE26', latest - 300)]);
    expect(answers).toMatchObject([{ reason: unavailable }, { reason: { ...unavailable, facts: { retryAfterSeconds: 5 } } }]);
    await expect.poll(server.open, { timeout: 1_000 }).toBe(0);
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['500', 500],
    ['200', 200],
    ['429', 429],
  ])('backs off for 30, 60 and 120 s after an error for simultaneous requests with status %s', async (_, status) => {
    const { api, server, clock } = await setup((_path, nth) => (nth <= 4 ? { status, body: complaint(10_500) } : empty));
    for (const seconds of [30, 60, 120, 120]) {
      await expect(api.openTenders(soon())).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: seconds } });
      const asked = server.asked.length;
      clock.now += (seconds - 1) * 1_000;
      await expect(api.openTenders(soon())).rejects.toMatchObject(unavailable);
      expect(server.asked).toHaveLength(asked);
      clock.now += 1_000;
    }
    expect(await api.openTenders(soon())).toEqual([]);
  });

  it.each<[string, Reply, string, number]>([
    ['an invalid ticket', { status: 200, body: complaint(203) }, 'ticket_invalid', 1],
    ['an invalid ticket in a 500', { status: 500, body: { Codigo: '203', Mensaje: 'Ticket no válido.' } }, 'ticket_invalid', 1],
    ['a parameter it does not know', { status: 400, body: complaint(400) }, 'refused_400', 1],
    ['a date it does not like', { status: 500, body: complaint(10_300) }, 'refused_10300', 1],
    ['a complaint of its own', { status: 500, body: complaint(500) }, 'refused_500', 2],
    ['the day’s quota', { status: 429, body: { message: 'Limit Exceeded' } }, 'quota', 1],
    ['its gateway’s patience', { status: 504, body: { message: 'Endpoint request timed out' } }, 'gateway_timeout', 1],
    ['the same in a 200', { status: 200, body: { message: 'Endpoint request timed out' } }, 'gateway_timeout', 1],
    ['a bare 500', { status: 500, body: 'oops' }, 'status_500', 2],
    ['a page for people', { status: 200, body: '<html><title>Mantención</title></html>' }, 'html', 2],
    ['nothing', { status: 200, body: '' }, 'not_json', 1],
  ])('UP-03 is a failed source for %s', async (_, reply, kind, calls) => {
    const { api, server } = await setup(() => reply);
    await expect(api.openTenders(soon())).rejects.toMatchObject(unavailable);
    expect(api.health().lastError).toBe(kind);
    expect(server.asked).toHaveLength(calls);
  });

  it('sends no request for five minutes once the quota is used up', async () => {
    const { api, server, clock } = await setup((_, nth) => (nth === 1 ? { status: 429, body: 'Too Many Requests' } : empty));
    await expect(api.openTenders(soon())).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: 300 } });
    await expect(api.openTenders(soon())).rejects.toMatchObject(unavailable);
    expect(server.asked).toHaveLength(1);
    clock.now += 300_000;
    expect(await api.openTenders(soon())).toEqual([]);
  });

  it('fails when the API ignores the filter by supplier', async () => {
    const rows = Array.from({ length: 1_001 }, (_, i) => stub(`1-${i}-LE26`));
    const { api } = await setup(() => ({ body: listing(...rows) }));
    expect(await api.tenders('2026-11-20', null, soon())).toHaveLength(1_001);
    await expect(api.tenders('2026-11-20', '71284', soon())).rejects.toMatchObject(unavailable);
    expect(api.health().lastError).toBe('filter_ignored');
  });

  it('keeps the ticket out of logs and errors', async () => {
    const replies: Reply[] = [
      { status: 500, body: complaint(203) },
      (request) => void request.socket.destroy(),
      { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    ];
    const { api, logged } = await setup((_, nth) => replies[nth % 3] ?? empty);
    for (let i = 0; i < 4; i += 1) {
      const error = await api.openTenders(soon()).catch((failure) => failure);
      expect(`${error} ${JSON.stringify(error)} ${error.stack} ${error.cause?.stack}`).not.toContain(TICKET);
    }
    expect(logged()).toContain('source call failed');
    expect(logged()).not.toContain(TICKET);
  });

  it('classifies every recorded error by its body', async () => {
    const classes: Record<string, string> = {
      auth: 'ticket_invalid',
      bad_request: 'refused_400',
      concurrency: 'simultaneous',
      upstream_timeout: 'gateway_timeout',
    };
    for (const { http: status, body, class: name } of sample('mp_errors.json').errors) {
      const { api } = await setup(() => ({ status, body }));
      await expect(api.openTenders(soon())).rejects.toMatchObject(unavailable);
      expect(api.health().lastError).toBe(classes[name]);
    }
  });
});

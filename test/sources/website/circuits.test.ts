import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCircuits } from '../../../src/sources/http/policy.ts';
import { type SiteReply, testSites } from './sites.ts';

afterEach(() => void vi.useRealTimers());

const HTML = '<html><title>Hola</title></html>';
const OPEN = { kind: 'unreachable', reason: 'circuit_open' };
const reset = ({ socket }: IncomingMessage) => void socket.destroy();

/** A site that resets every connection until `repair` is called, and one that answers. */
async function sites() {
  let isBroken = true;
  const broken: SiteReply = (request, response) => (isBroken ? reset(request) : response.writeHead(404).end());
  const { website, asked, port } = await testSites({ 'broken.cl/robots.txt': broken, 'broken.cl/': HTML, 'sitio.cl/': HTML });
  const visit = async (host: string) => (await website.open(new URL(`http://${host}:${port}/`))).entry;
  const visits = async (host: string, times: number) => {
    for (let i = 0; i < times; i += 1) await visit(host);
  };
  const repair = () => {
    isBroken = false;
  };
  return { visit, visits, repair, asked };
}

describe('the circuit breaker of a site', () => {
  it('UP-07 opens after ten failures in a row: the site is not called any more, and other sites are', async () => {
    const { visit, visits, asked } = await sites();
    await visits('broken.cl', 10);
    expect(asked).toHaveLength(10);
    expect(await visit('broken.cl')).toEqual(OPEN);
    expect(asked).toHaveLength(10);
    expect(await visit('sitio.cl')).toMatchObject({ kind: 'page' });
  });

  it('UP-07 tries one call after half a minute, and closes when that is answered', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { visit, visits, repair, asked } = await sites();
    await visits('broken.cl', 11);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await visit('broken.cl')).toMatchObject({ kind: 'unreachable', reason: 'connection' });
    expect(await visit('broken.cl')).toEqual(OPEN);
    expect(asked).toHaveLength(11);
    repair();
    vi.setSystemTime(Date.now() + 31_000);
    expect(await visit('broken.cl')).toMatchObject({ kind: 'page' });
    expect(await visit('broken.cl')).toMatchObject({ kind: 'page' });
  });

  it('ignores answers of any status, and names that do not exist', async () => {
    const { website, asked, port } = await testSites({ 'sitio.cl/': { status: 500 } });
    for (let i = 0; i < 20; i += 1) {
      expect((await website.open(new URL(`http://sitio.cl:${port}/`))).entry).toMatchObject({ kind: 'status', status: 500 });
      expect((await website.open('nada.cl')).entry).toEqual({ kind: 'no_such_name' });
    }
    expect(asked).toHaveLength(40);
  });
});

describe('circuit breakers by name', () => {
  const fail = () => Promise.reject(new Error('down'));

  /** Opens the circuit of one name and then calls 5,000 others. Returns the outcome of a further call under that name. */
  async function afterOthers(call: () => Promise<unknown>) {
    const attempt = createCircuits(Date.now, () => true);
    for (let i = 0; i < 10; i += 1) await attempt('down.cl', fail).catch(() => null);
    for (let i = 0; i < 5_000; i += 1) await attempt(`${i}.cl`, call).catch(() => null);
    return attempt('down.cl', async () => 'called').catch(() => 'refused');
  }

  it('are at most 5,000: the one that was used least recently is forgotten', async () => {
    expect(await afterOthers(fail)).toBe('called');
  });

  it('are not kept for names whose calls succeed', async () => {
    expect(await afterOthers(async () => 'answer')).toBe('refused');
  });
});

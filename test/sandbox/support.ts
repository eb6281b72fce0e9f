import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll } from 'vitest';
import yauzl from 'yauzl';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { ceisSimulator, cnepSimulator } from '../../sandbox/upstreams/debarment/simulators.ts';
import { receitaFederalSimulator } from '../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { openCnpjSimulator } from '../../sandbox/upstreams/receita-federal/opencnpj.ts';
import { ofacSdnSimulator } from '../../sandbox/upstreams/sanctions/ofac.ts';
import { unConsolidatedSimulator } from '../../sandbox/upstreams/sanctions/un.ts';
import { trabalhoEscravoSimulator } from '../../sandbox/upstreams/trabalho-escravo.ts';
import { USER_AGENT } from '../../src/sources/http/message.ts';

export const simulators = [
  receitaFederalSimulator,
  openCnpjSimulator,
  ceisSimulator,
  cnepSimulator,
  trabalhoEscravoSimulator,
  ofacSdnSimulator,
  unConsolidatedSimulator,
];

/** Noon of a Saturday: the OFAC version is of Thursday. */
export const NOON = Date.parse('2026-11-21T12:00:00Z');

/** One sandbox for a test file, without faults after each test; its clock is fixed at NOON. */
export function sandboxForFile(): { readonly sandbox: Sandbox; get(path: string, init?: RequestInit): Promise<Response> } {
  let running: Sandbox | undefined;
  const sandbox = (): Sandbox => {
    if (!running) throw new Error('the sandbox is not running yet');
    return running;
  };
  beforeAll(async () => {
    running = await startSandbox({ simulators, now: () => NOON });
  });
  afterEach(() => sandbox().faults.clear());
  afterAll(() => sandbox().close());
  return {
    get sandbox() {
      return sandbox();
    },
    get: (path, init) => fetch(sandbox().url + path, { ...init, headers: { 'user-agent': USER_AGENT, ...init?.headers } }),
  };
}

/** The bytes that a raw socket receives, and how the connection ended within `waitMs`. */
export interface Seen {
  readonly bytes: Buffer;
  readonly end: 'fin' | 'reset' | 'open';
}

/** One GET over a raw socket, for details that an HTTP client hides. */
export function rawGet(url: string, waitMs = 5_000): Promise<Seen> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const done = (end: Seen['end']) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ bytes: Buffer.concat(chunks), end });
    };
    const timer = setTimeout(() => done('open'), waitMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => done('fin'));
    socket.on('error', () => done('reset'));
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nUser-Agent: ${USER_AGENT}\r\nConnection: close\r\n\r\n`);
  });
}

/** Headers and body of an answer as bytes. */
export function parts({ bytes }: Seen): { readonly head: string; readonly body: Buffer } {
  const split = bytes.indexOf('\r\n\r\n');
  return split === -1
    ? { head: bytes.toString('latin1'), body: Buffer.alloc(0) }
    : { head: bytes.subarray(0, split).toString('latin1').toLowerCase(), body: bytes.subarray(split + 4) };
}

/** The members of a zip, by name. */
export async function unzip(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes);
  const members = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    members.set(entry.fileName, await buffer(stream));
  }
  return members;
}

export const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());
export const cp1252 = (bytes: Buffer): string => new TextDecoder('windows-1252', { fatal: true }).decode(bytes);

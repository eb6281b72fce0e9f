import { randomBytes } from 'node:crypto';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ClientOptions, type RawData, WebSocket } from 'ws';
import { type App, createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { directUrlOf } from '../../../src/db/knex.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import type { TestApp } from '../../support/app.ts';
import { dataFolder } from '../../support/process.ts';
import { until } from '../../support/until.ts';

/** Starts listening; returns host and port. */
export async function listening({ server }: Pick<App, 'server'>): Promise<string> {
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 });
  return `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

/** A client's WebSocket without a protocol library. */
export interface RawSocket {
  readonly ws: WebSocket;
  /** Settles when the server accepted. */
  readonly opened: Promise<void>;
  /** Settles however it ends; 1006 for one that was refused or cut. */
  readonly closed: Promise<Closed>;
  /** The TCP socket below, once it is open. */
  net(): Socket;
  /** Messages so far. */
  readonly messages: readonly Message[];
  send(message: unknown): void;
  /** The next message that came. */
  received(): Promise<Message>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of a message
export type Message = any;

export function rawSocket(host: string, { path = '/graphql', protocol = 'graphql-transport-ws', ...options }: RawOptions = {}): RawSocket {
  const ws = new WebSocket(`ws://${host}${path}`, protocol ?? undefined, options);
  ws.on('error', () => undefined);
  onTestFinished(() => ws.terminate());
  const messages: Message[] = [];
  let read = 0;
  let wake = (): void => undefined;
  ws.on('message', (data: RawData) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  return {
    ws,
    opened: new Promise((resolve) => ws.once('open', () => resolve())),
    closed: new Promise((resolve) => ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }))),
    messages,
    net: () => (ws as unknown as { readonly _socket: Socket })._socket,
    send: (message) => ws.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message)),
    async received() {
      while (messages.length <= read)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      read += 1;
      return messages[read - 1];
    },
  };
}

export interface RawOptions extends Omit<ClientOptions, 'protocol'> {
  readonly path?: string;
  readonly protocol?: string | null;
}

/** Opens a socket and authenticates with a key. */
export async function openSocket(host: string, key: string, options: RawOptions = {}): Promise<RawSocket> {
  const socket = rawSocket(host, options);
  await socket.opened;
  socket.send({ type: 'connection_init', payload: { 'X-API-Key': key } });
  const ack = await socket.received();
  if (ack.type !== 'connection_ack') throw new Error(JSON.stringify(ack));
  return socket;
}

/** Builds a client's WebSocket frame with a mask of zeros. */
export function frame(payload: Buffer, { fin = true, opcode = 1, rsv1 = false } = {}): Buffer {
  const head = [(fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode];
  if (payload.length < 126) head.push(0x80 | payload.length);
  else head.push(0x80 | 126, payload.length >> 8, payload.length & 0xff);
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]);
}

/** Opens a TCP connection to a host and port, and completes the WebSocket upgrade. */
export async function byteSocket(host: string): Promise<Socket> {
  const [address = '', port] = host.split(':');
  const socket = createConnection(Number(port), address);
  socket.on('error', () => undefined);
  const lines = ['GET /graphql HTTP/1.1', `Host: ${host}`, 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  socket.write(
    `${[...lines, `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, 'Sec-WebSocket-Protocol: graphql-transport-ws'].join('\r\n')}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

/** Sends frames; returns the code of the close frame, which pings may precede. */
export async function closeCode(host: string, ...frames: readonly Buffer[]): Promise<number> {
  const socket = await byteSocket(host);
  for (const bytes of frames) socket.write(bytes);
  let answer = Buffer.alloc(0);
  for await (const bytes of socket) {
    answer = Buffer.concat([answer, bytes]);
    while (answer[0] === 0x89) answer = answer.subarray(2 + (answer[1] ?? 0));
    if (answer.length >= 4) break;
  }
  return answer[0] === 0x88 ? answer.readUInt16BE(2) : 0;
}

export const CHANGES =
  'subscription ($after: String, $identifiers: [String!]) { companyChanged(after: $after, identifiers: $identifiers) { id cursor identifier } }';

export const subscribe = (id: string, query = CHANGES, variables: object = {}) => ({
  id,
  type: 'subscribe',
  payload: { query, variables },
});

/** Another process's app on the database of the first, ended with the test. */
export async function replicaOf(app: TestApp): Promise<App> {
  const dataDir = await dataFolder();
  const env = { DATABASE_URL: directUrlOf(app.db), QUIPU_DATA_DIR: dataDir, PORT: '0', QUIPU_TENDERS_MONTHS: '2', QUIPU_ROLES: 'server' };
  const replica = await createApp(readConfig({ ...env, QUIPU_RECEITA_MODE: 'live' }), { log: app.log });
  onTestFinished(() => replica.close());
  return replica;
}

/** Number of subscribers of an app. */
export const subscriberCount = ({ open }: Pick<App, 'open'>): number => open(monitorService).events.subscribers();

/** Subscribes, and waits until the server has it: what is found from then on will come. Nobody else may subscribe or leave meanwhile. */
export async function follow(
  app: Pick<App, 'open'>,
  socket: RawSocket,
  id = 'changes',
  query = CHANGES,
  variables: object = {},
): Promise<void> {
  const before = subscriberCount(app);
  socket.send(subscribe(id, query, variables));
  await until(() => subscriberCount(app) > before);
}

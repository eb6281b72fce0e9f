import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { CHANGES, type Message, subscribe } from '../../server/sockets/support.ts';

const { cnpj } = companyByScenario('clean');
/** Clients wait at random, so that they do not all come back at once. */
const MAX_RECONNECT_DELAY_MS = 1_000;

/** A client that subscribes to the changes of its key, and resumes after the last one that it received when its socket was closed. */
export interface Client {
  /** The address at which it is subscribed; null while it is at none. */
  readonly at: string | null;
  /** Codes of its closed sockets. */
  readonly codes: readonly number[];
  /** The longest time from a close until it was subscribed again, in ms. */
  readonly longestAway: number;
  /** Ids of the changes that it received, in order. */
  readonly received: readonly string[];
  /** Messages that carry errors. */
  readonly errors: readonly Message[];
}

/**
 * Starts a client, for one test.
 * @param address of the service, asked for each socket
 * @param after cursor at which it begins; null for the moment at which it subscribes
 */
export function startClient(address: () => string, key: string, after: string | null = null): Client {
  const codes: number[] = [];
  const received: string[] = [];
  const errors: Message[] = [];
  let at: string | null = null;
  let longestAway = 0;
  let cursor = after;
  let socket = open(null);
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    socket.terminate();
  });

  function open(closedAt: number | null): WebSocket {
    const url = address();
    const opened = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const send = (message: object) => opened.send(JSON.stringify(message));
    opened.on('open', () => send({ type: 'connection_init', payload: { 'X-API-Key': key } }));
    opened.on('message', (data) => {
      const message: Message = JSON.parse(String(data));
      const change = message.payload?.data?.companyChanged;
      if (message.type === 'error' || message.payload?.errors) errors.push(message);
      if (message.type === 'error' || message.type === 'complete') opened.close(); // and subscribes again
      if (change) {
        received.push(change.id);
        cursor = change.cursor;
      }
      if (message.type !== 'connection_ack') return;
      send(subscribe('1', CHANGES, { after: cursor }));
      at = url;
      if (closedAt !== null) longestAway = Math.max(longestAway, performance.now() - closedAt);
    });
    opened.on('error', () => undefined); // `close` follows
    opened.on('close', (code) => {
      at = null;
      if (isOver) return;
      codes.push(code);
      const now = performance.now();
      setTimeout(() => {
        if (!isOver) socket = open(now);
      }, Math.random() * MAX_RECONNECT_DELAY_MS);
    });
    return opened;
  }
  return {
    get at() {
      return at;
    },
    get longestAway() {
      return longestAway;
    },
    codes,
    received,
    errors,
  };
}

/**
 * Requests of the keys in turn, by REST and GraphQL in turn. Each settles with `200 true` for the right answer, else with another status or
 * the code of the connection's error; nothing is repeated.
 */
export function requester(address: () => string, keys: readonly { readonly key: string }[]): () => Promise<string> {
  let asked = 0;
  return async () => {
    asked += 1;
    const headers = { 'x-api-key': keys[asked % keys.length]?.key ?? '', 'content-type': 'application/json' };
    const [path, body] =
      asked % 2 === 0
        ? ['/v1/kyb', { identifier: cnpj, country: 'BR' }]
        : ['/graphql', { query: `{ company(identifier: "${cnpj}") { kyb { status } } }` }];
    try {
      const answer = await fetch(`${address()}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return `${answer.status} ${/"status":"active"/i.test(await answer.text())}`;
    } catch (error) {
      return String((error as { cause?: { code?: string } }).cause?.code ?? error);
    }
  };
}

import { EventEmitter, on } from 'node:events';
import { createServer } from 'node:http';
import { buildSchema } from 'graphql';
import { useServer as serve } from 'graphql-ws/use/ws';
import pg from 'pg';
import { WebSocketServer } from 'ws';

/**
 * Baseline of subscriptions: graphql-ws on `/graphql`, set up as in its documentation, without keys, change log or resuming. It sends
 * every Postgres notification on the channel `bench` to all subscribers.
 */
const { HOST: host = '127.0.0.1', PORT: port = '0', DATABASE_URL: database } = process.env;
const notifications = new EventEmitter().setMaxListeners(0);
const client = new pg.Client(database);
await client.connect();
client.on('notification', ({ payload = '' }) => notifications.emit('change', { companyChanged: JSON.parse(payload) }));
await client.query('LISTEN bench');

const schema = buildSchema(`
  type Query { ok: Boolean }
  type Subscription { companyChanged: Change }
  type Change { id: ID! identifier: String! changedFields: [FieldChange!]! }
  type FieldChange { field: String! from: String to: String }`);

async function* companyChanged() {
  for await (const [event] of on(notifications, 'change')) yield event;
}

const server = createServer((_, res) => res.end('ok'));
serve({ schema, roots: { subscription: { companyChanged } } }, new WebSocketServer({ server, path: '/graphql' }));
server.listen(Number(port), host);

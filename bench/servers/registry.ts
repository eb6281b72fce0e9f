import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { minhaReceitaJson } from '../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { establishment } from '../../sandbox/world/brazil/company.ts';
import { companies } from '../../sandbox/world/brazil/world.ts';

/**
 * Mock of the Brazilian tax registry. It answers `GET /{cnpj}`, for a CNPJ of the sandbox with its company and for any other always with
 * the same one, and `GET /updated` with a date. `PUT /latency/{ms}` sets the latency of further calls. `GET /counts` returns the numbers
 * of calls and of opened connections so far, without itself.
 */
const { HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;
/** Keep-alive time. It is longer than a pause between measurements, like that of most public servers. */
const KEEP_ALIVE_MS = 60_000;
const other = establishment({ scenario: 'bench', root: '99000000', name: 'EMPRESA DE MEDICAO LTDA', note: '' });
const [before, after] = JSON.stringify(minhaReceitaJson(other)).split(other.cnpj);
const known = new Map(companies.map((company) => [`/${company.cnpj}`, JSON.stringify(minhaReceitaJson(company))]));
known.set('/updated', JSON.stringify({ message: '2026-01-14 é a data de extração dos dados pela Receita Federal.' }));
const counts = { calls: 0, connections: 0 };
const counted = new WeakSet<object>();
let latencyMs = 0;

const server = createServer(async ({ url = '/', method, socket }, res) => {
  const send = (text: string) => {
    const body = Buffer.from(text);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  };
  if (url === '/counts') return send(JSON.stringify(counts));
  if (method === 'PUT') {
    latencyMs = Number(url.split('/').at(-1));
    return send('{}');
  }
  counts.calls += 1;
  if (!counted.has(socket)) counts.connections += 1;
  counted.add(socket);
  if (latencyMs > 0) await delay(latencyMs);
  send(known.get(url) ?? `${before}${url.slice(1)}${after}`);
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(Number(port), host);

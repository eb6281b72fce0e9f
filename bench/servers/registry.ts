import { createServer } from 'node:http';
import { minhaReceitaJson } from '../../src/sandbox/upstreams/receita-federal/minha-receita.ts';
import { establishment } from '../../src/sandbox/world/brazil/company.ts';
import { companies } from '../../src/sandbox/world/brazil/world.ts';

/**
 * Mock of the Brazilian tax registry: answers `GET /{cnpj}` at once, a CNPJ of the sandbox with its company and any other with always the
 * same one, and `GET /updated` with a date.
 */
const { HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;
const other = establishment({ scenario: 'bench', root: '99000000', name: 'EMPRESA DE MEDICAO LTDA', note: '' });
const [before, after] = JSON.stringify(minhaReceitaJson(other)).split(other.cnpj);
const known = new Map(companies.map((company) => [`/${company.cnpj}`, JSON.stringify(minhaReceitaJson(company))]));
known.set('/updated', JSON.stringify({ message: '2026-01-14 é a data de extração dos dados pela Receita Federal.' }));
createServer(({ url = '/' }, res) => {
  const body = Buffer.from(known.get(url) ?? `${before}${url.slice(1)}${after}`);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(port), host);

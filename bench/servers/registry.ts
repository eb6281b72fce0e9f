import { createServer } from 'node:http';
import { minhaReceitaJson } from '../../src/sandbox/upstreams/receita-federal/minha-receita.ts';
import { establishment } from '../../src/sandbox/world/brazil/company.ts';

/** Mock of the Brazilian tax registry: answers `GET /{cnpj}` at once with the same company for any CNPJ. */
const { HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;
const company = establishment({ scenario: 'bench', root: '99000000', name: 'EMPRESA DE MEDICAO LTDA', note: '' });
const [before, after] = JSON.stringify(minhaReceitaJson(company)).split(company.cnpj);
createServer(({ url = '/' }, res) => {
  const body = Buffer.from(`${before}${url.slice(1)}${after}`);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(port), host);

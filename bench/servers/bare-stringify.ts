import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Baseline: the HTTP server of Node parses the request's JSON and stringifies an answer that is in memory as objects. Each file
 * `<name>.json` in BENCH_PREPARED_DIR is the response to `POST /<name>`.
 */
const { BENCH_PREPARED_DIR: dir = '', HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;
const answers = new Map<string, unknown>();
for (const file of await readdir(dir)) {
  answers.set(`/${path.basename(file, '.json')}`, JSON.parse(await readFile(path.join(dir, file), 'utf8')));
}
createServer(async (request, response) => {
  const answer = answers.get(request.url ?? '');
  if (answer === undefined) return response.writeHead(404).end();
  JSON.parse(await text(request));
  const body = Buffer.from(JSON.stringify(answer));
  return response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }).end(body);
}).listen(Number(port), host);

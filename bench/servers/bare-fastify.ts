import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fastify from 'fastify';

/**
 * Baseline with the minimum work: Fastify parses the request's JSON and sends prepared bytes. Each file `<name>.json` in
 * BENCH_PREPARED_DIR is the response to `POST /<name>`.
 */
const { BENCH_PREPARED_DIR: dir = '', HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;
const server = fastify();
for (const file of await readdir(dir)) {
  const answer = await readFile(path.join(dir, file));
  server.post(`/${path.basename(file, '.json')}`, (_, reply) => reply.type('application/json; charset=utf-8').send(answer));
}
await server.listen({ host, port: Number(port) });

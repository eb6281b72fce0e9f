import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createMeteredServer, metered } from './hand-written/metered.ts';

/**
 * Baseline: the same work as `/v1` by hand. The answers are in memory as objects, so no source is read and nothing is computed. Each file
 * `<name>.json` in BENCH_PREPARED_DIR is the answer to `POST /v1/<name>` about the company BENCH_COMPANY.
 */
const { BENCH_PREPARED_DIR: dir = '', BENCH_COMPANY: company = '', HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;

interface Params {
  readonly check: string;
}
interface Body {
  readonly cnpj?: string;
  readonly identifier?: string;
}

const answersOf = new Map<string, ReadonlyMap<string, object>>();
for (const file of await readdir(dir)) {
  const answer = JSON.parse(await readFile(path.join(dir, file), 'utf8'));
  answersOf.set(path.basename(file, '.json'), new Map([[company, answer]]));
}

const server = await createMeteredServer();
server.post<{ Params: Params; Body: Body }>('/v1/:check', async (request, reply) => {
  const { cnpj, identifier } = request.body;
  const answer = answersOf.get(request.params.check)?.get(String(cnpj ?? identifier).replaceAll(/\W/g, ''));
  if (!answer) return reply.status(404).send({ error: 'unknown company' });
  metered(request).quantity = 1;
  return 'generated_at' in answer ? { ...answer, generated_at: new Date().toISOString() } : answer;
});
await server.listen({ host, port: Number(port) });

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { minhaReceitaJson } from '../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { cnpjOf } from '../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { rounds } from '../support/rounds.ts';
import { upstream } from '../support/upstream.ts';
import { startService } from './load/service.ts';

const PROCESSES = 3;
const COMPANIES = rounds(1_000);
const CLIENTS = rounds(300);
const PAGE = 50;
/** One company in so many is unknown to the registry, which its second mirror confirms. */
const UNKNOWN = 10;

const cnpjs = Array.from({ length: COMPANIES }, (_, i) => cnpjOf(String(10_000_000 + i)));
const unknown = new Set(cnpjs.filter((_, i) => i % UNKNOWN === 0));

/** Answers after 20 ms. */
const registry = (refusal: (cnpj: string) => object) =>
  upstream((path) => (_, response) => {
    const cnpj = path.slice(1);
    const isKnown = cnpj !== 'updated' && !unknown.has(cnpj);
    const body = isKnown ? minhaReceitaJson({ ...companyByScenario('clean'), cnpj }) : refusal(cnpj);
    setTimeout(() => {
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    }, 20);
  });

const QUERY = 'query ($ids: [String!]!) { companies(identifiers: $ids) { identifier kyb { status } } }';

interface Body {
  readonly data?: { readonly companies: readonly { readonly identifier: string; readonly kyb: { readonly status: string } | null }[] };
}

describe('processes on one Redis', needsRedis, () => {
  it(`UP-09 ${CLIENTS} clients of ${PROCESSES} processes ask for the same ${COMPANIES} companies: each upstream is asked once per company`, async () => {
    const redis = await redisOfTest();
    const main = await registry((cnpj) => ({ message: `CNPJ ${formatCnpj(cnpj)} não encontrado.` }));
    const mirror = await registry(() => ({ error: 'not found' }));
    const { processes, newKey } = await startService({
      processes: PROCESSES,
      env: {
        REDIS_URL: redis.url,
        QUIPU_RECEITA_URL: main.url,
        QUIPU_RECEITA_FALLBACK_URL: mirror.url,
        QUIPU_EXECUTIONS: '1000',
        QUIPU_EXECUTIONS_PER_KEY: '1000',
        QUIPU_DEADLINE: '14s',
        LOG_LEVEL: 'warn',
      },
    });
    const { key } = await newKey();
    const statuses = new Map<string, Set<string>>(cnpjs.map((cnpj) => [cnpj, new Set()]));

    /** Asks until every company of the page has an answer: a process refuses calls beyond its waiting places. */
    async function ask(url: string, page: readonly string[]): Promise<void> {
      let ids = page;
      while (ids.length > 0) {
        const answer = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify({ query: QUERY, variables: { ids } }),
        });
        const { data } = (await answer.json()) as Body;
        for (const { identifier, kyb } of data?.companies ?? []) if (kyb) statuses.get(identifier)?.add(kyb.status);
        ids = data ? data.companies.flatMap(({ identifier, kyb }) => (kyb ? [] : [identifier])) : ids;
        if (ids.length > 0) await sleep(200);
      }
    }

    const pages = Array.from({ length: Math.ceil(COMPANIES / PAGE) }, (_, i) => cnpjs.slice(i * PAGE, (i + 1) * PAGE));
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let i = 0; i < pages.length; i += 1) {
          await ask(processes[client % PROCESSES]?.url ?? '', pages[(client + i) % pages.length] ?? []);
        }
      }),
    );
    const calls = [
      { asked: main.asked, expected: cnpjs },
      { asked: mirror.asked, expected: [...unknown] },
    ].map(({ asked, expected }) => ({ asked: asked.filter((path) => path !== '/updated').map((path) => path.slice(1)), expected }));
    const isWell = processes.every(({ err }) => !/Redis is away/.test(err()));
    console.info(
      `${calls.map(({ asked, expected }) => `${asked.length} calls for ${expected.length} companies`)}; Redis was ${isWell ? 'well' : 'silent'}`,
    );
    for (const { asked, expected } of calls) {
      expect(new Set(asked)).toEqual(new Set(expected));
      // A Redis that gets no time on a busy machine counts as away, and each process fetches for itself.
      if (isWell) expect(asked).toHaveLength(expected.length);
      else expect(asked.length).toBeLessThanOrEqual(PROCESSES * expected.length);
    }
    for (const [cnpj, seen] of statuses) expect([...seen]).toEqual([unknown.has(cnpj) ? 'NOT_FOUND' : 'ACTIVE']);
  });
});

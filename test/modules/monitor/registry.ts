import os from 'node:os';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { createSealer } from '../../../src/db/sealer.ts';
import type { Clock } from '../../../src/domain/time.ts';
import { createLoaders } from '../../../src/loaders/loader.ts';
import { COMPARISONS } from '../../../src/modules/monitor/service/compared-lists.ts';
import { monitorSettings } from '../../../src/modules/monitor/service/settings.ts';
import { buildServices, type Open } from '../../../src/service.ts';
import { buildSources } from '../../../src/sources/build.ts';
import { clOwnership } from '../../../src/sources/cl-ownership/source.ts';
import { createHttpClient } from '../../../src/sources/http/client.ts';
import type { OutboundClient } from '../../../src/sources/outbound/outbound.ts';
import { receitaFederal } from '../../../src/sources/receita-federal/receita-federal.ts';
import { sii } from '../../../src/sources/sii/source.ts';
import type { Use } from '../../../src/sources/source.ts';
import { webhookSettings } from '../../../src/webhooks/service/settings.ts';
import { acme } from '../../sources/receita-answers.ts';
import { memoryLog } from '../../support/log.ts';
import { type Reply, startUpstream, type Upstream } from '../../support/upstream.ts';

/** What the simulated registry answers for a company. */
export interface Said {
  readonly active?: boolean;
  readonly name?: string;
  readonly porte?: 'MICRO EMPRESA' | 'DEMAIS';
  readonly activity?: string;
  /** In place of an answer. */
  readonly reply?: Reply;
}

/** A Brazilian registry whose companies the test changes. A company without an entry in `says` is active and small. */
export interface TestRegistry extends Upstream {
  readonly says: Map<string, Said>;
  /** Calls for each company, by CNPJ. */
  readonly calls: () => ReadonlyMap<string, number>;
  /** Replaces every answer for which it returns a reply. Null: not used. */
  reply: ((cnpj: string) => Reply | null) | null;
  /** Ms before an answer. */
  delay: number;
  /** The highest number of simultaneous requests so far. */
  busiest: number;
}

export async function testRegistry(): Promise<TestRegistry> {
  const says = new Map<string, Said>();
  /** Paths of the companies that were looked up. The date of the registry's copy, which it does not have, is left out. */
  const lookups: string[] = [];
  const server = await startUpstream((path) => (_, response) => {
    if (path === '/updated') return response.writeHead(404).end();
    lookups.push(path);
    const cnpj = path.slice(1);
    registry.busiest = Math.max(registry.busiest, server.open());
    setTimeout(() => {
      const said = says.get(cnpj);
      const reply = registry.reply?.(cnpj) ?? said?.reply ?? { body: answer(cnpj, said) };
      if (typeof reply === 'function') return reply(_, response);
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(JSON.stringify(reply.body));
    }, registry.delay);
  });
  onTestFinished(() => server.close());
  const registry: TestRegistry = {
    ...server,
    asked: lookups,
    says,
    reply: null,
    delay: 0,
    busiest: 0,
    calls: () => new Map([...Map.groupBy(lookups, (path) => path.slice(1))].map(([cnpj, paths]) => [cnpj, paths.length])),
  };
  return registry;
}

/** The answer in the format of the registry. */
export const answer = (
  cnpj: string,
  { active = true, name = acme.razao_social, porte = 'MICRO EMPRESA', activity = 'Padaria' }: Said = {},
) => ({
  ...acme,
  cnpj,
  razao_social: name,
  situacao_cadastral: active ? 2 : 8,
  descricao_situacao_cadastral: active ? 'ATIVA' : 'BAIXADA',
  porte,
  codigo_porte: porte === 'DEMAIS' ? 5 : 1,
  cnae_fiscal: null, // a test may give any words
  cnae_fiscal_descricao: activity,
});

/** Addresses of sources with a stored copy that no test loads unless it replaces the address. */
const NEVER_LOADED: Readonly<Record<string, string | undefined>> = {
  QUIPU_SII_EMPRESAS_URL: 'http://sii.invalid/companies.txt',
  QUIPU_CL_OWNERSHIP_URL: 'http://sii.invalid/owners.csv',
};

/** The parts of one process that monitoring needs: its own sources, memory and services, on a database that processes may share. */
export interface Node {
  readonly open: Open;
  readonly use: Use;
  readonly lines: readonly Record<string, unknown>[];
}

const SETTINGS = { ...monitorSettings, ...webhookSettings };

export interface NodeOptions {
  readonly db: Knex;
  readonly registry?: Pick<Upstream, 'url'>;
  readonly now?: Clock;
  readonly settings?: Readonly<Partial<Record<keyof typeof SETTINGS, string>>>;
  /** Addresses of other sources. A source without an address is disabled. */
  readonly addresses?: Readonly<Record<string, string>>;
}

export function node({ db, registry, now = Date.now, settings = {}, addresses = {} }: NodeOptions): Node {
  const { log, lines } = memoryLog();
  const random = () => 0.5;
  const elsewhere = (): never => {
    throw new Error('nothing here goes elsewhere');
  };
  const sources = buildSources([receitaFederal, sii, clOwnership, ...new Set(COMPARISONS.map(({ source }) => source))], ({ name }) => ({
    address: (setting) => ({ url: { ...NEVER_LOADED, QUIPU_RECEITA_URL: registry?.url, ...addresses }[setting] ?? '', origin: 'given' }),
    setting: () => '',
    http: ({ concurrency = 16 } = {}) => createHttpClient({ source: name, concurrency, now, random, log }),
    get outbound() {
      return elsewhere();
    },
    get dns() {
      return elsewhere();
    },
    db,
    now,
    random,
    log,
    tempDir: os.tmpdir(),
  }));
  const services = buildServices(() => ({
    db,
    now,
    random,
    log,
    loaders: createLoaders(sources.use, now),
    use: sources.use,
    rows: { forget: () => undefined },
    mailing: null,
    webhooks: { request: elsewhere, close: async () => undefined } as unknown as OutboundClient,
    sealerFor: (purpose) => createSealer('a secret of sixteen', purpose),
    setting: (name) => settings[name as keyof typeof SETTINGS] ?? SETTINGS[name as keyof typeof SETTINGS].fallback,
  }));
  onTestFinished(async () => {
    await services.close();
    await sources.close();
  });
  return { open: services.open, use: sources.use, lines };
}

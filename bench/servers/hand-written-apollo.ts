import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Seen } from '../../src/modules/compliance-br/domain.ts';
import type { DebarmentEntry } from '../../src/modules/debarment/source.ts';
import type { LaborEntry } from '../../src/modules/labor/source.ts';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import type { ReceitaCompany } from '../../src/sources/receita-federal/company.ts';
import type { ListEntry, RegistrySource } from '../../src/sources/registry/registry.ts';

/**
 * Baseline: what one would write by hand for this query instead of Quipu, without key, limits and usage: Apollo Server with a schema of
 * exactly the fields that are asked, a DataLoader for each source and an LRU cache behind it. It reads the same sources, through the
 * readers of the build, of the Quipu that runs on QUIPU_DATA_DIR, and uses its rules of risk.
 */
const built = <T>(file: string): Promise<T> => import(`../../dist/src/${file}.js`) as Promise<T>;
const { createLog } = await built<typeof import('../../src/app/log.ts')>('app/log');
const { openDatabase } = await built<typeof import('../../src/app/database.ts')>('app/database');
const { withKeySecret } = await built<typeof import('../../src/app/key-secret.ts')>('app/key-secret');
const { sourcesOf } = await built<typeof import('../../src/app/sources.ts')>('app/sources');
const { processConfig } = await built<typeof import('../../src/config.ts')>('config');
const { attachOrStart } = await built<typeof import('../../src/db/embedded.ts')>('db/embedded');
const { assessRisk, completeness } =
  await built<typeof import('../../src/modules/compliance-br/domain.ts')>('modules/compliance-br/domain');
const { sanctionType } = await built<typeof import('../../src/modules/debarment/domain.ts')>('modules/debarment/domain');
const { debarmentSources } = await built<typeof import('../../src/modules/debarment/source.ts')>('modules/debarment/source');
const { trabalhoEscravo } = await built<typeof import('../../src/modules/labor/source.ts')>('modules/labor/source');
const { sanctionsSources } = await built<typeof import('../../src/modules/sanctions/sources/lists.ts')>('modules/sanctions/sources/lists');
const { findSandbox } = await built<typeof import('../../src/sandbox/server/address.ts')>('sandbox/server/address');
const { receitaFederal } = await built<typeof import('../../src/sources/receita-federal/receita-federal.ts')>(
  'sources/receita-federal/receita-federal',
);

const config = await withKeySecret(processConfig());
const log = createLog({ logLevel: 'warn' });
const { db } = await openDatabase(config, log, (dataDir) => attachOrStart(dataDir, { log }));
const sandbox = await findSandbox(config.dataDir);
if (sandbox === null) throw new Error(`no simulator runs on ${config.dataDir}`);
const sources = sourcesOf(config, { db, log, now: Date.now, random: Math.random, sandbox });
await Promise.all(sources.copies.map((copy) => copy.refresh()));

const TTL_MS = 6 * 3_600_000;

interface Kept<V> {
  readonly value: V;
  readonly dataAsOf: string | null;
  readonly fetchedAt: number;
}

/** A cache for the process, and a DataLoader over it for each request. */
function cached<V>(fetchAll: (cnpjs: readonly string[]) => Promise<readonly Omit<Kept<V>, 'fetchedAt'>[]>) {
  const cache = new LRUCache<string, Kept<V>>({ max: 50_000, ttl: TTL_MS });
  return () =>
    new DataLoader<string, Kept<V>>(async (cnpjs) => {
      const missing = cnpjs.filter((cnpj) => !cache.has(cnpj));
      const fetched = missing.length > 0 ? await fetchAll(missing) : [];
      for (const [i, found] of fetched.entries()) cache.set(missing[i] ?? '', { ...found, fetchedAt: Date.now() });
      return cnpjs.map((cnpj) => cache.get(cnpj) ?? new Error(`${cnpj} is not in the cache`));
    });
}

const rootOf = (cnpj: string): string => cnpj.slice(0, 8);

const cachedList = <R>(list: RegistrySource<R>) =>
  cached(async (cnpjs) => {
    const { version, entries } = await sources.use(list).lookup(cnpjs.map((cnpj) => `BR:${rootOf(cnpj)}`));
    return cnpjs.map((cnpj) => ({
      value: { version, entries: entries.get(`BR:${rootOf(cnpj)}`) ?? ([] as readonly ListEntry<R>[]) },
      dataAsOf: version.publishedOn,
    }));
  });

const companyCache = cached<ReceitaCompany | null>((cnpjs) =>
  Promise.all(cnpjs.map((cnpj) => sources.use(receitaFederal).datedCompany(cnpj))),
);
const sanctionsCaches = sanctionsSources.map((list) => ({ name: list.spec.name, loader: cachedList<SanctionsEntry>(list) }));
const debarmentCaches = debarmentSources.map((list) => ({ name: list.spec.name, loader: cachedList<DebarmentEntry>(list) }));
const laborCache = cachedList<LaborEntry>(trabalhoEscravo);

interface Context {
  readonly company: ReturnType<typeof companyCache>;
  readonly sanctions: readonly { readonly name: string; readonly loader: ReturnType<(typeof sanctionsCaches)[number]['loader']> }[];
  readonly debarment: readonly { readonly name: string; readonly loader: ReturnType<(typeof debarmentCaches)[number]['loader']> }[];
  readonly labor: ReturnType<typeof laborCache>;
}

const createContext = async (): Promise<Context> => ({
  company: companyCache(),
  sanctions: sanctionsCaches.map(({ name, loader }) => ({ name, loader: loader() })),
  debarment: debarmentCaches.map(({ name, loader }) => ({ name, loader: loader() })),
  labor: laborCache(),
});

const dateTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

const freshness = (parts: readonly Kept<unknown>[]) => {
  const fetchedAt = Math.min(...parts.map((part) => part.fetchedAt));
  const [dataAsOf = null] = parts.flatMap((part) => part.dataAsOf ?? []).sort();
  return { fetchedAt: dateTime(fetchedAt), dataAsOf, cached: true, stale: false, expiresAt: dateTime(fetchedAt + TTL_MS) };
};

async function check(cnpj: string, context: Context) {
  const [company, sanctions, debarment, labor] = await Promise.all([
    context.company.load(cnpj),
    Promise.all(context.sanctions.map(async ({ name, loader }) => ({ name, kept: await loader.load(cnpj) }))),
    Promise.all(context.debarment.map(async ({ name, loader }) => ({ name, kept: await loader.load(cnpj) }))),
    context.labor.load(cnpj),
  ]);
  const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
  const checks = {
    kyb: kybOf(company),
    owners: ownersOf(company),
    debarment: {
      records: debarment.flatMap(({ name, kept }) => kept.value.entries.map(({ record }) => debarmentOf(name, record, cnpj, today))),
      sourcesChecked: debarment.map(({ name }) => name),
      freshness: freshness(debarment.map(({ kept }) => kept)),
    },
    sanctions: {
      matches: sanctions.flatMap(({ name, kept }) => kept.value.entries.flatMap(({ record }) => sanctionOf(name, record, cnpj))),
      sourcesChecked: sanctions.map(({ name }) => name),
      lists: sanctions.map(({ name, kept: { value } }) => ({ ...value.version, list: name, loadedAt: dateTime(value.version.loadedAt) })),
      freshness: freshness(sanctions.map(({ kept }) => kept)),
    },
    labor: {
      records: labor.value.entries.map(({ record }) => laborOf(record, cnpj)),
      sourcesChecked: ['TRABALHO_ESCRAVO'],
      freshness: freshness([labor]),
    },
  };
  checks.debarment.records.sort((a, b) => (b.dateStart ?? '').localeCompare(a.dateStart ?? ''));
  return checks;
}

function kybOf(company: Kept<ReceitaCompany | null>) {
  const { value: record } = company;
  const status = record === null ? 'not_found' : record.registration === 'ATIVA' ? 'active' : 'inactive';
  return {
    companyName: record?.legalName ?? null,
    status,
    verified: status === 'active',
    foundedYear: record?.openedOn ? Number(record.openedOn.slice(0, 4)) : null,
    endDate: record?.registration === 'BAIXADA' ? record.registrationSince : null,
    registration: record?.registration ?? null,
    isBranch: record?.isBranch ?? false,
    specialSituation: record?.specialSituation ?? null,
    source: 'RECEITA_FEDERAL',
    freshness: freshness([company]),
  };
}

function ownersOf(company: Kept<ReceitaCompany | null>) {
  const owners = (company.value?.partners ?? []).map((partner) => {
    const isCompany = partner.kind === 'company' || (partner.kind === 'foreign' && [37, 57, 79].includes(partner.roleCode ?? 0));
    return {
      name: partner.name,
      role: partner.role,
      entityType: isCompany ? 'COMPANY' : 'INDIVIDUAL',
      identifier: partner.document,
      entryDate: partner.entryDate,
      country: partner.country,
      legalRepName: isCompany ? partner.legalRepName : null,
      legalRepRole: isCompany ? partner.legalRepRole : null,
    };
  });
  const companyName = company.value?.legalName ?? null;
  return { companyName, count: owners.length, owners, source: 'RECEITA_FEDERAL', freshness: freshness([company]) };
}

const debarmentOf = (source: string, entry: DebarmentEntry, cnpj: string, today: string) => ({
  source,
  sanctionType: sanctionType(entry.category),
  sanctioningBody: entry.bodyName,
  dateStart: entry.startsOn,
  dateEnd: entry.endsOn,
  processId: entry.processId,
  fineAmount: source === 'CNEP' && entry.fineBrl !== null ? String(entry.fineBrl) : null,
  status: entry.endsOn !== null && entry.endsOn < today ? 'ended' : 'active',
  matchedOn: entry.document === cnpj ? 'CNPJ' : 'ROOT',
  cnpj: entry.document,
});

function sanctionOf(list: string, record: SanctionsEntry, cnpj: string) {
  const ids = record.taxIds.filter(({ key }) => key === `BR:${rootOf(cnpj)}`);
  const exact = ids.find(({ value }) => value.replaceAll(/\W/g, '') === cnpj);
  const id = exact ?? ids[0];
  if (!id) return [];
  const { uid: entityId, name: entryName, programs } = record;
  return [{ list, entityId, entryName, matchedOn: exact ? 'TAX_ID' : 'ROOT', matchedIdType: id.type, matchedIdValue: id.value, programs }];
}

const laborOf = (entry: LaborEntry, cnpj: string) => ({
  ...entry,
  source: 'TRABALHO_ESCRAVO',
  activity: entry.cnae,
  status: entry.removedOn === null ? 'active' : 'ended',
  matchedOn: entry.document === cnpj ? 'CNPJ' : 'ROOT',
});

/** The risk, by the rules of the service. */
async function complianceOf({ identifier }: { readonly identifier: string }, _: unknown, context: Context) {
  const { kyb, owners, debarment, sanctions, labor } = await check(identifier, context);
  const seen = { kyb, owners, debarment, sanctions, labor } as unknown as Seen;
  const { level, reasons } = assessRisk(seen);
  const upper = (text: string) => text.toUpperCase();
  return {
    riskLevel: upper(level),
    riskReasons: reasons.map((reason) => ({
      ...reason,
      code: upper(reason.code),
      check: upper(reason.check),
      severity: upper(reason.severity),
    })),
    checks: {
      kyb: { ...kyb, status: upper(kyb.status) },
      owners,
      debarment: {
        ...debarment,
        isDebarred: debarment.records.length > 0,
        records: debarment.records.map((record) => ({ ...record, status: upper(record.status) })),
      },
      sanctions: { ...sanctions, isSanctioned: sanctions.matches.length > 0 },
      labor: {
        ...labor,
        hasViolations: labor.records.length > 0,
        records: labor.records.map((record) => ({ ...record, status: upper(record.status) })),
      },
    },
    sourcesFailed: [],
    completeness: upper(completeness(seen)),
    generatedAt: dateTime(Date.now()),
  };
}

const typeDefs = `
  type Query { company(identifier: String!): Company companies(identifiers: [String!]!): [Company]! }
  type Company { identifier: String! compliance: Compliance }
  type Compliance {
    riskLevel: String! riskReasons: [RiskReason!]! checks: Checks! sourcesFailed: [String!]! completeness: String! generatedAt: String!
  }
  type RiskReason { code: String! check: String! severity: String! message: String! }
  type Checks { kyb: Kyb owners: Owners debarment: Debarment sanctions: Sanctions labor: Labor }
  type Freshness { fetchedAt: String! dataAsOf: String cached: Boolean! stale: Boolean! expiresAt: String }
  type Kyb {
    companyName: String status: String! verified: Boolean! foundedYear: Int endDate: String registration: String isBranch: Boolean!
    specialSituation: String source: String! freshness: Freshness!
  }
  type Owners { companyName: String count: Int! owners: [Owner!]! source: String! freshness: Freshness! }
  type Owner {
    name: String! role: String! entityType: String! identifier: String entryDate: String country: String legalRepName: String legalRepRole: String
  }
  type Debarment { isDebarred: Boolean! records: [DebarmentRecord!]! sourcesChecked: [String!]! freshness: Freshness! }
  type DebarmentRecord {
    source: String! sanctionType: String! sanctioningBody: String! dateStart: String dateEnd: String processId: String fineAmount: String
    status: String! matchedOn: String! cnpj: String!
  }
  type Sanctions { isSanctioned: Boolean! matches: [Match!]! sourcesChecked: [String!]! lists: [ListVersion!]! freshness: Freshness! }
  type Match {
    list: String! entityId: String! entryName: String! matchedOn: String! matchedIdType: String! matchedIdValue: String! programs: [String!]!
  }
  type ListVersion { list: String! publishedOn: String loadedAt: String! entries: Int! checksum: String! }
  type Labor { hasViolations: Boolean! records: [LaborRecord!]! sourcesChecked: [String!]! freshness: Freshness! }
  type LaborRecord {
    source: String! employer: String! year: Int! workersRescued: Int! state: String! municipality: String activity: String!
    establishment: String listedOn: String removedOn: String status: String! matchedOn: String!
  }`;

const companyOf = (identifier: string) => ({ identifier: identifier.replaceAll(/\W/g, '') });
const resolvers = {
  Query: {
    company: (_: unknown, { identifier }: { identifier: string }) => companyOf(identifier),
    companies: (_: unknown, { identifiers }: { identifiers: readonly string[] }) => identifiers.map(companyOf),
  },
  Company: { compliance: complianceOf },
};
await startStandaloneServer(new ApolloServer<Context>({ typeDefs, resolvers }), {
  listen: { host: config.host, port: config.port },
  context: createContext,
});

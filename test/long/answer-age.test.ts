import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Awaitable } from '../../src/domain/answer.ts';
import type { SourceName } from '../../src/domain/catalogue.ts';
import { type CompanyKey, parseCompanyKey } from '../../src/domain/company.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { domainOwnerLoader } from '../../src/loaders/domain-owner.ts';
import { listLoader } from '../../src/loaders/list.ts';
import { createLoaders, type Load } from '../../src/loaders/loader.ts';
import { receitaTaxpayerLoader, siiTaxpayerLoader } from '../../src/loaders/taxpayer.ts';
import { ceis, cnep } from '../../src/modules/debarment/source.ts';
import { trabalhoEscravo } from '../../src/modules/labor/source.ts';
import { ofacSdn } from '../../src/modules/sanctions/sources/ofac-sdn.ts';
import { unConsolidated } from '../../src/modules/sanctions/sources/un-consolidated.ts';
import { taxDebtors } from '../../src/modules/tax-health/source.ts';
import { techLoader } from '../../src/modules/tech/loader.ts';
import { awardedContractsLoader, supplierNameLoader, tenderOrdersLoader, tenderSearchLoader } from '../../src/modules/tenders/loader.ts';
import { mailRouteLoader } from '../../src/modules/validate/loader.ts';
import type { Observer } from '../../src/observer.ts';
import { knownDomains } from '../../src/sources/domains/known-domains.ts';
import type { RegistrySource } from '../../src/sources/registry/registry.ts';
import type { SourceDeps, Use } from '../../src/sources/source.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { rounds } from '../support/rounds.ts';

/** A question to a source, through its loader. */
interface Subject {
  readonly source: SourceName;
  readonly name: string;
  readonly ask: (load: Load) => Awaitable<Answer<unknown>>;
  /** What each method of the source answers at a time, in epoch ms. */
  readonly methods: Readonly<Record<string, (now: number) => unknown>>;
  /** Up to this age an answer is given without a call; ms. */
  readonly ttlMs: number;
  /** From this age on an answer is not given; ms. */
  readonly maxStaleAgeMs: number;
  /** True for answers that are stored in a table and hence outlive a restart. */
  readonly isStored?: boolean;
  /** Left out: RUNS. */
  readonly runs?: number;
}

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

const BR = parseCompanyKey('BR', '11.222.333/0001-81');
const CL = parseCompanyKey('CL', '76.795.561-8');
const CO = parseCompanyKey('CO', '900.964.705-5');
const TOP = { first: 10, after: null };
const ages = (ttlMs: number, maxStaleAgeMs: number) => ({ ttlMs, maxStaleAgeMs });
const SIX_HOURS = ages(6 * HOUR_MS, DAY_MS);

const version = (now: number) => ({ id: '1', publishedOn: '2026-11-20', loadedAt: now, checkedAt: now, entries: 1, checksum: '' });

function listSubject<R>(list: RegistrySource<R>): Subject {
  const loader = listLoader(list);
  return {
    source: list.name,
    name: 'entries',
    ask: (load) => load(loader, 'BR:11222333'),
    methods: { lookup: (now) => ({ version: version(now), entries: new Map(), goodUntil: now + list.spec.staleAfterMs }) },
    ...SIX_HOURS,
  };
}

/** Pages of an index, or the orders of a supplier of SECOP II. */
const records = (now: number) => ({
  ...{ pages: [{ items: [], total: 1, hasMore: false }], publishedOn: null, checkedAt: now, goodUntil: now + 4 * DAY_MS },
  ...{ orders: [], total: 1, coverage: '', sentences: [] },
});

const marketSubjects = (source: SourceName, key: CompanyKey): readonly Subject[] => [
  { source, name: 'orders', ask: (load) => load(tenderOrdersLoader, { key, ...TOP }), methods: { orders: records }, ...SIX_HOURS },
  {
    source,
    name: 'search',
    ask: (load) => load(tenderSearchLoader, { country: key.country, keyword: 'a', from: null, to: null }),
    methods: { search: () => ({ notices: [{}], coverage: null, sentences: [], from: null, to: null }) },
    ...ages(15 * MINUTE_MS, 6 * HOUR_MS),
  },
];

const subjects: readonly Subject[] = [
  {
    source: 'receita_federal',
    name: 'a company',
    ask: (load) => load(receitaTaxpayerLoader, BR),
    methods: { datedCompany: () => ({ value: {}, dataAsOf: '2026-11-09' }) },
    ...SIX_HOURS,
  },
  {
    source: 'receita_federal',
    name: 'no company',
    ask: (load) => load(receitaTaxpayerLoader, BR),
    methods: { datedCompany: () => ({ value: null, dataAsOf: null }) },
    ...ages(15 * MINUTE_MS, HOUR_MS),
  },
  {
    source: 'sii',
    name: 'a company',
    ask: (load) => load(siiTaxpayerLoader, CL),
    methods: { companies: (now) => ({ version: version(now), companies: new Map(), unread: new Set(), goodUntil: now + 90 * DAY_MS }) },
    ...SIX_HOURS,
  },
  ...[ceis, cnep, trabalhoEscravo].map((list) => listSubject(list as RegistrySource<unknown>)),
  ...[ofacSdn, unConsolidated].map((list) => listSubject(list)),
  listSubject(taxDebtors),
  ...marketSubjects('mercadopublico', CL),
  {
    source: 'mercadopublico',
    name: 'awards',
    ask: (load) => load(awardedContractsLoader, { key: CL, ...TOP }),
    methods: { awards: records },
    ...SIX_HOURS,
  },
  ...marketSubjects('pncp', BR),
  ...marketSubjects('secopii', CO),
  {
    source: 'secopii',
    name: 'names',
    ask: (load) => load(supplierNameLoader, CO),
    methods: { names: () => ['ACME'] },
    ...SIX_HOURS,
  },
  {
    source: 'website',
    name: 'technologies',
    ask: (load) => load(techLoader, { domain: '203.0.113.7', start: null }),
    methods: { open: () => ({ entry: { kind: 'page', page: { url: new URL('http://203.0.113.7/'), headers: {}, html: '<p>ACME' } } }) },
    runs: rounds(10), // each answer is compared with all fingerprints
    ...ages(12 * HOUR_MS, DAY_MS),
  },
  {
    source: 'dns',
    name: 'the mail servers of a domain whose records live for an hour',
    ask: (load) => load(mailRouteLoader, 'acme.example'),
    methods: { together: () => ({ servers: [], fallback: false, reason: null, ttlMs: HOUR_MS }) },
    ...ages(HOUR_MS, HOUR_MS),
  },
  {
    source: 'rdap',
    name: 'the registrant of a domain',
    ask: (load) => load(domainOwnerLoader, { domain: 'acme.com.br', start: null }),
    methods: { registrant: () => ({ kind: 'company', cnpj: '11222333000181', name: 'ACME' }) },
    isStored: true,
    ...ages(DAY_MS, DAY_MS),
  },
];

/** A source that a test can switch off, and what the service keeps of it. The Brazilian registry is called live. */
function world({ ask, methods }: Subject) {
  const state = { now: Date.UTC(2026, 10, 21), isUp: true, calls: 0, underWay: 0, mostUnderWay: 0 };
  const now: Clock = () => state.now;
  async function call(answerAt: (now: number) => unknown): Promise<unknown> {
    state.calls += 1;
    state.underWay += 1;
    state.mostUnderWay = Math.max(state.mostUnderWay, state.underWay);
    await settled();
    state.underWay -= 1;
    if (!state.isUp) throw new Error('the source is down');
    return answerAt(state.now);
  }
  const source: Record<string, unknown> = Object.fromEntries(
    Object.entries(methods).map(([name, answerAt]) => [name, () => call(answerAt)]),
  );
  const dns = { health: () => ({ origin: 'given' }) };
  const stored = knownDomains.create({ db: db.knex, dns, setting: () => '', now, log: memoryLog().log } as unknown as SourceDeps);
  const use = (() => ({ ...source, ...stored, mode: 'live', version: () => '1' })) as unknown as Use;
  let batches = 0;
  const observer: Pick<Observer, 'startSpan' | 'countLoaderAnswer'> = {
    startSpan() {
      batches += 1;
      const end = () => {
        batches -= 1;
      };
      return { run: (work) => work(), end };
    },
    countLoaderAnswer: () => undefined,
  };
  const create = () => createLoaders(use, now, { observer: observer as Observer });
  let loaders = create();
  return {
    state,
    restart() {
      loaders = create();
    },
    /** Waits for refreshes in the background. */
    async refreshed() {
      do await settled();
      while (batches > 0);
    },
    /** Asks for two requests at once. */
    askTwice: () => Promise.allSettled([ask(loaders.scope()), ask(loaders.scope())]),
  };
}

/** Waits until promises that need no input or output have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const stepsUpTo = (longestMs: number) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant('get' as const) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: longestMs }) },
    { weight: 1, arbitrary: fc.constant('outage' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  );

const STEPS = 100;
const RUNS = rounds(100);

describe(`UP-10 over up to ${RUNS * STEPS} steps of asking, waiting, outages and restarts`, () => {
  it.each(subjects)(
    'answers of $source, $name, are fresh without a call, stale during one refresh, dated, and never too old',
    async (subject) => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepsUpTo((subject.ttlMs * 5) / 3), { minLength: STEPS, maxLength: STEPS }), async (steps) => {
          const { state, restart, refreshed, askTwice } = world(subject);
          await db.knex('domain_owners').delete();
          /** When the answer was fetched that the service should have; null when it has none. */
          let fetchedAt: number | null = null;
          for (const step of steps) {
            if (typeof step === 'number') state.now += step;
            else if (step === 'outage') state.isUp = !state.isUp;
            else if (step === 'restart') {
              restart();
              if (!subject.isStored) fetchedAt = null;
            } else {
              const age: number = fetchedAt === null ? Number.POSITIVE_INFINITY : state.now - fetchedAt;
              const before = state.calls;
              const answers = await askTwice();
              await refreshed();
              expect(state.calls - before).toBe(age < subject.ttlMs ? 0 : 1);
              const given = age < subject.maxStaleAgeMs ? fetchedAt : state.isUp ? state.now : null;
              const freshnesses = answers.map((one) => (one.status === 'fulfilled' ? one.value.freshness : null));
              expect(freshnesses.map((freshness) => freshness && { fetchedAt: freshness.fetchedAt, stale: freshness.stale })).toEqual(
                Array(2).fill(given === null ? null : { fetchedAt: given, stale: age >= subject.ttlMs && age < subject.maxStaleAgeMs }),
              );
              if (age >= subject.ttlMs && state.isUp) fetchedAt = state.now;
            }
          }
          expect(state.mostUnderWay).toBeLessThanOrEqual(1);
        }),
        { numRuns: subject.runs ?? RUNS },
      );
    },
  );
});

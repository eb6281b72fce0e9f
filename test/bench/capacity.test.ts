import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COEFFICIENTS } from '../../bench/capacity/coefficients.ts';
import { capacityCommand } from '../../bench/capacity/command.ts';
import { type Capacity, capacityOf, type Load } from '../../bench/capacity/model.ts';
import { UsageError } from '../../bench/harness/arguments.ts';

const LOAD: Load = {
  companies: 100_000,
  changesPerDay: 300,
  monitorsPerCompany: 1,
  webhooksPerChange: 1,
  receiverMs: 200,
  socketsPerChange: 1,
  intervalHours: 6,
  registryMs: 300,
  checksPerSecond: 10,
  companiesPerRequest: 1,
  cacheShare: 0.9,
  peak: 3,
  subscriptions: 0,
  cores: 8,
  usageDays: 731,
};
const capacity = (changed: Partial<Load> = {}): Capacity => capacityOf({ ...LOAD, ...changed });
const used = (name: string, changed: Partial<Load> = {}): number =>
  capacity(changed).limits.find((limit) => limit.name.startsWith(name))?.used ?? Number.NaN;

describe('the capacity model', () => {
  it('needs two processes of each kind for a small load, so that one can fail', () => {
    const { web, workers, limits } = capacity({ companies: 0, changesPerDay: 0, checksPerSecond: 0 });
    expect([web.processes, workers]).toEqual([2, 2]);
    expect(limits.filter((limit) => limit.used > 1)).toEqual([]);
  });

  it('adds web processes for requests and for sockets, whichever need more', () => {
    const own = capacity({ checksPerSecond: 1_000, cacheShare: 1 }).web.ownCores;
    expect(own).toBeCloseTo(COEFFICIENTS.idleCpuMs.value / 1_000, 3);
    expect(capacity({ checksPerSecond: 1_000, cacheShare: 1 }).web.processes).toBe(
      Math.ceil((3 * (COEFFICIENTS.requestCpuMs.value + COEFFICIENTS.companyCpuMs.value)) / (COEFFICIENTS.busyShare.value - own)),
    );
    expect(capacity({ subscriptions: 50_000 }).web.processes).toBe(5);
    expect(capacity({ subscriptions: 50_001 }).web.processes).toBe(6);
  });

  it('counts the cost of a request once for all its companies', () => {
    const one = capacity({ checksPerSecond: 5_000 });
    const many = capacity({ checksPerSecond: 5_000, companiesPerRequest: 50 });
    expect(many.rates.requests).toBeCloseTo(one.rates.requests / 50);
    expect(many.web.processes).toBeLessThan(one.web.processes);
    expect(many.postgres.tables.usage_events).toBeCloseTo((one.postgres.tables.usage_events ?? 0) / 50);
  });

  it('checks watched companies with three jobs at most, each as fast as the registry answers 16 calls at a time', () => {
    const [slow, local] = [used('checks of', { registryMs: 600 }), used('checks of', { registryMs: 1 })];
    expect(slow / used('checks of')).toBeCloseTo(2, 1);
    expect(local).toBeLessThan(used('checks of') / 20);
    const work = (64 / 2_163) * 1_000;
    expect(used('checks of', { companies: 1_000_000 })).toBeCloseTo(1_000_000 / (6 * 3_600) / ((3 * 64_000) / (4 * 300 + work)));
    expect(capacity({ companies: 60_000_000 }).workers).toBe(3);
  });

  it('halves the work of checks and keeps the rows when the interval doubles', () => {
    const [often, seldom] = [capacity(), capacity({ intervalHours: 12 })];
    expect(seldom.rates.checksOfWatched).toBeCloseTo(often.rates.checksOfWatched / 2);
    expect(seldom.postgres.bytes).toBe(often.postgres.bytes);
    expect(seldom.redisBytes).toBe(often.redisBytes);
  });

  it('keeps in Redis the answers of the last day only, when companies are checked less often than that', () => {
    const load = { checksPerSecond: 0 };
    expect(capacity({ ...load, intervalHours: 240 }).redisBytes).toBeCloseTo(capacity(load).redisBytes / 10);
  });

  it('stores a row of the change log for each monitor, and a delivery for each webhook', () => {
    const { tables } = capacity({ monitorsPerCompany: 4, webhooksPerChange: 2 }).postgres;
    expect(tables.changes).toBe(300 * 4 * COEFFICIENTS.changeDays.value * COEFFICIENTS.changeBytes.value);
    expect(tables.deliveries).toBe(300 * 2 * COEFFICIENTS.deliveryDays.value * COEFFICIENTS.deliveryBytes.value);
  });

  it('adds CPU time for each socket and each event that it receives, and in every process for each change', () => {
    const load = { changesPerDay: 86_400, checksPerSecond: 0, socketsPerChange: 0 };
    const { idleCpuMs, eventCpuMs, socketCpuMs, messageCpuMs } = COEFFICIENTS;
    const msFor = (changed: Partial<Load>) => 1_000 * capacity({ ...load, ...changed }).web.busyCores - 2 * idleCpuMs.value;
    const ofChanges = 2 * LOAD.peak * eventCpuMs.value;
    expect(msFor({})).toBeCloseTo(ofChanges);
    expect(msFor({ subscriptions: 10_000 })).toBeCloseTo(ofChanges + 10_000 * socketCpuMs.value);
    expect(msFor({ socketsPerChange: 20 })).toBeCloseTo(ofChanges + 20 * LOAD.peak * messageCpuMs.value);
  });

  it('adds workers for webhooks, more for receivers that answer late', () => {
    const load = { changesPerDay: (7 * COEFFICIENTS.deliveriesPerSecond.value * 86_400) / LOAD.peak };
    expect(capacity({ ...load, receiverMs: 0 }).workers).toBe(7);
    const perSecond = 1 / (1 / COEFFICIENTS.deliveriesPerSecond.value + 1 / COEFFICIENTS.webhookRequests.value);
    expect(capacity({ ...load, receiverMs: 1_000 }).workers).toBe(Math.ceil((7 * COEFFICIENTS.deliveriesPerSecond.value) / perSecond));
  });

  it.each([
    { name: 'checks of', load: { companies: 60_000_000 } },
    { name: 'mass-change guard', load: { companies: 60_000_000, changesPerDay: 1, registryMs: 1 } },
    { name: 'change log', load: { companies: 60_000_000, changesPerDay: 30_000_000, intervalHours: 1 } },
    { name: 'CPU of Postgres', load: { checksPerSecond: 10_000 } },
    { name: 'table usage_events', load: { checksPerSecond: 100 } },
    { name: 'connections of Postgres', load: { subscriptions: 100_000 } },
    { name: 'cache of a web process', load: { checksPerSecond: 1_000, cacheShare: 0.5 } },
    { name: 'memory of Redis', load: { companies: 60_000_000 } },
  ])('says that the limit "$name" is passed, with what to change, and that a small load is below it', ({ name, load }) => {
    expect(used(name, load)).toBeGreaterThan(1);
    expect(used(name)).toBeLessThan(1);
    expect(capacity(load).limits.find((limit) => limit.name.startsWith(name))?.change).not.toBe('');
  });

  it('lists the tightest limit first, and needs no less for more of anything', () => {
    const more = fc.record({
      companies: fc.integer({ min: 0, max: 60_000_000 }),
      changesPerDay: fc.integer({ min: 0, max: 1_000_000 }),
      checksPerSecond: fc.integer({ min: 0, max: 10_000 }),
      subscriptions: fc.integer({ min: 0, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(more, fc.constantFrom('companies', 'changesPerDay', 'checksPerSecond', 'subscriptions'), (load, field) => {
        const [before, after] = [capacity(load), capacity({ ...load, [field]: load[field] * 2 })];
        expect(before.limits.map((limit) => limit.used)).toEqual(before.limits.map((limit) => limit.used).sort((a, b) => b - a));
        expect(after.web.processes).toBeGreaterThanOrEqual(before.web.processes);
        expect(after.workers).toBeGreaterThanOrEqual(before.workers);
        expect(after.postgres.bytes).toBeGreaterThanOrEqual(before.postgres.bytes);
        expect(after.redisBytes).toBeGreaterThanOrEqual(before.redisBytes);
        expect(after.postgres.busyCores).toBeGreaterThanOrEqual(before.postgres.busyCores);
      }),
    );
  });
});

describe('the coefficients', () => {
  it('that are set have the values of the code', () => {
    const source = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');
    const checks = source('src/modules/monitor/service/checks.ts');
    expect(checks).toContain(`BATCH_SIZE = { BR: ${COEFFICIENTS.checkBatch.value},`);
    expect(checks).toContain(`QUEUES = { BR: [${[...Array(COEFFICIENTS.checkJobs.value).keys()].join(', ')}],`);
    expect(source('src/app/sources.ts')).toContain(`http: ({ concurrency = ${COEFFICIENTS.registryCalls.value},`);
    expect(source('src/db/knex.ts')).toContain(`STATEMENT_MS = ${COEFFICIENTS.statementSeconds.value}_000`);
    expect(source('src/webhooks/service/webhook-sender.ts')).toContain(`SLOTS = ${COEFFICIENTS.webhookRequests.value};`);
    const taxpayer = source('src/loaders/taxpayer.ts');
    expect(taxpayer).toContain(`record ? ${COEFFICIENTS.freshHours.value} * HOUR_MS`);
    expect(taxpayer).toContain(`record ? ${COEFFICIENTS.keptHours.value} : 1`);
  });

  it('that are measured name their measurement and its day, and the others give a reason', () => {
    for (const { basis, source } of Object.values(COEFFICIENTS)) {
      expect(source).not.toBe('');
      if (basis === 'measured') expect(source).toMatch(/(benchmarks\.md|0032-steps-of-tuning\.md|#stored-bytes|#guard|#web-costs).* 202\d/);
    }
  });
});

describe('the command', () => {
  it('prints processes, sizes, the limits and what to change first', () => {
    const text = capacityCommand(['--companies', '10000000', '--changes-per-day=30000']);
    for (const part of ['10,000,000 watched companies, 30,000 changes a day', 'web processes', 'workers', 'Redis', 'Postgres, stored'])
      expect(text).toContain(part);
    expect(text).toContain('Breaks first: mass-change guard, at 4');
    expect(text).toContain('Change for checks of watched companies: raise QUIPU_MONITOR_INTERVAL');
    expect(text).toContain('used 1.4 to 1.5 times the predicted CPU time in short soaks');
  });

  it('prints one JSON object with the load, in which changes are 3 for 1,000 companies unless they are given', () => {
    const { load, limits, postgres } = JSON.parse(capacityCommand(['--companies', '100000', '--json']));
    expect(load).toEqual(LOAD);
    expect({ limits, postgres }).toEqual(JSON.parse(JSON.stringify({ limits: capacity().limits, postgres: capacity().postgres })));
  });

  it('describes its options with their bounds', () => {
    const text = capacityCommand(['--help']);
    for (const option of [
      '--companies',
      '--changes-per-day',
      '--cache-share',
      '--subscriptions',
      '--webhooks-per-change',
      '--cores',
      '--json',
    ])
      expect(text).toContain(option);
    expect(text).toContain('0 to 100,000,000');
  });

  it.each([
    { name: 'no number of companies', argv: [], message: '--companies is missing' },
    { name: 'a word', argv: ['--companies', 'many'], message: '--companies: expected a whole number from 0 to 100000000, got "many".' },
    { name: 'a part of a company', argv: ['--companies', '1.5'], message: '--companies: expected a whole number' },
    { name: 'too many companies', argv: ['--companies', '100000001'], message: 'from 0 to 100000000' },
    {
      name: 'a share above 1',
      argv: ['--companies', '1', '--cache-share', '1.1'],
      message: '--cache-share: expected a number from 0 to 1',
    },
    {
      name: 'an interval of 0',
      argv: ['--companies', '1', '--interval-hours', '0'],
      message: '--interval-hours: expected a whole number from 1',
    },
    { name: 'a negative number', argv: ['--companies', '1', '--peak=-1'], message: '--peak: expected a number from 1 to 100' },
    { name: 'an unknown option', argv: ['--companies', '1', '--fast'], message: '--fast' },
    { name: 'an argument', argv: ['10000000'], message: '10000000' },
  ])('refuses $name with a message that helps', ({ argv, message }) => {
    expect(() => capacityCommand(argv)).toThrow(UsageError);
    expect(() => capacityCommand(argv)).toThrow(message);
  });
});

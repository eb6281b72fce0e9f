import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { operationGenerator } from '../support/adversarial-operations.ts';
import { needs } from '../support/needs.ts';
import { randomOf } from '../support/random.ts';
import { isQuick, rounds } from '../support/rounds.ts';
import { type MeasuredService, startMeasured } from './measured-service.ts';

const SCHEMA = readFileSync(path.resolve(import.meta.dirname, '../../schema/schema.graphql'), 'utf8');
const SEED = Number(process.env.QUIPU_PROPERTY_SEED ?? 1);
/** Operations that compile code and fill caches, before any is measured. */
const WARM_UP = 100;
const MONITORS = 60;
const WATCHED = companies.slice(0, 40).map(({ cnpj }) => cnpj);
/** A machine that runs a small share does other work meanwhile. */
const SLOWNESS = isQuick ? 3 : 1;

/** What the worst of the operations took. */
interface Worst {
  /** Milliseconds until the answer was read. */
  ms: number;
  /** Milliseconds of CPU time that the event loop was blocked. */
  blockedMs: number;
  /** MiB of resident memory at the peak, above what the process had before the operation. */
  memory: number;
}

describe('GQ-05 10,000 generated operations that nest lists, as deep and as long as the limits admit', () => {
  // Peak memory is read from /proc.
  it('are each answered within 2 s, block the event loop for at most 50 ms and take at most 50 MiB', {
    timeout: 3_600_000,
    ...needs(process.platform === 'linux', 'it reads the memory of processes in /proc'),
  }, async () => {
    const service = await startMeasured();
    const monitorIds = await createMonitors(service);
    const next = operationGenerator(SCHEMA, { identifiers: WATCHED, domains: ['example.cl'], monitorIds }, randomOf(SEED));
    for (let i = 0; i < WARM_UP; i += 1) await service.query(next());

    const worst: Worst = { ms: 0, blockedMs: 0, memory: 0 };
    const found: Record<keyof Worst, string> = { ms: '', blockedMs: '', memory: '' };
    const refused = { count: 0 };
    const operations = rounds(10_000);
    for (let i = 0; i < operations; i += 1) {
      const operation = next();
      const { measured, errors } = await measure(service, operation);
      if (errors?.some(({ extensions }) => extensions.code === 'COST_TOO_HIGH')) refused.count += 1;
      expect(errors?.filter(({ extensions }) => extensions.code === 'INTERNAL') ?? [], operation).toEqual([]);
      for (const name of Object.keys(worst) as (keyof Worst)[]) {
        if (measured[name] <= worst[name]) continue;
        worst[name] = measured[name];
        found[name] = operation;
      }
    }
    console.log(`seed ${SEED}: ${operations} operations, ${refused.count} above the ceiling, worst`, worst);
    expect(refused.count).toBeLessThan(operations / 2);
    expect(worst.ms, found.ms).toBeLessThan(2_000 * SLOWNESS);
    expect(worst.blockedMs, found.blockedMs).toBeLessThan(50 * SLOWNESS);
    expect(worst.memory, found.memory).toBeLessThan(50);
  });
});

async function createMonitors({ query, sandboxUrl }: MeasuredService): Promise<readonly string[]> {
  const input = `country: BR, identifiers: ${JSON.stringify(WATCHED)}, webhookUrl: "${sandboxUrl}/_control/webhooks/adversarial"`;
  const created: string[] = [];
  for (let i = 0; i < MONITORS; i += 1) {
    const { data, errors } = (await query(`mutation { createMonitor(input: { ${input} }) { monitor { id } } }`)).body;
    expect(errors).toBeUndefined();
    created.push(data.createMonitor.monitor.id);
  }
  return created;
}

/** Runs an operation and reads what it took from the process: its peak of memory, and the longest block of its event loop. */
async function measure({ pid, longestBlock, query }: MeasuredService, operation: string) {
  const memory = (name: 'VmRSS' | 'VmHWM'): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = memory('VmRSS');
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets the peak
  await longestBlock();
  const startedAt = performance.now();
  const { errors } = (await query(operation)).body;
  const ms = performance.now() - startedAt;
  const measured: Worst = { ms, blockedMs: await longestBlock(), memory: memory('VmHWM') - before };
  return { measured, errors: errors as { extensions: { code: string } }[] | undefined };
}

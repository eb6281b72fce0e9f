import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { cpuMsOf, parentOf, postgresCpuMs } from '../../../bench/harness/cpu-time.ts';

const SAMPLE_MS = 1_000;

/** CPU time that processes used between two samples. */
export interface CpuSample {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds, of the processes that ran at both samples. */
  readonly webMs: number;
  readonly postgresMs: number;
}

/** Samples the CPU time of web processes and of Postgres each second. Postgres runs on this machine. */
export async function sampleCpu(db: Knex, webs: () => readonly number[], isOver: () => boolean): Promise<readonly CpuSample[]> {
  const { rows } = await db.raw('SELECT pg_backend_pid() AS pid');
  const postgres = parentOf(rows[0].pid);
  const read = () => ({ at: Date.now(), webs: new Map(webs().map((pid) => [pid, cpuMsOf(pid)])), postgresMs: postgresCpuMs(postgres) });
  const samples: CpuSample[] = [];
  for (let before = read(); !isOver(); ) {
    await sleep(SAMPLE_MS);
    const now = read();
    const webMs = [...now.webs].reduce((sum, [pid, ms]) => sum + (before.webs.has(pid) ? ms - (before.webs.get(pid) ?? 0) : 0), 0);
    samples.push({ from: before.at, to: now.at, webMs, postgresMs: now.postgresMs - before.postgresMs });
    before = now;
  }
  return samples;
}

/** Cores that were busy in these samples, each a share of the time. */
export function busyCores(samples: readonly CpuSample[]): { readonly web: number; readonly postgres: number } {
  const sum = (of: (sample: CpuSample) => number) => samples.reduce((total, sample) => total + of(sample), 0);
  const ms = sum(({ from, to }) => to - from);
  return { web: sum(({ webMs }) => webMs) / ms, postgres: sum(({ postgresMs }) => postgresMs) / ms };
}

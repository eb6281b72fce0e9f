import type { Claim, Measurement, Ratio, Report } from './bench.ts';
import type { Machine } from './machine.ts';
import type { Summary } from './statistics.ts';
import { type Target, verdictOn } from './targets.ts';

/** Share of its CPU above which a load generator may limit the result. */
const BUSY = 0.9;

/** Renders a report as Markdown: the contenders, and a table with ratios for each claim. */
export function renderReport({ machine, options, contenders, claims, ratios = [] }: Report): string {
  const { rounds, seconds, warmupSeconds, connections } = options;
  const isUnpinned = claims.some(({ measured }) => measured.some(({ placement }) => placement === 'unpinned'));
  const where = machine.pinning.startsWith('not pinned') ? machine.pinning : `pinned: ${machine.pinning}`;
  const unpinned = isUnpinned && where !== machine.pinning ? '; unpinned: servers, Postgres and load generator on all CPUs' : '';
  const how = `Rounds: ${rounds}, interleaved; each run ${seconds} s after ${warmupSeconds} s of warm-up; ${connections} connections; ${where}${unpinned}. Only answers with status 200 count, and a run with another one ends the benchmark.`;
  const tables = claims.flatMap((claim) => ['', ...renderClaim(claim)]);
  return [...conditions(machine, how), ...definitions(contenders), ...tables, ...ratios.map(ratioLine(2)), ''].join('\n');
}

/** Writes the paragraph above the results: the time, the code, the machine and the method. `how` is one sentence or more. */
export function conditions(
  { at, commit, cpu, cores, node, loadAverage, isInMemory }: Machine,
  how: string,
  statistic = 'Figures are medians (least–greatest).',
): string[] {
  const started = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  const memory = isInMemory ? ' **Data folders are in memory, so commits do not wait for a disk.**' : '';
  return [
    `${started}, commit ${commit}; Node ${node}; ${cpu}, ${cores} cores, load average before ${loadAverage.toFixed(2)}.`,
    `${how} ${statistic}${memory}`,
    '',
  ];
}

/** Writes a list of contenders with their descriptions. */
export const definitions = (contenders: Readonly<Record<string, string>>): string[] =>
  Object.entries(contenders).map(([name, what]) => `- *${name}*: ${what}`);

function renderClaim({ title, answerBytes, measured, ratios }: Claim): string[] {
  const rows = measured.map(({ name, placement, requestsPerSecond, p50Ms, p99Ms, serverCpuUs, postgresCpuUs, generatorBusy }) => [
    name,
    placement,
    spread(requestsPerSecond, 0),
    spread(p50Ms, 2),
    spread(p99Ms, 2),
    cpuTime(serverCpuUs),
    cpuTime(postgresCpuUs),
    `${Math.round(generatorBusy.median * 100)} %`,
  ]);
  return [
    `**${title}** (answer of ${answerBytes.toLocaleString('en-US')} bytes)`,
    '',
    ...table(['', 'CPUs', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs, server', 'CPU µs, Postgres', 'generator busy'], rows),
    '',
    ...ratios.map(ratioLine(2)),
    ...measured
      .filter(isBoundByGenerator)
      .map(({ name, placement }) => `- ${name}, ${placement}: the load generator was at its limit; the server can do more.`),
  ];
}

/** Writes the CPU time of an answer; empty where it is not known. */
const cpuTime = (microseconds: Summary): string => (microseconds.max > 0 ? spread(microseconds, 0) : '');

/** Writes one line of a list, e.g. `- quipu / baseline, requests a second, pinned: **2.00** (1.90–2.10); target at least 4: missed`. */
export const ratioLine =
  (decimals: number) =>
  ({ of, to, basis, ratio, target }: Ratio): string => {
    const name = [`${of} / ${to}`, ...(basis === undefined ? [] : [basis])].join(', ');
    return `- ${withVerdict(`${name}: ${spread(ratio, decimals).replace(/^\S+/, '**$&**')}`, ratio.median, target)}`;
  };

/** Completes a line with the target of its figure, if there is one. */
export const withVerdict = (line: string, value: number, target: Target | undefined): string =>
  target === undefined ? line : `${line}; ${verdictOn(value, target)}`;

const isBoundByGenerator = ({ generatorBusy }: Measurement): boolean => generatorBusy.median >= BUSY;

export function spread({ median, min, max }: Summary, decimals: number): string {
  const text = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return `${text(median)} (${text(min)}–${text(max)})`;
}

/** Writes a table of Markdown, aligned for a terminal: the first column left, the others right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (column === 0 ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [head, rule, ...rows].map(line);
}

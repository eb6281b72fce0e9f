import type { Claim, Measurement, Report } from './bench.ts';
import type { Summary } from './statistics.ts';

/** A load generator that uses more of its CPU may limit the result. */
const BUSY = 0.9;

/** Renders a report as text: the contenders, and a table with ratios for each claim. */
export function renderReport({ bench, machine, options, contenders, claims }: Report): string {
  const { at, cpu, cores, node, pinning, loadAverage } = machine;
  const { rounds, seconds, warmupSeconds, connections } = options;
  return [
    `bench ${bench} · ${at} · Node ${node} · ${cpu}, ${cores} cores, load average before ${loadAverage.toFixed(2)}`,
    `rounds: ${rounds}, interleaved; each run ${seconds} s after ${warmupSeconds} s of warm-up; ${connections} connections; ${pinning}`,
    '',
    ...Object.entries(contenders).map(([name, what]) => `${name}: ${what}`),
    ...claims.flatMap((claim) => ['', ...renderClaim(claim)]),
    '',
  ].join('\n');
}

function renderClaim({ title, answerBytes, measured, ratios }: Claim): string[] {
  const rows = measured.map(({ name, requestsPerSecond, p50Ms, p99Ms, generatorBusy }) => [
    name,
    spread(requestsPerSecond, 0),
    spread(p50Ms, 2),
    spread(p99Ms, 2),
    `${Math.round(generatorBusy.median * 100)} %`,
  ]);
  return [
    `${title} (answer: ${answerBytes.toLocaleString('en-US')} bytes); median (min–max)`,
    ...table(['', 'req/s', 'p50 ms', 'p99 ms', 'generator busy'], rows),
    ...ratios.map(({ of, to, ratio }) => `${of} / ${to}: ${spread(ratio, 2)}`),
    ...measured.filter(isBoundByGenerator).map(({ name }) => `${name}: the load generator was at its limit; the server can do more.`),
  ];
}

const isBoundByGenerator = ({ generatorBusy }: Measurement): boolean => generatorBusy.median >= BUSY;

export function spread({ median, min, max }: Summary, decimals: number): string {
  const text = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return `${text(median)} (${text(min)}–${text(max)})`;
}

/** Aligns rows under a heading: the first column left, the others right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    widths.map((width, column) => (column === 0 ? (row[column] ?? '').padEnd(width) : (row[column] ?? '').padStart(width))).join('   '),
  );
}

import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './bench.ts';

/** An invalid command line; the message describes a valid one. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'run'; readonly bench: Bench; readonly options: BenchOptions; readonly json: boolean; readonly write: boolean };

const OPTIONS = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '4' },
  warmup: { type: 'string', default: '2' },
  connections: { type: 'string', default: '8' },
  rows: { type: 'string', default: '1000000' },
  establishments: { type: 'string', default: '200000' },
  companies: { type: 'string', default: '10000' },
  subscribers: { type: 'string', default: '5000' },
  outage: { type: 'string', default: '20' },
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Parses the command line, without the name of the program. @throws UsageError */
export function readCommand(argv: readonly string[], benches: readonly Bench[]): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { kind: 'help' };
  const known = benches.map(({ name }) => name).join(', ');
  const [name, ...more] = positionals;
  if (name === undefined) throw new UsageError(`Name a bench: ${known}.`);
  if (more.length > 0) throw new UsageError(`One bench at a time: ${known}.`);
  const bench = benches.find((one) => one.name === name);
  if (!bench) throw new UsageError(`There is no bench "${name}". Known: ${known}.`);
  const options = {
    rounds: wholeNumber('rounds', values.rounds, 1),
    seconds: wholeNumber('seconds', values.seconds, 1),
    warmupSeconds: wholeNumber('warmup', values.warmup, 0),
    connections: wholeNumber('connections', values.connections, 1),
    rows: wholeNumber('rows', values.rows, 1_000, 100_000_000),
    establishments: wholeNumber('establishments', values.establishments, 10_000, 5_000_000),
    companies: wholeNumber('companies', values.companies, 1_000, 1_000_000),
    subscribers: wholeNumber('subscribers', values.subscribers, 100),
    outageSeconds: wholeNumber('outage', values.outage, 1, 240),
  };
  return { kind: 'run', bench, options, json: values.json, write: values.write };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(name: string, text: string, least: number, most = 9_999): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new UsageError(`--${name}: expected a whole number from ${least} to ${most}, got "${text}".`);
  return value;
}

export const helpText = (benches: readonly Bench[]): string => `Usage: npm run bench -- <name> [options]

Benches:
${benches.map(({ name, description }) => `  ${name.padEnd(20)} ${description}`).join('\n')}

Options:
  --rounds <n>         rounds, each with one run of every contender [${OPTIONS.rounds.default}]
  --seconds <n>        length of a run [${OPTIONS.seconds.default}]
  --warmup <n>         seconds of load before each run that are not counted [${OPTIONS.warmup.default}]
  --connections <n>    connections kept busy [${OPTIONS.connections.default}]
  --rows <n>           rows of the file of an import [${OPTIONS.rows.default}]
  --establishments <n> establishments of the Brazilian registry [${OPTIONS.establishments.default}]
  --companies <n>      companies that are watched [${OPTIONS.companies.default}]
  --subscribers <n>    sockets that listen; fewer where the limit of open files is lower [${OPTIONS.subscribers.default}]
  --outage <n>         seconds for which Postgres is away [${OPTIONS.outage.default}]
  --json               print one JSON object instead of a table
  --write              replace the figures of this bench in docs/benchmarks.md
  --help               this text

The report goes to stdout, a line about each run to stderr.
`;

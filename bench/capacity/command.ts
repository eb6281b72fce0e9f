import { parseArgs } from 'node:util';
import { UsageError } from '../harness/arguments.ts';
import { table } from '../harness/table.ts';
import { COEFFICIENTS } from './coefficients.ts';
import { type Capacity, capacityOf, type Limit, type Load } from './model.ts';

interface Option {
  readonly field: keyof Load;
  readonly meaning: string;
  /** Text of the default, as a caller would write it; null if it depends on other options. */
  readonly fallback: string | null;
  readonly least: number;
  readonly most: number;
  /** If true, decimals are accepted. */
  readonly decimals?: true;
}

/** Default number of changes per thousand watched companies and day. */
const CHANGES_OF_THOUSAND = 3;

const OPTIONS: Readonly<Record<string, Option>> = {
  companies: { field: 'companies', meaning: 'watched companies; required', fallback: null, least: 0, most: 100_000_000 },
  'changes-per-day': {
    field: 'changesPerDay',
    meaning: `detected changes; by default ${CHANGES_OF_THOUSAND} for 1,000 companies`,
    fallback: null,
    least: 0,
    most: 100_000_000,
  },
  'monitors-per-company': {
    field: 'monitorsPerCompany',
    meaning: 'monitors that watch a company',
    fallback: '1',
    least: 1,
    most: 1_000,
    decimals: true,
  },
  'webhooks-per-change': {
    field: 'webhooksPerChange',
    meaning: 'deliveries of a change',
    fallback: '1',
    least: 0,
    most: 1_000,
    decimals: true,
  },
  'receiver-ms': { field: 'receiverMs', meaning: 'until a receiver answers a webhook', fallback: '200', least: 1, most: 10_000 },
  'sockets-per-change': {
    field: 'socketsPerChange',
    meaning: 'sockets and event streams that receive a change',
    fallback: '1',
    least: 0,
    most: 10_000,
    decimals: true,
  },
  'interval-hours': { field: 'intervalHours', meaning: 'between two checks of a company', fallback: '6', least: 1, most: 720 },
  'registry-ms': { field: 'registryMs', meaning: 'until the registry answers a call', fallback: '300', least: 1, most: 9_000 },
  'checks-per-second': {
    field: 'checksPerSecond',
    meaning: 'companies requested a second, averaged over a day',
    fallback: '10',
    least: 0,
    most: 1_000_000,
    decimals: true,
  },
  'companies-per-request': {
    field: 'companiesPerRequest',
    meaning: 'companies of a request',
    fallback: '1',
    least: 1,
    most: 500,
    decimals: true,
  },
  'cache-share': {
    field: 'cacheShare',
    meaning: 'share of these companies that is cached',
    fallback: '0.9',
    least: 0,
    most: 1,
    decimals: true,
  },
  peak: { field: 'peak', meaning: 'rate of the busiest second / average', fallback: '3', least: 1, most: 100, decimals: true },
  subscriptions: { field: 'subscriptions', meaning: 'open sockets and event streams', fallback: '0', least: 0, most: 10_000_000 },
  cores: { field: 'cores', meaning: 'cores of a machine', fallback: '8', least: 1, most: 1_024 },
  'usage-days': { field: 'usageDays', meaning: 'days that usage is kept', fallback: '731', least: 93, most: 3_650 },
};

const USAGE = `Usage: npm run capacity -- --companies <n> [options]

Estimates the processes, Redis and Postgres that a load needs, and what limits it first (docs/scaling.md).

Options:
${Object.entries(OPTIONS)
  .map(([name, { meaning, fallback, least, most }]) => {
    const bounds = `${least.toLocaleString('en-US')} to ${most.toLocaleString('en-US')}`;
    return `  ${`--${name} <n>`.padEnd(27)} ${meaning} (${bounds})${fallback === null ? '' : ` [${fallback}]`}`;
  })
  .join('\n')}
  --json                      print one JSON object instead of a table
  --help                      this text
`;

/** Runs the command. Returns the text to print. @throws UsageError */
export function capacityCommand(argv: readonly string[]): string {
  const values = parse(argv);
  if (values.help) return USAGE;
  const load = loadOf(values);
  const capacity = capacityOf(load);
  return values.json ? `${JSON.stringify({ load, ...capacity }, null, 2)}\n` : render(load, capacity);
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function parse(argv: readonly string[]): Values {
  const text = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, { type: 'string' as const }]));
  const flags = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return parseArgs({ args: [...argv], options: { ...text, ...flags } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function loadOf(values: Values): Load {
  if (values.companies === undefined) throw new UsageError('--companies is missing: how many companies are watched?');
  const given = Object.entries(OPTIONS).flatMap(([name, option]) => {
    const text = values[name] ?? option.fallback;
    return text === null ? [] : [[option.field, numberOf(name, String(text), option)] as const];
  });
  const load = Object.fromEntries(given) as unknown as Omit<Load, 'changesPerDay'> & Partial<Load>;
  return { changesPerDay: Math.round((load.companies * CHANGES_OF_THOUSAND) / 1_000), ...load };
}

function numberOf(name: string, text: string, { least, most, decimals }: Option): number {
  const value = (decimals ? /^\d{1,9}(\.\d{1,6})?$/ : /^\d{1,9}$/).test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name}: expected a ${decimals ? '' : 'whole '}number from ${least} to ${most}, got "${text}".`);
}

function render(load: Load, { rates, web, workers, machines, redisBytes, postgres, limits }: Capacity): string {
  const biggest = Object.entries(postgres.tables).sort((one, other) => other[1] - one[1]);
  const first = limits[0] as Limit;
  const estimates = Object.values(COEFFICIENTS).filter(({ basis }) => basis === 'estimated').length;
  return [
    `${count(load.companies)} watched companies, ${count(load.changesPerDay)} changes a day, ${count(load.checksPerSecond)} checks a second.`,
    '',
    ...table(
      ['', 'needed'],
      [
        ['web processes', `${count(web.processes)} of ${size(web.bytesEach)}`],
        ['workers', count(workers)],
        [`machines of ${load.cores} cores for these`, count(machines)],
        ['Redis', size(redisBytes)],
        ['Postgres, stored', size(postgres.bytes)],
        ...biggest.slice(0, 3).map(([name, bytes]) => [`  ${name}`, size(bytes)]),
        ['Postgres, busy cores', amount(postgres.busyCores)],
        ['Postgres, write-ahead log of checks', `${size(postgres.walBytesPerSecond)}/s`],
        ['calls to the registry', `${amount(rates.registryCalls)}/s`],
        ['webhooks', `${amount(rates.deliveries)}/s`],
      ],
    ),
    '',
    ...table(
      ['limit, the tightest first', 'needs', 'has', 'used'],
      limits.map(({ name, unit, needs, has, used }) => [
        name,
        unit === 'bytes' ? size(needs) : amount(needs),
        unit === 'bytes' ? size(has) : `${amount(has)} ${unit}`.trim(),
        percent(used),
      ]),
    ),
    '',
    `${first.used > 1 ? 'Breaks' : 'Would break'} first: ${first.name}, at ${percent(first.used)} of its limit.`,
    ...(first.used > 1 ? limits.filter(({ used }) => used > 1) : [first]).map(({ name, change }) => `Change for ${name}: ${change}.`),
    '',
    `${estimates} of ${Object.keys(COEFFICIENTS).length} coefficients are estimated, and web processes used 1.4 to 1.5 times the predicted CPU time in short soaks: see docs/scaling.md.`,
    'The registry does not publish how many calls it allows.',
    '',
  ].join('\n');
}

const count = (value: number): string => value.toLocaleString('en-US');
const amount = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: value < 100 ? 2 : 3 });
const percent = (share: number): string => `${amount(share * 100)} %`;

function size(bytes: number): string {
  const [unit, divisor] = bytes >= 1e12 ? ['TB', 1e12] : bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3];
  return `${amount(bytes / Number(divisor))} ${unit}`;
}

/** Numbers of watched companies in the documentation. Each company is requested once a day, and there is a socket per thousand of them. */
const MAGNITUDES = [10_000, 100_000, 1_000_000, 10_000_000, 60_000_000];

/** Returns the tables of docs/scaling.md. */
export function scalingTables(): { readonly coefficients: Table; readonly magnitudes: Table } {
  return {
    coefficients: {
      head: ['Coefficient', 'Value', 'Basis', 'Source'],
      rows: Object.values(COEFFICIENTS).map(({ value, unit, basis, source }) => [unit, count(value), basis, source]),
    },
    magnitudes: {
      head: ['Watched', 'Web', 'Workers', 'Redis', 'Postgres', 'Registry calls', 'Limits that are exceeded, or the tightest'],
      rows: MAGNITUDES.map((companies) => {
        const checks = (companies / 86_400).toFixed(3);
        const load = loadOf({ companies: String(companies), 'checks-per-second': checks, subscriptions: String(companies / 1_000) });
        const { web, workers, redisBytes, postgres, rates, limits } = capacityOf(load);
        const exceeded = limits.filter(({ used }, i) => i === 0 || used > 1).map(({ name, used }) => `${name} ${percent(used)}`);
        return [
          count(companies),
          count(web.processes),
          count(workers),
          size(redisBytes),
          size(postgres.bytes),
          `${amount(rates.registryCalls)}/s`,
          exceeded.join(', '),
        ];
      }),
    },
  };
}

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

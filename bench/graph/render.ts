import { conditions, definitions, spread, table, withVerdict } from '../harness/table.ts';
import { type NamedTarget, TARGETS } from '../targets.ts';
import type { Times } from './measure.ts';
import type { GraphReport } from './report.ts';

const count = (number: number): string => Math.round(number).toLocaleString('en-US');
const megabytes = (bytes: number): string => `${count(bytes / 1e6)} MB`;

/** Writes the report as Markdown: the import, then the questions, with a target beside each figure that has one. */
export function renderGraph(report: GraphReport): string {
  const { machine, options, monthBytes, imports, documents, questions, usesPsql } = report;
  const [first] = imports;
  return [
    ...conditions(
      machine,
      `${count(first.establishments)} establishments of ${count(first.companies)} companies, ${count(first.partners)} partners, ${megabytes(monthBytes)} a month unpacked; rounds: ${options.rounds}, interleaved; ${machine.pinning}. Imports and \`\\copy\` run once.`,
    ),
    ...definitions({
      quipu: 'loaders of the service on the imported copy, in one process with the client: no HTTP, no answer in memory, data in memory',
      documents: `a table of one JSONB document per establishment with an index of the documents of partners, as minha-receita has, in the same Postgres; built in ${documents.buildSeconds.toFixed(1)} s, ${megabytes(documents.bytes)}`,
      '\\copy': `the rows of the first month, already clean, into empty tables without indexes, ${usesPsql ? 'by psql' : 'by a Node stream, because there is no psql here'}`,
    }),
    '',
    ...importLines(report),
    '',
    ...table(
      ['', 'keys', 'quipu p50 ms', 'p95 ms', 'p99 ms', 'documents p50 ms', 'p95 ms'],
      questions.map(({ name, keys, quipu, documents: theirs }) => [name, count(keys), ...timesOf(quipu), ...theirsOf(theirs)]),
    ),
    '',
    ...questions
      .filter((one) => typeof one.documents === 'string')
      .map(({ name, documents: reason }) => `- documents, ${name}: ${reason as string}.`),
    ...questions.flatMap(({ name, targets }) =>
      targets.map(({ target, value, quantile }) => verdict(`${name}, p${quantile * 100}`, value, target)),
    ),
    '',
  ].join('\n');
}

const timesOf = ({ p50, p95, p99 }: Times): readonly string[] => [p50, p95, p99].map((one) => spread(one, 2));
const theirsOf = (times: Times | string): readonly string[] =>
  typeof times === 'string' ? ['cannot', 'cannot'] : [times.p50, times.p95].map((one) => spread(one, 2));

function importLines({ imports, copySeconds, versionBytes }: GraphReport): readonly string[] {
  const rows = imports.map(({ seconds, rowsSeconds, indexSeconds, cpuSeconds, peakRssBytes, peakDisk, ...facts }, i) => [
    i === 0 ? 'first month' : 'second month beside it',
    count(facts.establishments / seconds),
    ...[seconds, rowsSeconds, indexSeconds, cpuSeconds].map((one) => one.toFixed(1)),
    ...[megabytes(peakRssBytes), megabytes(peakDisk.data), megabytes(peakDisk.log)],
  ]);
  const [first, second] = imports;
  const memory = Math.max(...imports.map(({ peakRssBytes }) => peakRssBytes)) / 1e6;
  return [
    ...table(['', 'establishments/s', 'seconds', 'of rows', 'of indexes', 'CPU s', 'peak memory', 'peak disk', 'write-ahead log'], rows),
    '',
    `- size of a version with its indexes: ${megabytes(versionBytes)}`,
    verdict(
      `\`\\copy\` of the rows: ${copySeconds.toFixed(1)} s; rows of the first month: ${first.rowsSeconds.toFixed(1)} s`,
      copySeconds / first.rowsSeconds,
      TARGETS.graphImport,
    ),
    verdict('peak memory of the importing process', memory, TARGETS.graphMemory),
    verdict(
      'both months on the disk at the peak, without the write-ahead log',
      (versionBytes + second.peakDisk.data) / versionBytes,
      TARGETS.graphDisk,
    ),
  ];
}

const verdict = (line: string, value: number, { target }: NamedTarget): string =>
  `- ${withVerdict(`${line}: **${value.toFixed(2)}**${target.unit ? ` ${target.unit}` : ''}`, value, target)}`;

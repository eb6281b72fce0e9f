import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, BenchOptions, Ratio } from './harness/bench.ts';
import { describeMachine, type Machine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf, type Summary, summarise } from './harness/statistics.ts';
import { conditions, definitions, ratioLine, spread, table } from './harness/table.ts';
import { writeNomina } from './imports/nomina-file.ts';
import { startPostgres, writeOut } from './imports/postgres.ts';
import { copyIn, hasPsql, importSii, type Run } from './imports/runs.ts';

interface Measured {
  readonly name: string;
  readonly rowsPerSecond: Summary;
  readonly peakRssBytes: number | null;
  readonly runs: readonly Run[];
}

interface ImportReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: Pick<BenchOptions, 'rounds' | 'rows'>;
  /** Sizes of the files that the contenders read. */
  readonly megabytes: { readonly nomina: number; readonly clean: number };
  /** Contender → its description. */
  readonly contenders: Readonly<Record<string, string>>;
  readonly measured: readonly Measured[];
  readonly ratio: Ratio;
}

const UNPINNED = { server: [], load: [], note: 'not pinned: Postgres and who feeds it share the CPUs' };
const QUIPU = 'quipu import sii';
const BASELINES = {
  psql: ['psql \\copy', 'the same rows, already clean, into an empty table of the same columns and index'],
  stream: ['COPY FROM STDIN', 'what psql \\copy does, from a Node stream (there is no psql here): the same rows, already clean'],
} as const;

export const imports: Bench = {
  name: 'import',
  description: "rows/s and memory of the Chilean registry's import, against psql \\copy of the same rows, already clean",
  run: ({ rounds, rows }, progress) =>
    onStage(UNPINNED, async ({ dir }) => {
      const machine = describeMachine(UNPINNED);
      const nomina = path.join(dir, 'PUB_EMPRESAS_PJ_2024.txt');
      const clean = path.join(dir, 'clean.txt');
      const psql = hasPsql();
      const [baseline, what] = BASELINES[psql ? 'psql' : 'stream'];
      progress(`writing a nómina of ${count(rows)} rows`);
      await writeNomina(nomina, rows);
      const postgres = await startPostgres(dir);
      const imported: Run[] = [];
      const copied: Run[] = [];
      const note = (name: string, run: Run) => progress(`${name} · ${count(rows / run.seconds)} rows/s`);
      try {
        for (let round = 1; round <= rounds; round += 1) {
          await postgres.afresh(async (url) => {
            imported.push(await importSii(url, path.join(dir, 'downloads'), nomina, rows));
            if (round === 1) await writeOut(url, 'sii_companies', clean);
          });
          note(`round ${round}/${rounds} · ${QUIPU}`, imported.at(-1) as Run);
          await postgres.afresh(async (url) => copied.push(await copyIn(url, clean, rows, psql)));
          note(`round ${round}/${rounds} · ${baseline}`, copied.at(-1) as Run);
        }
      } finally {
        await postgres.stop();
      }
      const report: ImportReport = {
        bench: 'import',
        machine,
        options: { rounds, rows },
        megabytes: { nomina: await megabytes(nomina), clean: await megabytes(clean) },
        contenders: {
          [QUIPU]:
            'the nómina as the registry writes it: read, checked, loaded, indexed, switched in; the index of names, built afterwards, is not measured',
          [baseline]: what,
        },
        measured: [toMeasured(QUIPU, rows, imported), toMeasured(baseline, rows, copied)],
        ratio: { of: QUIPU, to: baseline, ratio: ratioOf(ratesOf(rows, imported), ratesOf(rows, copied)) },
      };
      return { report, text: render(report) };
    }),
};

const count = (number: number): string => Math.round(number).toLocaleString('en-US');
const megabytes = async (file: string): Promise<number> => Math.round((await stat(file)).size / 1e6);
const ratesOf = (rows: number, runs: readonly Run[]): readonly number[] => runs.map(({ seconds }) => rows / seconds);

const toMeasured = (name: string, rows: number, runs: readonly Run[]): Measured => ({
  name,
  rowsPerSecond: summarise(ratesOf(rows, runs)),
  peakRssBytes: runs.reduce<number | null>((most, run) => (run.peakRssBytes === null ? most : Math.max(most ?? 0, run.peakRssBytes)), null),
  runs,
});

function render({ machine, options, megabytes, contenders, measured, ratio }: ImportReport): string {
  const memory = (bytes: number | null): string => (bytes === null ? '' : `${Math.round(bytes / 1024 ** 2)} MiB`);
  return [
    ...conditions(
      machine,
      `${count(options.rows)} rows, ${megabytes.nomina} MB as published, ${megabytes.clean} MB clean; rounds: ${options.rounds}, interleaved, each run on a new database; ${machine.pinning}.`,
    ),
    ...definitions(contenders),
    '',
    ...table(
      ['', 'rows/s', 'peak memory'],
      measured.map(({ name, rowsPerSecond, peakRssBytes }) => [name, spread(rowsPerSecond, 0), memory(peakRssBytes)]),
    ),
    '',
    ratioLine(2)(ratio),
    '',
  ].join('\n');
}

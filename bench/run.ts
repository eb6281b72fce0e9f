import { away } from './away.ts';
import { cold } from './cold.ts';
import { deliveries } from './deliveries.ts';
import { fairness } from './fairness.ts';
import { graph } from './graph.ts';
import { graphql } from './graphql.ts';
import { helpText, readCommand, UsageError } from './harness/arguments.ts';
import { type Bench, BenchFailure } from './harness/bench.ts';
import { requirePlace, writeResults } from './harness/page.ts';
import { hostile } from './hostile.ts';
import { imports } from './import.ts';
import { memory } from './memory.ts';
import { monitor } from './monitor.ts';
import { overhead } from './overhead.ts';
import { rest } from './rest.ts';
import { scaling } from './scaling.ts';
import { screening } from './screening.ts';
import { search } from './search.ts';
import { start } from './start.ts';
import { webhooks } from './webhooks.ts';
import { workers } from './workers.ts';

/** One entry per performance claim. */
const BENCHES: readonly Bench[] = [
  away,
  cold,
  deliveries,
  fairness,
  hostile,
  graph,
  graphql,
  imports,
  memory,
  monitor,
  overhead,
  rest,
  scaling,
  screening,
  search,
  start,
  webhooks,
  workers,
];

const out = (text: string): void => void process.stdout.write(text);
const err = (text: string): void => void process.stderr.write(text);

async function main(argv: readonly string[]): Promise<void> {
  const command = readCommand(argv, BENCHES);
  if (command.kind === 'help') return out(helpText(BENCHES));
  const { bench, options, json, write } = command;
  if (write) requirePlace(bench.name);
  const finished = await bench.run(options, (line) => err(`${bench.name} · ${line}\n`));
  if (write) writeResults(bench.name, finished);
  out(json ? `${JSON.stringify(finished.report, null, 2)}\n` : finished.text);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof UsageError || error instanceof BenchFailure;
  err(`${error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error)}\n`);
  if (error instanceof UsageError) err('See: npm run bench -- --help\n');
  process.exitCode = 1;
});

import { promisesIn, TEST_FILES } from './parts.ts';
import { isCurrent, type Result, type Results, worst } from './results.ts';

/** Test files of each promise by its id, relative to the root. */
export type Tested = ReadonlyMap<string, readonly string[]>;

export function testedPromises(): Tested {
  const tested = new Map<string, string[]>();
  for (const file of TEST_FILES) for (const id of promisesIn(file)) tested.set(id, [...(tested.get(id) ?? []), file]);
  return tested;
}

/** Files that a row links; the others are counted. */
const LINKS = 3;

/**
 * The page of promises with its generated parts: the columns "Test" and "Last full result", and the summary. Its section "Tested below
 * their own number" is written by hand and read. It is a function of the files alone: neither a commit nor a day changes it.
 *
 * @param fingerprintOf of a test file as it is now; a result is current while all test files of the promise have the fingerprints of their runs
 */
export function promisesPage(page: string, tested: Tested, results: Results, fingerprintOf: (testFile: string) => string): string {
  const below = new Set([...page.matchAll(BELOW_ROW)].map(([, id = '']) => id));
  const states = new Map([...page.matchAll(PROMISE_ROW)].map(([, , id = '']) => [id, stateOf(id, tested.get(id), results, fingerprintOf)]));
  return page
    .replace(PROMISE_ROW, (_, start: string, id: string) => `${start} ${linksTo(tested.get(id))} | ${states.get(id)?.text} |`)
    .replace(/(?<=<!-- summary -->\n)[\s\S]*?(?=<!-- \/summary -->)/, `${summary(states, below)}\n`);
}

/** `| WH-01 | text | tests | result |`, without the last two cells. */
const PROMISE_ROW = /^(\| ([A-Z]{2}-\d{2}) \|[^|]*\|)[^|]*\|[^|]*\|$/gm;
/** `| WH-01 | its number: … |` in the section "Tested below their own number". */
const BELOW_ROW = /^\| ([A-Z]{2}-\d{2}) \|[^|]*\|$/gm;

function linksTo(files: readonly string[] | undefined): string {
  if (!files) return 'no test';
  const links = files.slice(0, LINKS).map((file) => `[${nameOf(file)}](../${file})`);
  return [...links, ...(files.length > LINKS ? [`and ${files.length - LINKS} more`] : [])].join('<br>');
}

const nameOf = (file: string): string => file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

interface State {
  readonly kind: 'passed' | 'failed' | 'skipped' | 'stale' | 'not run' | 'no test';
  /** The cell of the page. */
  readonly text: string;
}

/** The worst outcome of the test files of a promise. It is as old as the oldest of them. */
function stateOf(id: string, files: readonly string[] | undefined, results: Results, fingerprintOf: (testFile: string) => string): State {
  if (!files) return { kind: 'no test', text: 'not run' };
  const run = files.flatMap((file) => results[file] ?? []).filter(({ promises }) => promises[id]);
  if (run.length === 0) return { kind: 'not run', text: 'not run' };
  const outcome = worst(run.map(({ promises }) => promises[id] ?? ''));
  const worstRuns = run.filter(({ promises }) => promises[id] === outcome).toSorted((a, b) => a.date.localeCompare(b.date));
  const isStale = files.some((file) => results[file] && !isCurrent(results[file], fingerprintOf(file)));
  const text = `${outcome} ${stampOf(worstRuns[0])}${isStale ? ', stale' : ''}`;
  const missing = files.filter((file) => !results[file]?.promises[id]);
  if (missing.length > 0 && outcome !== 'failed') return { kind: 'not run', text: `${text}; not run: ${missing.map(nameOf).join(', ')}` };
  return { kind: outcome === 'passed' && isStale ? 'stale' : outcome, text };
}

const stampOf = (run: Result | undefined): string => `${run?.date} ${run?.commit}`;

/** `90 of 100 promises are proven by a current result at their own number; the others: …`, one line per reason. */
function summary(states: ReadonlyMap<string, State>, below: ReadonlySet<string>): string {
  const reasons = new Map<string, string[]>();
  for (const [id, { kind }] of states) {
    for (const reason of [kind !== 'passed' && kind, below.has(id) && 'tested below their own number']) {
      if (reason) reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
    }
  }
  const others = new Set([...reasons.values()].flat()).size;
  const lines = [...reasons].map(([reason, ids]) => `- ${reason}: ${ids.join(', ')}`);
  const proven = `${states.size - others} of ${states.size} promises are proven by a current result at their own number`;
  return others === 0 ? `${proven}.` : [`${proven}; the others:`, '', ...lines].join('\n');
}

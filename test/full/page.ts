import { filesOf, PARTS, promisesIn, TEST_FILES } from './parts.ts';
import { type PartResult, type Results, worst } from './results.ts';

/** Where a promise is tested. */
export interface Tested {
  /** Test files, relative to the root. */
  readonly files: readonly string[];
  /** Names of the parts of `npm run test:full` that these files are in. */
  readonly parts: readonly string[];
}

/** Where each promise is tested, by its id. */
export function testedPromises(): ReadonlyMap<string, Tested> {
  const tested = new Map<string, Tested>();
  const partByFile = new Map(PARTS.flatMap((part) => filesOf(part).map((file) => [file, part.name])));
  for (const file of TEST_FILES) {
    for (const id of promisesIn(file)) {
      const { files, parts } = tested.get(id) ?? { files: [], parts: [] };
      tested.set(id, { files: [...files, file], parts: [...new Set([...parts, partByFile.get(file) ?? ''])] });
    }
  }
  return tested;
}

/** Files that a row links; the others are counted. */
const LINKS = 3;

/**
 * The page of promises with its generated parts: the columns "Test" and "Last full result", and the summary. Its section "Tested below
 * their own number" is written by hand and read. It is a function of the files alone: neither a commit nor a day changes it.
 *
 * @param fingerprintOf of a test file as it is now; a result is current while all its test files have the fingerprints of its run
 */
export function promisesPage(
  page: string,
  tested: ReadonlyMap<string, Tested>,
  results: Results,
  fingerprintOf: (testFile: string) => string,
): string {
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

function linksTo(tested: Tested | undefined): string {
  if (!tested) return 'no test';
  const links = tested.files.slice(0, LINKS).map((file) => `[${file.replace(/^test\//, '').replace(/\.test\.ts$/, '')}](../${file})`);
  return [...links, ...(tested.files.length > LINKS ? [`and ${tested.files.length - LINKS} more`] : [])].join('<br>');
}

interface State {
  readonly kind: 'passed' | 'failed' | 'skipped' | 'stale' | 'not run' | 'no test';
  /** The cell of the page. */
  readonly text: string;
}

/** The worst outcome of the parts that test a promise. It is as old as the oldest of them. */
function stateOf(id: string, tested: Tested | undefined, results: Results, fingerprintOf: (testFile: string) => string): State {
  if (!tested) return { kind: 'no test', text: 'not run' };
  const run = tested.parts.flatMap((name) => (results[name]?.promises[id] ? [{ name, ...results[name] }] : []));
  const missing = tested.parts.filter((name) => !results[name]?.promises[id]);
  if (run.length === 0) return { kind: 'not run', text: 'not run' };
  const outcome = worst(run.map(({ promises }) => promises[id] ?? ''));
  const worstRuns = run.filter(({ promises }) => promises[id] === outcome).toSorted((a, b) => a.date.localeCompare(b.date));
  const text = `${outcome} ${stampOf(worstRuns[0])}`;
  const isCurrent = tested.files.every((file) => run.some(({ fingerprints }) => fingerprints?.[file] === fingerprintOf(file)));
  const aged = isCurrent ? text : `${text}, stale`;
  if (missing.length > 0 && outcome !== 'failed') return { kind: 'not run', text: `${aged}; not run: ${missing.join(', ')}` };
  return { kind: outcome === 'passed' && !isCurrent ? 'stale' : outcome, text: aged };
}

const stampOf = (run: PartResult | undefined): string => `${run?.date} ${run?.commit}`;

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

import { BenchFailure } from './bench.ts';
import type { Lane } from './interleave.ts';
import type { LoadRequest } from './load.ts';

/** JSON text → its content in one fixed form: the named keys left out at any depth, the others in alphabetical order. */
export function contentOf(json: string, ignored: ReadonlySet<string>): string {
  return JSON.stringify(JSON.parse(json), (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([key]) => !ignored.has(key));
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Asks once. @throws BenchFailure for any status but 200 */
export async function ask({ url, headers, body }: LoadRequest): Promise<string> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  const json = await answer.text();
  if (answer.status !== 200) throw new BenchFailure(`${url} answered ${answer.status}: ${json.slice(0, 500)}`);
  return json;
}

/** Asks every contender. @throws BenchFailure when one's answer differs from the first's, naming where */
export async function requireEqualAnswers(lanes: readonly Lane[], ignored: ReadonlySet<string>): Promise<void> {
  const answers = await Promise.all(lanes.map(async ({ name, request }) => ({ name, content: contentOf(await ask(request), ignored) })));
  const [first] = answers;
  const other = answers.find(({ content }) => content !== first?.content);
  if (!first || !other) return;
  const at = [...first.content].findIndex((letter, i) => letter !== other.content[i]);
  const around = (content: string) => content.slice(Math.max(0, at - 60), at + 60);
  throw new BenchFailure(
    `${other.name} answers otherwise than ${first.name}:\n  ${first.name}: …${around(first.content)}…\n  ${other.name}: …${around(other.content)}…`,
  );
}

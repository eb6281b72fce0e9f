import { BenchFailure } from './bench.ts';
import type { Target } from './interleave.ts';
import type { LoadRequest } from './load.ts';

/** Normalises JSON for comparison: removes the ignored keys at any depth and sorts the others. */
export function contentOf(json: string, ignored: ReadonlySet<string>): string {
  return JSON.stringify(JSON.parse(json), (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([key]) => !ignored.has(key));
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Sends one request and returns the body. @throws BenchFailure for any status except 200 */
export async function send({ url, headers, body }: LoadRequest): Promise<string> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  const json = await answer.text();
  if (answer.status !== 200) throw new BenchFailure(`${url} answered ${answer.status}: ${json.slice(0, 500)}`);
  return json;
}

/** Sends the request to every contender. @throws BenchFailure, with the first difference, when an answer differs from the first one */
export async function requireEqualAnswers(targets: readonly Target[], ignored: ReadonlySet<string>): Promise<void> {
  const answers = await Promise.all(targets.map(async ({ name, request }) => ({ name, content: contentOf(await send(request), ignored) })));
  const [first] = answers;
  const other = answers.find(({ content }) => content !== first?.content);
  if (!first || !other) return;
  const at = [...first.content].findIndex((letter, i) => letter !== other.content[i]);
  const around = (content: string) => content.slice(Math.max(0, at - 60), at + 60);
  throw new BenchFailure(
    `${other.name} and ${first.name} answer differently:\n  ${first.name}: …${around(first.content)}…\n  ${other.name}: …${around(other.content)}…`,
  );
}

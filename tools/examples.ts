/** The example bodies of `docs/api-rest.md`, by `request POST /v1/kyb`, `reply POST /v1/kyb` and `event CompanyChange`. test/docs.test.ts checks their shapes. */
export type Examples = ReadonlyMap<string, unknown>;

/** Reads the fenced blocks `json request /v1/kyb` and `json reply GET /v1/usage` of a page; the method is POST where none is written. Files have blocks `csv reply GET /v1/…`, events `json event CompanyChange`. */
export function examplesOf(page: string): Examples {
  const blocks = [...page.matchAll(/^```json (request|reply) (?:([A-Z]+) )?(\/\S+)\n([\s\S]*?)^```$/gm)];
  const events = [...page.matchAll(/^```json (event \w+)\n([\s\S]*?)^```$/gm)];
  const files = [...page.matchAll(/^```(?:csv|jsonl) reply GET (\S+)\n([\s\S]*?)^```$/gm)];
  return new Map([
    ...blocks.map(([, kind, method = 'POST', path, text = '']) => [`${kind} ${method} ${path}`, JSON.parse(text)] as const),
    ...events.map(([, name = '', text = '']) => [name, JSON.parse(text)] as const),
    ...files.map(([, path, text = '']) => [`reply GET ${path}`, text] as const),
  ]);
}

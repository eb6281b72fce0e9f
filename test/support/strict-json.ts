/**
 * Parses a log line: one JSON object in which no object has a key twice. `JSON.parse` silently keeps the last value of such a key.
 * @throws Error that names the repeated key
 */
export function parseLogLine(line: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(`a log line is no JSON object: ${line}`);
  const objects: Set<string>[] = [];
  for (const [token, key] of line.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (key !== undefined) {
      const keys = objects.at(-1);
      if (keys?.has(key)) throw new Error(`a log line has the key ${key} twice: ${line}`);
      keys?.add(key);
    }
  }
  return parsed as Record<string, unknown>;
}

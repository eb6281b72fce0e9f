import { ApiError } from './client.ts';

/** A fault of a simulated source. */
export interface Fault {
  readonly mode: string;
}

export interface Faults {
  /** By source. */
  readonly faults: Readonly<Record<string, Fault>>;
  /** Sources that can have a fault. */
  readonly sources: readonly string[];
}

const TIMEOUT_MS = 10_000;

/**
 * Reads or changes the made-up world of the sandbox by its control API (docs/sandbox.md).
 * @param path below `/sandbox/`
 * @throws ApiError with the sentence of the server
 */
export async function control<Answer>(
  key: string,
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`/sandbox/${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new ApiError('UNREACHABLE', String(error));
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError('INVALID_INPUT', answer.error ?? answer.detail ?? `HTTP status ${response.status}`);
  return answer as Answer;
}

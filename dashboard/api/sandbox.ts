import { QuipuError } from '../../clients/typescript/src/error.ts';
import { send } from '../../clients/typescript/src/http.ts';
import { serviceOf } from './client.ts';

/** A fault of a simulated source. */
export interface Fault {
  readonly mode: string;
}

export interface Faults {
  /** Name of the source → its fault. */
  readonly faults: Readonly<Record<string, Fault>>;
  /** Sources that can have a fault. */
  readonly sources: readonly string[];
}

/** The companies of the made-up world, of which the page needs the Brazilian ones. */
export interface MadeUpCompanies {
  readonly companies: readonly {
    /** Bare CNPJ; null for a company outside Brazil. */
    readonly cnpj: string | null;
    /** True if the monthly files of the registry have it. */
    readonly in_months?: boolean;
  }[];
}

const TIMEOUT_MS = 10_000;

/**
 * Reads or changes the made-up world of the sandbox by its control API (docs/sandbox.md).
 * @param path below `/sandbox/`
 * @throws QuipuError with the sentence of the server
 */
export async function control<Answer>(
  key: string,
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const sent = { method, ...(body && { body: JSON.stringify(body) }) };
  const response = await send(serviceOf(key, TIMEOUT_MS), `/sandbox/${path}`, sent);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new QuipuError('INVALID_INPUT', answer.error ?? answer.detail ?? `HTTP status ${response.status}`);
  return answer as Answer;
}

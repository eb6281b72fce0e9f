import { storableJson } from './message.ts';

/** A complete HTTP response of an upstream. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A failed call. `kind` is one word for operators, `message` a sentence for the log. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: string;
  readonly retryable: boolean;
  /** Time in ms without calls to the source that its response demands; null without such a demand. */
  readonly retryAfterMs: number | null;
  constructor(kind: string, message: string, options: { retryable?: boolean; retryAfterMs?: number | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Parses a body and makes all its texts storable. @throws HttpFailure for anything that is not JSON */
export function parseJson(body: string): unknown {
  try {
    return storableJson(JSON.parse(body.replace(/^\uFEFF/, '')));
  } catch {
    throw new HttpFailure('not_json', 'the answer is not JSON'); // the parser's message would quote the response
  }
}

/** True for a status that is a temporary refusal and does not concern the resource. */
export const isRefusal = (status: number): boolean => status >= 500 || status === 408 || status === 429;

import { createHmac, randomBytes } from 'node:crypto';
import { invalidInput } from '../../../domain/errors.ts';
import type { ServiceDeps } from '../../../service.ts';
import { retryAfterMs } from '../../../sources/http/headers.ts';
import { type OutboundAnswer, OutboundFailure } from '../../../sources/outbound/outbound.ts';
import type { Outcome, Taken } from '../store/delivery-partitions.ts';

/** Of an answer, this much is read at most, and this much of it kept. */
const MAX_BYTES = 64 * 1024;
const KEPT_BYTES = 1024;

/**
 * One request to a receiver, by ten seconds from now at the latest. Never throws for what the receiver does.
 * @returns null when it was called off
 */
export async function sendWebhook(
  { webhooks, sealer, now }: Pick<ServiceDeps, 'webhooks' | 'sealer' | 'now'>,
  taken: Taken,
  { publicHttp, signal }: { readonly publicHttp: boolean; readonly signal: AbortSignal },
): Promise<Outcome | null> {
  const { eventId: id, body } = taken;
  const timestamp = Math.floor(now() / 1_000);
  const startedAt = performance.now();
  try {
    const secrets = taken.secrets.map((secret) => opened(sealer, secret));
    const answer = await webhooks.request({
      url: parsed(taken.webhookUrl),
      method: 'POST',
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': sign(secrets, { id, timestamp, body }),
      },
      body,
      maxRedirects: 0,
      reading: 'head',
      maxBytes: MAX_BYTES,
      publicHttp,
      signal,
    });
    return outcomeOf(answer, now());
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'stopped') return null;
    const latencyMs = Math.round(performance.now() - startedAt);
    return { latencyMs, status: null, error: error.kind, answer: null, retryAfterMs: null };
  }
}

/** @throws OutboundFailure for one that was sealed under another key: nothing could ever be sent with it */
function opened(sealer: ServiceDeps['sealer'], sealed: Buffer): string {
  try {
    return sealer.open(sealed);
  } catch (cause) {
    throw new OutboundFailure('secret_lost', 'The secret cannot be read.', { cause });
  }
}

/** @throws OutboundFailure for a text that is no URL: somebody changed it behind our back */
function parsed(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new OutboundFailure('bad_url', 'The address is no URL.');
  return url;
}

const outcomeOf = ({ latencyMs, status, headers, body }: OutboundAnswer, now: number): Outcome => ({
  latencyMs,
  status,
  error: status >= 200 && status < 300 ? null : 'http_status',
  answer: textOf(body.subarray(0, KEPT_BYTES)),
  retryAfterMs: retryAfterMs({ 'retry-after': headers['retry-after']?.[0] }, now),
});

/** What is no UTF-8 is replaced, and so is NUL, which Postgres does not take. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');

/** Standard Webhooks: how a receiver knows that a request is ours. */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** E.g. `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…`: 32 random bytes in Base64. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** What a signature covers. */
export interface Signed {
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`, epoch seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** `webhook-signature`: `v1,<base64>` for each secret, separated by spaces. */
export const sign = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(' ');

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');

const FIELD = 'webhook_url';
const NOT_SAFE = 'The address must begin with https://.';

/**
 * Refuses what can be seen at once to be no place for webhooks. A name that has no address yet is taken: it is checked again at every
 * connection. Of a refused address nothing is told but that it is refused.
 * @throws AppError INVALID_INPUT
 */
export async function checkTarget(webhooks: ServiceDeps['webhooks'], url: URL, publicHttp: boolean): Promise<void> {
  try {
    await webhooks.admit(url, { publicHttp });
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'bad_url') throw invalidInput(FIELD, error.message);
    if (error.kind === 'blocked_destination') throw invalidInput(FIELD, 'Webhooks cannot be sent to this address.');
    if (url.protocol === 'http:' && !publicHttp) throw invalidInput(FIELD, NOT_SAFE);
  }
}

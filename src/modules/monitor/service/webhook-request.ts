import type { ServiceDeps } from '../../../service.ts';
import { retryAfterMs } from '../../../sources/http/retry-after.ts';
import { type OutboundAnswer, OutboundFailure } from '../../../sources/outbound/outbound.ts';
import type { Outcome } from '../store/attempts.ts';
import type { Taken } from '../store/lanes.ts';
import { sign } from './signature.ts';

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
      reading: 'glimpse',
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

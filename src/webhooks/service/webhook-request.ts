import { createHmac, randomBytes } from 'node:crypto';
import type { Sealer } from '../../db/sealer.ts';
import { invalidInput } from '../../domain/errors.ts';
import { fieldMessages } from '../../messages/fields.ts';
import { readMessage } from '../../messages/message.ts';
import { monitorMessages } from '../../messages/monitors.ts';
import type { ServiceDeps } from '../../service.ts';
import { retryAfterMs, WEBHOOK_USER_AGENT } from '../../sources/http/message.ts';
import { type OutboundAnswer, OutboundFailure } from '../../sources/outbound/outbound.ts';
import type { AttemptOutcome } from '../store/delivery-log.ts';
import type { ClaimedDelivery } from '../store/delivery-partitions.ts';

/** Maximum number of response bytes that are read, and that are kept. */
const MAX_BYTES = 64 * 1024;
const KEPT_BYTES = 1024;

/** The content and the recipient of one request. */
export type WebhookMessage = Pick<ClaimedDelivery, 'eventId' | 'body' | 'webhookUrl' | 'secrets'>;

/**
 * Sends one request to a receiver, within ten seconds. A failure of the receiver is an outcome and no error.
 * @returns `stopped` when `signal` aborted it; `proxy_failed` when the egress proxy failed, so that nothing was sent
 */
export async function sendWebhook(
  { webhooks, sealer, now }: Pick<ServiceDeps, 'webhooks' | 'now'> & { readonly sealer: Sealer },
  delivery: WebhookMessage,
  { publicHttp, signal }: { readonly publicHttp: boolean; readonly signal: AbortSignal },
): Promise<AttemptOutcome | 'stopped' | 'proxy_failed'> {
  const { eventId: id, body } = delivery;
  const timestamp = Math.floor(now() / 1_000);
  const startedAt = performance.now();
  try {
    const secrets = readSecrets(sealer, delivery.secrets);
    const answer = await webhooks.request({
      url: parseUrl(delivery.webhookUrl),
      method: 'POST',
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'user-agent': WEBHOOK_USER_AGENT,
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
    if (error.kind === 'stopped' || error.kind === 'proxy_failed') return error.kind;
    const latencyMs = Math.round(performance.now() - startedAt);
    return { latencyMs, status: null, error: error.kind, answer: null, retryAfterMs: null };
  }
}

/**
 * Reads the current secret and those replaced. A replaced one that cannot be read is left out: secrets are replaced when the operator has
 * lost the key that sealed them.
 * @throws OutboundFailure `secret_lost` if the current one was sealed with another key
 */
function readSecrets(sealer: Sealer, [current, ...replaced]: WebhookMessage['secrets']): readonly string[] {
  const read = [current, ...replaced].map((sealed) => {
    try {
      return { secret: sealer.open(sealed) };
    } catch (cause) {
      return { cause };
    }
  });
  const [first] = read;
  if (first?.secret === undefined) throw new OutboundFailure('secret_lost', 'The secret cannot be read.', { cause: first?.cause });
  return read.flatMap(({ secret }) => secret ?? []);
}

/** @throws OutboundFailure for an invalid URL, which only a direct change of the database causes */
function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new OutboundFailure('bad_url', 'The address is no URL.');
  return url;
}

const outcomeOf = ({ latencyMs, status, headers, body }: OutboundAnswer, now: number): AttemptOutcome => ({
  latencyMs,
  status,
  error: status >= 200 && status < 300 ? null : 'http_status',
  answer: textOf(body.subarray(0, KEPT_BYTES)),
  retryAfterMs: retryAfterMs({ 'retry-after': headers['retry-after']?.[0] }, now),
});

/** Decodes UTF-8. It replaces invalid bytes, and NUL, which Postgres cannot store. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');

/* Signatures as Standard Webhooks defines them. */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret, e.g. `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…`: 32 random bytes in Base64. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** The content that is signed. */
export interface SignedContent {
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`, epoch seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** Value of `webhook-signature`: `v1,<base64>` for each secret, separated by spaces. */
export const sign = (secrets: readonly string[], { id, timestamp, body }: SignedContent): string =>
  secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(' ');

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');

const FIELD = 'webhook_url';

/** Maximum length of a URL, in characters. */
const MAX_URL = 2_048;

/** Reads the URL of a receiver and returns it as it is stored. @throws AppError INVALID_INPUT on `webhook_url` */
export async function readTarget(webhooks: ServiceDeps['webhooks'], text: string, publicHttp: boolean): Promise<string> {
  const url = URL.parse(text.trim());
  if (!url) throw invalidInput(FIELD, fieldMessages.absoluteUrl());
  if (url.href.length > MAX_URL) throw invalidInput(FIELD, fieldMessages.urlLength({ max: MAX_URL }));
  await checkTarget(webhooks, url, publicHttp);
  return asWritten(text.trim(), url);
}

/** Returns the URL as the caller wrote it, so that the caller can compare it; normalized if it has characters that are invalid in a URL. */
const asWritten = (text: string, url: URL): string => (/^[\x21-\x7e]+$/.test(text) ? text : url.href);

/**
 * Rejects a URL that cannot receive webhooks. A host name that does not resolve yet is accepted: every connection checks it again. The
 * error does not reveal why an address is blocked.
 * @throws AppError INVALID_INPUT
 */
export async function checkTarget(webhooks: ServiceDeps['webhooks'], url: URL, publicHttp: boolean): Promise<void> {
  try {
    await webhooks.admit(url, { publicHttp });
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'bad_url') throw invalidInput(FIELD, readMessage(error.message) ?? error.message);
    if (error.kind === 'blocked_destination') throw invalidInput(FIELD, monitorMessages.blockedAddress());
    if (url.protocol === 'http:' && !publicHttp) throw invalidInput(FIELD, monitorMessages.notHttps());
  }
}

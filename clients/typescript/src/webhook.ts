import { QuipuError } from './error.ts';
import type { components } from './generated/rest.ts';

/** A change as a webhook reports it. A test event has no `changed_fields`. */
export type WebhookEvent = Omit<components['schemas']['Change'], 'observation_id' | 'source' | 'cursor'>;

/** Headers of a request, with names in any case: `Headers`, or the object of a Node server. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Maximum difference of a timestamp from the current time, in seconds. Other timestamps are refused. */
const TOLERANCE_S = 300;
/** Maximum number of signatures that are checked. The service sends two at most. */
const MAX_SIGNATURES = 5;

/**
 * Verifies a webhook by the scheme of Standard Webhooks (HMAC-SHA256 over `id.timestamp.body`) and returns its event. Discard events whose
 * `event_id` you have processed already.
 * @param secret secret of the monitor, `whsec_…`
 * @param body received bytes, before any parser
 * @throws QuipuError INVALID_SIGNATURE
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<WebhookEvent> {
  const header = reader(headers);
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp || Number.NaN));
  if (!id || !(age <= TOLERANCE_S)) throw refused('The webhook has no id, or a timestamp that is more than five minutes off.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer();
  const key = await crypto.subtle.importKey('raw', secretBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of header('webhook-signature').split(' ').slice(0, MAX_SIGNATURES)) {
    const theirs = signature.startsWith('v1,') && decode(signature.slice('v1,'.length));
    if (theirs && (await crypto.subtle.verify('HMAC', key, theirs, signed)))
      return { ...JSON.parse(new TextDecoder().decode(bytes)), event_id: id };
  }
  throw refused('No signature of the webhook was made with this secret.');
}

function reader(headers: WebhookHeaders): (name: string) => string {
  const all = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const byName = new Map(all.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => String(byName.get(name) ?? '');
}

/** Decodes a secret. @throws QuipuError for an invalid secret, because otherwise every webhook would look forged */
function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith('whsec_') && decode(secret.slice('whsec_'.length));
  if (!bytes) throw refused('The secret is not that of a monitor: it begins with whsec_.');
  return bytes;
}

/** Returns null for text that is not Base64. */
function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

const refused = (message: string): QuipuError => new QuipuError('INVALID_SIGNATURE', message);
